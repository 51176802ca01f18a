import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { resolveConfig } from '../../host/settings/config.ts';
import { openHostRuntime } from '../../host/boot/open.ts';
import { MemoryLogger } from '../support/fakes.ts';

const OTHERS = 0o077;

/** Everything below a folder that somebody else on the machine may open. */
function openToOthers(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => (statSync(join(folder, name)).mode & OTHERS) !== 0,
  );
}

test('fault 105: no file of the till can be read by others, also where the database was made earlier', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'tillgate-files-'));
  const umask = process.umask(0o022);
  t.after(() => {
    process.umask(umask);
    rmSync(directory, { recursive: true, force: true });
  });
  const database = { client: 'sqlite', filename: 'earlier.db' } as const;
  for (const settings of [{ dataDir: 'data' }, { dataDir: 'data', database }]) {
    if ('database' in settings) writeFileSync(join(directory, database.filename), '', { mode: 0o644 });
    const runtime = await openHostRuntime(resolveConfig(settings, { directory }), new MemoryLogger(), 'server');
    assert.deepEqual(openToOthers(directory), []);
    await runtime.close();
  }
});
