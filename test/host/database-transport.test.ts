import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, afterEach, describe, test } from 'node:test';
import { isTillgateError } from '../../core/index.ts';
import { requireSecureConnection } from '../../adapters/storage/knex/index.ts';
import { createTillgate } from '../../host/embed/index.ts';
import type { TillgateOptions } from '../../host/embed/index.ts';
import { freshDirectory, killAll, run } from './till-process.ts';

/** Not a loopback address, and yet nothing leaves this machine; nobody listens. */
const ELSEWHERE = 'postgres://till:s3cr3t-of-the-database@0.0.0.0:1/till';
const refused = /0\.0\.0\.0 is connected to without TLS/;

describe('the connection to PostgreSQL', () => {
  const judge = (connection: Parameters<typeof requireSecureConnection>[0]): Promise<void> =>
    requireSecureConnection(connection, 'database');

  test('may be plain to this machine, by name, address or socket', async () => {
    for (const connection of [
      'postgres://till@localhost:5432/till',
      'postgres://till@127.0.0.1/till',
      'postgres://till@127.9.8.7/till',
      'postgres://till@[::1]:5432/till',
      'postgres:///till?host=/var/run/postgresql',
      '/var/run/postgresql till',
      { host: '/run/postgresql', database: 'till' },
      { host: 'localhost' },
    ])
      await judge(connection);
  });

  test('has to check the certificate of another machine', async () => {
    for (const connection of [
      'postgres://till@db.example/till?sslmode=verify-full',
      'postgres://till@db.example/till?sslmode=verify-ca',
      'postgres://till@db.example/till?sslmode=require',
      'postgres://till@db.example/till?ssl=true',
      { host: 'db.example', ssl: true },
      { host: 'db.example', ssl: { ca: 'PEM' } },
    ])
      await judge(connection);
    for (const connection of [
      'postgres://till@db.example/till',
      'postgres://till@db.example/till?sslmode=disable',
      'postgres://till@db.example/till?sslmode=no-verify',
      'postgres://till@db.example/till?uselibpqcompat=true&sslmode=require',
      'postgres://till@db.example/till?ssl=0',
      'postgres://till@localhost/till?host=db.example',
      'postgres://till@127.0.0.1.evil.example/till',
      'postgres://till@10.0.0.5/till',
      { host: 'db.example' },
      { host: 'db.example', ssl: { rejectUnauthorized: false } },
      { connectionString: 'postgres://till@db.example/till' },
    ])
      await assert.rejects(judge(connection), /without TLS/, JSON.stringify(connection));
  });

  test('that cannot be read is refused without showing its password', async () => {
    await assert.rejects(judge('postgres://till:s3cr3t@db.example:none/till'), (error: Error) => {
      assert.ok(isTillgateError(error, 'CONFIG_INVALID'));
      assert.doesNotMatch(`${error.message} ${error.stack} ${JSON.stringify(error)}`, /s3cr3t/);
      return true;
    });
  });
});

describe('a till in production on a database of another machine', () => {
  const directory = freshDirectory();
  afterEach(killAll);
  after(() => directory.remove());
  const environment = {
    TILLGATE_DATABASE_URL: ELSEWHERE,
    TILLGATE_MASTER_KEY: randomBytes(32).toString('base64'),
  };
  const settings = (mode: 'sandbox' | 'production', insecure: boolean): void =>
    directory.write('tillgate.config.json', { mode, database: { client: 'pg', insecure }, rates: RATES });
  const RATES = { sources: [{ use: 'static', prices: { ETH: '1' } }] };

  test('does not start without TLS unless the settings allow it, and doctor says so', async () => {
    settings('production', false);
    for (const command of ['serve', 'doctor']) {
      const { code, out, err } = await run(directory.path, [command], environment);
      assert.equal(code, 1, command);
      assert.match(out + err, refused, command);
      assert.match(out + err, /"insecure": true in database/, command);
      assert.doesNotMatch(out + err, /s3cr3t/, command);
    }
    settings('production', true);
    assert.doesNotMatch((await run(directory.path, ['doctor'], environment)).out, /without TLS/);
    settings('sandbox', false);
    assert.doesNotMatch((await run(directory.path, ['doctor'], environment)).out, /without TLS/);
  });

  test('is refused to an embedder in the same way', async () => {
    const opened = (more: Partial<TillgateOptions>, insecure = false) =>
      createTillgate({
        database: { url: ELSEWHERE, insecure },
        masterKey: randomBytes(32),
        baseUrl: 'https://shop.example',
        ...more,
      });
    await assert.rejects(opened({}), refused);
    const away = (error: unknown): boolean => isTillgateError(error, 'NOT_READY');
    await assert.rejects(opened({}, true), away);
    await assert.rejects(opened({ mode: 'sandbox' }), away);
  });
});
