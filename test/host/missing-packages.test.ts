import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import { defectOfNodeSqlite, thisNode } from '../../adapters/storage/knex/drivers/node-sqlite-module.ts';
import { missingPeer } from '../../host/boot/missing-peer.ts';
import { freshDirectory, killAll, run, serve } from './till-process.ts';
import type { Ended } from './till-process.ts';

const PRELOAD = `--import ${new URL('without-package.mjs', import.meta.url).href}`;
/** Whether this Node can take the place of the package sqlite3. */
const FALLS_BACK = defectOfNodeSqlite(thisNode()) === null;

type Variable = 'WITHOUT_PACKAGE' | 'BROKEN_PACKAGE';

/** The sources: the program of a test run has the packages in it. */
async function migrate(t: TestContext, settings: object, variable: Variable, name: string): Promise<Ended> {
  const directory = freshDirectory();
  t.after(directory.remove);
  directory.write('tillgate.config.json', settings);
  const key = randomBytes(32).toString('base64');
  const environment = { NODE_OPTIONS: PRELOAD, [variable]: name, TILLGATE_MASTER_KEY: key };
  return run(directory.path, ['migrate'], environment, 'sources');
}

const pg = (mode: string): object => ({
  mode,
  plugins: [],
  database: { client: 'pg', connection: 'postgres://till@127.0.0.1:1/till' },
});

describe('a machine without a package that the settings need', () => {
  for (const mode of ['sandbox', 'production'])
    test(`pg, in ${mode} mode: the package is named with the command that installs it, and no stack is shown`, async (t) => {
      const { code, err } = await migrate(t, pg(mode), 'WITHOUT_PACKAGE', 'pg');
      assert.equal(code, 1);
      assert.match(err, /^tillgate needs pg for the command migrate: npm install pg\. The package @tillgate\/server/m);
      assert.doesNotMatch(err, /^\s+at /m);
    });

  test('sqlite3: node:sqlite takes its place where Node has it, otherwise the message says what to install', async (t) => {
    const { code, err } = await migrate(t, { mode: 'sandbox' }, 'WITHOUT_PACKAGE', 'sqlite3');
    assert.equal(code, FALLS_BACK ? 0 : 1, err);
    if (!FALLS_BACK) assert.match(err, /^There is no driver for SQLite: .*Run "npm install sqlite3"/m);
    assert.doesNotMatch(err, /^\s+at /m);
  });

  test('sqlite3 that does not load: the server says once which driver it uses, or why it has none', async (t) => {
    t.after(killAll);
    const directory = freshDirectory();
    t.after(directory.remove);
    const till = serve(directory.path, { NODE_OPTIONS: PRELOAD, BROKEN_PACKAGE: 'sqlite3' }, 'sources');
    if (FALLS_BACK) await till.url();
    const { err } = FALLS_BACK ? await till.signal('SIGTERM') : await till.ended();
    const said = err.split('\n').filter((line) => line.includes('compiled against a different Node.js version'));
    assert.equal(said.length, 1, err);
    assert.match(said[0] ?? '', FALLS_BACK ? /node:sqlite is used/ : /^There is no driver for SQLite/);
    assert.match(said[0] ?? '', /npm rebuild sqlite3/);
  });
});

describe('the name of a package that is missing', () => {
  const named = (message: string): string | null => missingPeer(new Error(message));

  test('is read from the errors of import, of require and of knex', () => {
    assert.equal(named("Cannot find package '@noble/hashes/sha2.js' imported from /app/x.js"), '@noble/hashes');
    assert.equal(named("Cannot find module 'nodemailer'\nRequire stack:\n- /app/x.js"), 'nodemailer');
    assert.equal(named("Knex: run\n$ npm install pg --save\nCannot find module 'pg'"), 'pg');
  });

  test('is of no other error: not of a file that is missing, and not of a package that is there and broken', () => {
    for (const message of [
      "Cannot find module './own-file.js'\nRequire stack:\n- /app/x.js",
      "Cannot find module '/app/own-file.js'\nRequire stack:\n- /app/x.js",
      'Knex: run\n$ npm install sqlite3 --save\nThe module was compiled against a different Node.js version',
      'Something else',
    ])
      assert.equal(named(message), null, message);
  });
});
