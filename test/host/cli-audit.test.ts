import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, describe, test } from 'node:test';
import knex from 'knex';
import { freshDirectory, killAll, run } from './till-process.ts';

interface Line {
  readonly seq: number;
  readonly previous: string;
  readonly hash: string;
  readonly entry: string;
}

describe('the audit commands', () => {
  const directory = freshDirectory();
  const database = join(directory.path, 'data', 'tillgate.db');
  afterEach(killAll);
  after(() => directory.remove());
  const command = (...args: readonly string[]) => run(directory.path, args);
  const json = async (...args: readonly string[]): Promise<Record<string, unknown>> => {
    const { code, out, err } = await command(...args, '--json');
    assert.equal(code, 0, err);
    return JSON.parse(out) as Record<string, unknown>;
  };
  const lines = async (...args: readonly string[]): Promise<Line[]> => {
    const { code, out, err } = await command('audit', 'export', ...args);
    assert.equal(code, 0, err);
    return out
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Line);
  };
  const makeAccount = (name: string) =>
    json('account', 'create', '--email', `${name}@example.com`, '--password', 'a good password');

  test('export what another program can verify, by time too', async () => {
    for (const name of ['one', 'two', 'three']) {
      const { id } = await makeAccount(name);
      await json('account', 'freeze', String(id), '--reason', `of "${name}"`);
    }
    const all = await lines();
    assert.ok(all.length >= 3);
    let former = '0'.repeat(64);
    for (const [index, { seq, previous, hash, entry }] of all.entries()) {
      assert.deepEqual([seq, previous], [index + 1, former]);
      assert.equal(createHash('sha256').update(`${previous}\n${entry}`).digest('hex'), hash);
      former = hash;
    }
    const times = all.map(({ entry }) => (JSON.parse(entry) as { at: number }).at);
    const second = new Date(Number(times[1])).toISOString();
    assert.deepEqual(
      await lines('--from', second),
      all.filter((_line, index) => Number(times[index]) >= Number(times[1])),
    );
    assert.deepEqual(
      await lines('--to', second),
      all.filter((_line, index) => Number(times[index]) < Number(times[1])),
    );
    const wrong = await command('audit', 'export', '--from', 'yesterday');
    assert.deepEqual([wrong.code, /--from: must be a time like/.test(wrong.err)], [1, true], wrong.err);
  });

  test('verify the log, and a head that was noted', async () => {
    const { ok, rows, head, breach } = await json('audit', 'verify');
    assert.deepEqual([ok, breach], [true, null]);
    assert.match(String(head), new RegExp(`^${String(rows)}:[0-9a-f]{64}$`));
    const backup = join(directory.path, 'backup.db');
    copyFileSync(database, backup);
    const { id } = await makeAccount('four');
    await json('account', 'freeze', String(id), '--reason', 'more');
    const later = await json('audit', 'verify', '--head', String(head));
    assert.equal(later['ok'], true);
    copyFileSync(backup, database);
    const restored = await command('audit', 'verify', '--head', String(later['head']));
    assert.deepEqual([restored.code, /a backup was restored/.test(restored.err)], [1, true], restored.err);
    const malformed = await command('audit', 'verify', '--head', 'latest');
    assert.match(malformed.err, /--head: must be SEQ:HASH/);
  });

  test('name the row that somebody has altered', async () => {
    const sql = knex({ client: 'sqlite3', connection: { filename: database }, useNullAsDefault: true });
    await sql.raw('DROP TRIGGER audit_trail_no_update');
    await sql.raw("UPDATE audit_trail SET actor_id = '1' WHERE seq = 2");
    await sql.destroy();
    const { code, err } = await command('audit', 'verify');
    assert.deepEqual([code, /row 2 .*was altered.*Rows 1 to 1 are valid/.test(err)], [1, true], err);
  });
});
