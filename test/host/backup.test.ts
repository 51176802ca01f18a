import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import knex from 'knex';
import { backupStory } from '../support/backup-story.ts';
import { freshDirectory, killAll, run } from './till-process.ts';

function emptyFolder(t: TestContext): string {
  const directory = freshDirectory();
  t.after(async () => {
    await killAll();
    directory.remove();
  });
  return directory.path;
}

describe('tillgate backup and tillgate restore', () => {
  test('fault 504: a SQLite database that is backed up while orders are made and paid is restored whole, and pays nothing before the decision', (t) =>
    backupStory(t, 'sqlite'));

  test('without a database there is no backup, and none is made for it', async (t) => {
    const path = emptyFolder(t);
    const { code, err } = await run(path, ['backup', '--out', 'copy.db']);
    assert.deepEqual([code, readdirSync(path)], [1, []]);
    assert.match(err, /There is no database at .*tillgate\.db/);
  });

  test('fault 505: what is no backup of the configured database leaves no trace of a restore', async (t) => {
    const path = emptyFolder(t);
    const write = (name: string, text: string): string => {
      writeFileSync(join(path, name), text);
      return name;
    };
    const damaged = `SQLite format 3\0${'x'.repeat(8_192)}`;
    const foreign = knex({ client: 'sqlite3', connection: join(path, 'foreign.db'), useNullAsDefault: true });
    await foreign.schema.createTable('notes', (table) => table.text('words'));
    await foreign.destroy();
    const cases: [string, RegExp][] = [
      ['foreign.db', /is not the database of a till/],
      ['missing.db', /There is no file .*missing\.db/],
      [write('text.db', 'not a database'), /is no backup of a till/],
      [write('till.dump', 'PGDMP and so on'), /is a backup of PostgreSQL, and the setting database is SQLite/],
      [write('damaged.db', damaged), /malformed|not a database|damaged/],
    ];
    for (const [file, expected] of cases) {
      const { code, err } = await run(path, ['restore', file]);
      assert.equal(code, 1, file);
      assert.match(err, expected);
    }
    const left = existsSync(join(path, 'data')) ? readdirSync(join(path, 'data')) : [];
    assert.deepEqual(
      left.filter((name) => !name.endsWith('.server-lock')),
      [],
    );
  });

  test('a backup of a till with another master key is refused before it takes the place of anything', async (t) => {
    const [path, other] = [emptyFolder(t), emptyFolder(t)];
    for (const each of [path, other]) assert.equal((await run(each, ['migrate'])).code, 0);
    assert.equal((await run(path, ['backup', '--out', 'copy.db'])).code, 0);
    const before = readFileSync(join(other, 'data/tillgate.db'));
    const { code, err } = await run(other, ['restore', join(path, 'copy.db'), '--replace']);
    assert.equal(code, 1);
    assert.match(err, /master key|TILLGATE_MASTER_KEY/i);
    assert.ok(readFileSync(join(other, 'data/tillgate.db')).equals(before));
  });
});

describe('tillgate backup by PostgreSQL’s own programs', () => {
  const connection = 'postgres://till:very-secret@127.0.0.1:1/till?sslmode=verify-full&sslrootcert=ca.pem';
  const settings = { mode: 'sandbox', database: { client: 'pg', connection } };
  /** A folder of programs, in place of those of the machine. */
  const withPrograms = (t: TestContext, script: string | null): readonly [string, Record<string, string>] => {
    const path = emptyFolder(t);
    const bin = join(path, 'bin');
    mkdirSync(bin);
    writeFileSync(join(path, 'tillgate.config.json'), JSON.stringify(settings));
    writeFileSync(join(path, 'ca.pem'), 'a certificate');
    if (script !== null) {
      writeFileSync(join(bin, 'pg_dump'), `#!/bin/sh\n${script}\n`);
      chmodSync(join(bin, 'pg_dump'), 0o755);
    }
    return [path, { PATH: bin, TILLGATE_MASTER_KEY: 'q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA=' }];
  };

  test('without pg_dump it says what to install, and leaves no file', async (t) => {
    const [path, environment] = withPrograms(t, null);
    const { code, err } = await run(path, ['backup', '--out', 'copy.dump'], environment);
    assert.equal(code, 1);
    assert.match(err, /pg_dump cannot be started \(ENOENT\): install .*postgresql-client/);
    assert.deepEqual(readdirSync(path).sort(), ['bin', 'ca.pem', 'tillgate.config.json']);
  });

  test('a pg_dump that fails leaves no file, and its words are shown', async (t) => {
    const [path, environment] = withPrograms(
      t,
      'echo half; echo "pg_dump: error: aborting because of server version mismatch" >&2; exit 1',
    );
    const { code, err } = await run(path, ['backup', '--out', 'copy.dump'], environment);
    assert.equal(code, 1);
    assert.match(err, /server version mismatch.*Install the client of the server's version or a newer one/s);
    assert.deepEqual(readdirSync(path).sort(), ['bin', 'ca.pem', 'tillgate.config.json']);
  });

  test('the password and the master key are in no argument, and the copy is private before anything is in it', async (t) => {
    const tell = [
      'for each in "$@"; do case "$each" in --file=*) file=${each#--file=};; esac; done',
      '{ echo "$@"; echo "$PGUSER $PGPASSWORD $PGHOST $PGPORT $PGDATABASE $PGSSLMODE $PGSSLROOTCERT"; echo "key: $TILLGATE_MASTER_KEY"; /bin/ls -l "$file"; } >"$file"',
    ].join('\n');
    const [path, environment] = withPrograms(t, tell);
    const { code, err } = await run(path, ['backup', '--out', 'copy.dump'], environment);
    assert.equal(code, 0, err);
    const [args = '', connected, key, listed = ''] = readFileSync(join(path, 'copy.dump'), 'utf8').split('\n');
    assert.ok(!args.includes('very-secret'));
    assert.equal(connected, 'till very-secret 127.0.0.1 1 till verify-full ca.pem');
    assert.equal(key, 'key: ');
    assert.match(listed, /^-rw-------/);
    assert.equal(statSync(join(path, 'copy.dump')).mode & 0o777, 0o600);
  });
});
