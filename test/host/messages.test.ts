import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, describe, test } from 'node:test';
import { TillgateError, isTillgateError } from '../../core/index.ts';
import type { PortReplacements } from '../../core/index.ts';
import { textLine } from '../../adapters/logging/index.ts';
import { createContainer } from '../../host/boot/container.ts';
import { databasePlace } from '../../host/boot/database-place.ts';
import { fileProblem } from '../../host/boot/file-problem.ts';
import { resolveConfig } from '../../host/index.ts';
import { Outages } from '../../host/workers/outages.ts';
import { FakeClock, MemoryLogger } from '../support/fakes.ts';
import { freePort } from '../support/free-port.ts';
import { freshDirectory, killAll, run } from './till-process.ts';

/** The problems of settings, by their paths. */
function problemsOf(
  input: object,
  environment: Record<string, string> = {},
  directory?: string,
): Record<string, string> {
  try {
    resolveConfig(input, { environment, ...(directory === undefined ? {} : { directory }) });
  } catch (error) {
    assert.ok(isTillgateError(error, 'CONFIG_INVALID'), String(error));
    return Object.fromEntries((error.details.fields ?? []).map(({ path, message }) => [path, message]));
  }
  return {};
}

describe('what an operator is told', () => {
  const directory = freshDirectory();
  afterEach(killAll);
  after(() => directory.remove());

  test('fault 515: a folder that cannot be used is one sentence with the folder and the cure, no stack', async () => {
    writeFileSync(join(directory.path, 'file'), '');
    directory.write('tillgate.config.json', { mode: 'sandbox', dataDir: './file/data' });
    const { code, err } = await run(directory.path, ['migrate']);
    assert.equal(code, 1);
    assert.match(
      err,
      /^Cannot create the folder .*file\/data: a part of this path is a file, not a folder \(ENOTDIR\)\.\n$/,
    );
    for (const [name, words] of [
      ['EACCES', /^Cannot create the folder \/srv\/data: this user may not; .+ \(EACCES\)\.$/],
      ['EROFS', /the file system is read-only/],
      ['ENOSPC', /the disk is full/],
    ] as const)
      assert.match(
        fileProblem(Object.assign(new Error('x'), { code: name, syscall: 'mkdir', path: '/srv/data' })) ?? '',
        words,
      );
    assert.equal(fileProblem(Object.assign(new Error('x'), { code: 'ECONNREFUSED', path: '/socket' })), null);
  });

  test('fault 516: a database that does not answer is named by host, port and name, without its password, in one line', async () => {
    const connection = `postgres://till:secret-word@127.0.0.1:${await freePort()}/shop`;
    directory.write('down.json', { mode: 'sandbox', database: { client: 'pg', connection } });
    const { code, err } = await run(directory.path, ['migrate'], { TILLGATE_CONFIG: 'down.json' });
    assert.equal(code, 1);
    const place = `127\\.0\\.0\\.1:${new URL(connection).port} \\(database shop\\)`;
    assert.match(
      err,
      new RegExp(`^PostgreSQL at ${place} is not ready \\(ECONNREFUSED\\); nothing was written\\.\\n$`),
    );
    assert.equal(databasePlace('postgres://db.example/till'), 'PostgreSQL at db.example:5432 (database till)');
    assert.equal(databasePlace('postgres:///till?host=/run/pg'), 'PostgreSQL at /run/pg (database till)');
  });

  test('an address of a database without its scheme is refused, wherever it is written', () => {
    const expected = /postgres:\/\/user:password@localhost:5432\/tillgate/;
    const database = { client: 'pg', connection: 'localhost/till' };
    assert.match(problemsOf({ database })['database.connection'] ?? '', expected);
    assert.match(problemsOf({}, { TILLGATE_DATABASE_URL: 'localhost/till' })['TILLGATE_DATABASE_URL'] ?? '', expected);
    for (const connection of ['postgresql://localhost/till', 'socket:/run/pg', '/run/pg till'])
      assert.deepEqual(problemsOf({ database: { client: 'pg', connection } }), {}, connection);
    assert.deepEqual(
      problemsOf({ database: { client: 'sqlite' } }, { TILLGATE_DATABASE_URL: 'of another program' }),
      {},
    );
  });

  test('an unknown setting is answered with the one that is near, in its section or in another', () => {
    const found = problemsOf({
      prt: 1,
      pluggins: [],
      listen: { hots: 'x' },
      orders: { timeoutSecond: 1 },
      frobnicate: 1,
    });
    assert.match(found['prt'] ?? '', /Did you mean "listen\.port"\?$/);
    assert.match(found['pluggins'] ?? '', /Did you mean "plugins"\?$/);
    assert.match(found['listen.hots'] ?? '', /Did you mean "host"\?$/);
    assert.match(found['orders.timeoutSecond'] ?? '', /Did you mean "timeoutSeconds"\?$/);
    assert.equal(found['frobnicate'], 'unknown setting: correct its spelling or remove it');
  });

  test('a wrong key in a file is said of the setting that names the file', async () => {
    writeFileSync(join(directory.path, 'key'), 'abc', { mode: 0o600 });
    const inFile = { TILLGATE_MASTER_KEY_FILE: 'key' };
    assert.deepEqual(Object.keys(problemsOf({}, inFile, directory.path)), ['TILLGATE_MASTER_KEY_FILE']);
    assert.deepEqual(Object.keys(problemsOf({}, { TILLGATE_MASTER_KEY: 'abc' })), ['TILLGATE_MASTER_KEY']);
    assert.deepEqual(Object.keys(problemsOf({ masterKeyFile: 'key' }, {}, directory.path)), ['masterKeyFile']);
  });

  test('tokens as a list are answered with their form', async () => {
    const plugins = [{ use: 'ethereum', options: { rpcUrls: ['http://127.0.0.1:1'], tokens: [] } }];
    directory.write('tokens.json', { mode: 'sandbox', plugins });
    const { err } = await run(directory.path, ['migrate'], { TILLGATE_CONFIG: 'tokens.json' });
    const { out } = await run(directory.path, ['doctor'], { TILLGATE_CONFIG: 'tokens.json' });
    assert.match(err + out, /tokens: must be an object by currency code, such as \{"USDT-ERC20"/);
  });

  test('fault 517: a replaced port without its functions is refused at the start, by its name', () => {
    const infrastructure = {} as Parameters<typeof createContainer>[0];
    for (const [replace, words] of [
      [{ clock: {} }, /replace\.clock has no function now\./],
      [{ vault: { seal: () => '' } }, /replace\.vault has no function open, isCurrent, lookupHash, lookupHashes\./],
      [{ random: null }, /replace\.random has no function bytes\./],
    ] as const)
      assert.throws(() => createContainer(infrastructure, { replace: replace as unknown as PortReplacements }), words);
  });

  test('fault 518: an outage of the database is one line at its beginning, one a minute, and one at its end', () => {
    const [logger, clock] = [new MemoryLogger(), new FakeClock()];
    const outages = new Outages({ logger, clock });
    const down = new TillgateError('NOT_READY', 'The database is not ready (ECONNREFUSED); nothing was written.');
    const attempts = (): boolean[] => ['sweeps', 'callbacks', 'sweeps'].map((loop) => outages.failed(loop, down));
    assert.deepEqual(attempts(), [true, false, false]);
    assert.equal(outages.failed('sweeps', new Error('a defect')), true);
    clock.advance(60_000);
    assert.deepEqual(attempts(), [true, false, false]);
    outages.worked('sweeps');
    assert.equal(logger.lines.length, 0);
    outages.worked('callbacks');
    assert.match(JSON.stringify(logger.lines), /the work continues after an outage/);
    assert.equal(attempts()[0], true);
  });

  test('a log line for a person has time, level, message and fields, and nothing that moves the cursor', () => {
    const line = JSON.stringify({
      ...{ level: 'warn', time: '2026-11-30T06:15:39.007Z', loop: 'sweeps', failures: 2, reason: 'a\u001b[2J b' },
      ...{ error: { name: 'Error', message: 'not ready', stack: ['at a.ts:1'] }, msg: 'retrying' },
    });
    assert.equal(
      textLine(line),
      '06:15:39 warn  retrying  loop=sweeps  failures=2  reason="a\\u001b[2J b"  error="not ready"\n    at a.ts:1\n',
    );
  });

  test('logFormat text is followed by a program that no terminal runs', async () => {
    directory.write('text.json', {
      mode: 'sandbox',
      logFormat: 'text',
      processes: 1,
      listen: { port: 1, host: '192.0.2.1' },
    });
    const { err } = await run(directory.path, ['serve'], { TILLGATE_CONFIG: 'text.json' });
    assert.match(err, /^\d\d:\d\d:\d\d info {2}/m);
    directory.write('text.json', {
      mode: 'sandbox',
      dataDir: './other',
      processes: 1,
      listen: { port: 1, host: '192.0.2.1' },
    });
    assert.match((await run(directory.path, ['serve'], { TILLGATE_CONFIG: 'text.json' })).err, /^\{"level":"info"/m);
  });
});
