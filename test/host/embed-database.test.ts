import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import { canPay, isTillgateError } from '../../core/index.ts';
import type { FieldError } from '../../core/index.ts';
import { placeOf } from '../../host/embed/database.ts';
import type { TillDatabase } from '../../host/embed/index.ts';
import { createTillgate } from '../../host/embed/index.ts';
import type { TillgateOptions } from '../../host/embed/index.ts';
import { MemoryLogger } from '../support/fakes.ts';
import { ethereum } from '../support/one-chain.ts';
import { freshDirectory } from './till-process.ts';

const NODES = { rpcUrls: ['http://127.0.0.1:1'] };

/** An empty folder, removed at the end of the test. */
function folderOf(t: TestContext): string {
  const directory = freshDirectory();
  t.after(() => directory.remove());
  return directory.path;
}

const refused = (path: string, part: string) => (error: unknown) =>
  isTillgateError(error, 'CONFIG_INVALID') &&
  (error.details.fields ?? []).some((field) => field.path === path && field.message.includes(part));

describe('the database of an embedded till', () => {
  test('is named by a URL, or is the application’s own', () => {
    const knex = (() => undefined) as never;
    const cases: readonly (readonly [TillDatabase, object])[] = [
      ['sqlite:/srv/till.db', { config: { client: 'sqlite', filename: '/srv/till.db' }, insecure: false }],
      ['sqlite:///srv/till.db', { config: { client: 'sqlite', filename: '/srv/till.db' }, insecure: false }],
      ['sqlite:./till.db', { config: { client: 'sqlite', filename: join(process.cwd(), 'till.db') }, insecure: false }],
      ['sqlite::memory:', { config: { client: 'sqlite', filename: ':memory:' }, insecure: false }],
      [
        { url: 'sqlite:/srv/till.db', driver: 'better-sqlite3', tablePrefix: 'a_' },
        { tablePrefix: 'a_', config: { client: 'better-sqlite3', filename: '/srv/till.db' }, insecure: false },
      ],
      [
        { url: 'sqlite:/srv/till.db', driver: 'node' },
        { config: { client: 'node', filename: '/srv/till.db' }, insecure: false },
      ],
      ['postgres://u:p@h/n', { config: { client: 'pg', connection: 'postgres://u:p@h/n' }, insecure: false }],
      [
        { url: 'postgresql://u:p@h/n', schema: 'till', pool: { max: 3 }, insecure: true },
        {
          schema: 'till',
          config: { client: 'pg', connection: 'postgresql://u:p@h/n', pool: { max: 3 } },
          insecure: true,
        },
      ],
      [
        { knex, tablePrefix: 'till_' },
        { tablePrefix: 'till_', config: { knex }, insecure: false },
      ],
    ];
    for (const [given, expected] of cases) {
      const problems: FieldError[] = [];
      assert.deepEqual(placeOf(given as string, problems), expected);
      assert.deepEqual(problems, []);
    }
    for (const wrong of ['', 'sqlite:', 'till.db', 'mysql://h/n', 'postgres:till']) {
      const problems: FieldError[] = [];
      assert.equal(placeOf(wrong, problems), null, wrong);
      assert.deepEqual(
        problems.map(({ path }) => path),
        ['database'],
        wrong,
      );
    }
  });
});

describe('fault 403: a till that is given no master key', () => {
  const open = (t: TestContext, folder: string, more: Partial<TillgateOptions> = {}, logger = new MemoryLogger()) =>
    createTillgate({
      database: `sqlite:${join(folder, 'till.db')}`,
      mode: 'sandbox',
      plugins: [ethereum()],
      logger,
      ...more,
    }).then((till) => {
      t.after(() => till.close());
      return till;
    });

  test('keeps its own beside a SQLite file, for its owner alone, and finds it again', async (t) => {
    const folder = folderOf(t);
    const first = await open(t, folder);
    const account = await first.accounts.create({ email: 'shop@example.com' });
    const credential = await first.credentials.create({ account: account.id });
    await first.close();
    const file = join(folder, 'till.db.key');
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const key = readFileSync(file, 'utf8');
    const second = await open(t, folder);
    assert.equal(readFileSync(file, 'utf8'), key);
    const headers = { Authorization: `Bearer ${credential.apiKey}` };
    const reply = await second.fetch(new Request('http://localhost:3000/v1/orders', { headers }));
    assert.equal(reply.status, 200, 'the sealed key is opened');
  });

  test('refuses to begin anew where the database has data and the file is gone, and makes no file', async (t) => {
    const folder = folderOf(t);
    await (await open(t, folder)).close();
    const file = join(folder, 'till.db.key');
    const key = readFileSync(file);
    rmSync(file);
    await assert.rejects(open(t, folder), refused('masterKey', file));
    assert.equal(existsSync(file), false);
    writeFileSync(file, key);
    await open(t, folder);
  });

  test('makes no file while another option is wrong, and no till on PostgreSQL has a key of its own', async (t) => {
    const folder = folderOf(t);
    await assert.rejects(open(t, folder, { baseUrl: 'ftp://x' }), refused('baseUrl', 'http'));
    assert.equal(existsSync(join(folder, 'till.db.key')), false);
    await assert.rejects(open(t, folder, { database: 'postgres://till@127.0.0.1:1/till' }), refused('masterKey', '32'));
  });

  test('creates a wallet too, says what has to be backed up, and creates none where it must not', async (t) => {
    const words = (logger: MemoryLogger): string => logger.lines.map(({ message }) => message).join('\n');
    const { ethereum: real } = await import('../../plugins/ethereum/index.ts');
    const options = { mode: 'production', plugins: [real(NODES)], auth: { breachedPasswords: null } } as const;
    const made = new MemoryLogger();
    const folder = folderOf(t);
    const till = await open(t, folder, options, made);
    assert.match(words(made), /a wallet was created: back up the database and the file of its master key/);
    assert.equal(canPay(present(till.ports.chains.get('ETH'))), true);
    await till.close();
    const again = new MemoryLogger();
    await (await open(t, folder, options, again)).close();
    assert.doesNotMatch(words(again), /a wallet was created/);
    const none = new MemoryLogger();
    await assert.rejects(open(t, folderOf(t), { ...options, mnemonic: null }, none), /xpub|seed/);
    assert.doesNotMatch(words(none), /a wallet was created/);
  });
});

function present<T>(value: T | null | undefined): T {
  assert.ok(value !== null && value !== undefined);
  return value;
}
