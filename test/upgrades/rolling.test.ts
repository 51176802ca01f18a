import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, afterEach, describe, test } from 'node:test';
import knex from 'knex';
import { migrate, MIGRATIONS } from '../../adapters/storage/knex/migrations/migrate.ts';
import { checkLedger, isTillgateError } from '../../core/index.ts';
import { freshDirectory, killAll, serve } from '../host/till-process.ts';
import { testedEngines } from '../support/each-storage.ts';
import { freshDatabase } from '../support/postgres.ts';
import { endWithThisProcess } from '../support/processes.ts';
import { argumentsOf } from '../support/source-program.ts';
import { appliedIn, loadFixture } from './fixture.ts';
import type { Loaded } from './fixture.ts';
import { LATER } from './later.ts';

const KEPT = '0.1.0';
const PROGRAM = argumentsOf('test/upgrades/migrate-and-die.ts');
const NEWER = { name: '9999-of-a-later-release', checksum: 'unknown here', applied_at: 0 };
const INSERTED_ALERT = `INSERT INTO alerts (id, kind, subject, reason, status, first_at, last_at, raised, severity)
  VALUES ('1', 'deposit', 'a test', 'a reason', 'OPEN', 0, 0, 1, 'unknown')`;
/** Statements before which a migration is killed: a table was copied and is about to go, everything is done but the end. */
const MOMENTS = ['DROP TABLE', 'COMMIT'];

async function migrateUntil({ config }: Loaded, text: string): Promise<NodeJS.Signals | null> {
  const { client, ...rest } = config;
  const connection = 'filename' in rest ? { filename: rest.filename } : { connectionString: rest.connection };
  const options = client === 'pg' ? '-c synchronous_commit=on' : undefined;
  const settings = {
    client: client === 'pg' ? 'pg' : 'sqlite3',
    connection: { ...connection, options },
    useNullAsDefault: true,
    pool: { min: 0, max: 1 },
  };
  const child = spawn(process.execPath, [...PROGRAM, JSON.stringify(settings), text], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  endWithThisProcess(child);
  const [, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  return signal;
}

/** The migrations that a database lacks, the last one among them. */
function missingIn(applied: ReadonlyMap<string, string>): readonly string[] {
  return [...MIGRATIONS, LATER].map(({ name }) => name).filter((name) => !applied.has(name));
}

for (const engine of testedEngines()) {
  describe(`on ${engine}`, () => {
    for (const text of MOMENTS) {
      test(`fault 271: a migration that is killed before ${text} has done nothing, and the next start does all of it`, async (t) => {
        const loaded = await loadFixture(t, KEPT, engine);
        const before = await loaded.applied();
        assert.equal(await migrateUntil(loaded, text), 'SIGKILL');
        assert.deepEqual(await loaded.applied(), before);
        const database = await loaded.connect();
        assert.deepEqual(await migrate(database, [...MIGRATIONS, LATER]), missingIn(before));
        assert.equal((await loaded.applied()).has(LATER.name), true);
        const moved = `UPDATE alerts SET status = 'no status'`;
        await database.write(INSERTED_ALERT);
        await assert.rejects(database.write(moved), /illegal/, 'the table that was made anew has its triggers');
      });
    }

    test('fault 271: of two instances that start at once one migrates, and the other waits and finds nothing to do', async (t) => {
      const { connect, applied, open } = await loadFixture(t, KEPT, engine);
      const missing = missingIn(await applied());
      const instances = [await connect(), await connect(), await connect()];
      const steps = await Promise.all(instances.map((each) => migrate(each, [...MIGRATIONS, LATER])));
      assert.deepEqual(steps.flat(), missing);
      assert.equal((await applied()).size, MIGRATIONS.length + 2);
      assert.deepEqual(await checkLedger(await open()), []);
    });

    test('fault 272: a release that is older than its database refuses to start on it, and notices it while it runs', async (t) => {
      const { open, config, place } = await loadFixture(t, KEPT, engine);
      const running = await open();
      await running.migrate();
      await running.checkSchema();
      await addNewer(place);
      const newer = (error: unknown): boolean =>
        isTillgateError(error, 'CONFIG_INVALID') && error.message.includes(NEWER.name);
      await assert.rejects(running.checkSchema(), newer);
      const starting = await open();
      await assert.rejects(starting.migrate(), newer);
      assert.equal((await appliedIn(config)).get(NEWER.name), NEWER.checksum);
    });
  });
}

async function addNewer(place: string): Promise<void> {
  const connection = place.startsWith('postgres') ? place : { filename: place };
  const raw = knex({ client: typeof connection === 'string' ? 'pg' : 'sqlite3', connection, useNullAsDefault: true });
  await raw('schema_migrations').insert(NEWER);
  await raw.destroy();
}

describe('two releases on one PostgreSQL', () => {
  const directories = [freshDirectory(), freshDirectory()];
  afterEach(killAll);
  after(() => directories.forEach((each) => each.remove()));

  for (const processes of [1, 2])
    test(`fault 272: when the newer one has migrated, the older one stops by itself, says why and exits with 1 (${processes} of its processes)`, async () => {
      const { url, drop } = await freshDatabase();
      for (const each of directories) each.write('tillgate.config.json', { mode: 'sandbox', processes });
      try {
        const key = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64');
        const environment = { TILLGATE_DATABASE_URL: url, TILLGATE_MASTER_KEY: key };
        const till = serve(directories[0]!.path, environment);
        const address = await till.url();
        assert.equal((await fetch(`${address}/readyz`)).status, 200);
        await addNewer(url);
        const { code, err } = await till.ended();
        assert.equal(code, 1, err);
        assert.match(err, /older than its database/);
        assert.match(err, new RegExp(NEWER.name));
        const again = await serve(directories[1]!.path, environment).ended();
        assert.equal(again.code, 1);
        assert.match(again.err, /A newer release has migrated this database/);
      } finally {
        await drop();
      }
    });
});
