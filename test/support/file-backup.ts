import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const SELF_HOST = fileURLToPath(new URL('../../examples/self-host', import.meta.url));

/**
 * A backup of a stopped till's SQLite file, by the scripts of the examples.
 *
 * @param directory - the till's folder
 * @returns a function that restores it
 */
export async function backUpFile(directory: string): Promise<() => Promise<void>> {
  const [live, copy] = ['data/tillgate.db', 'backup.db'].map((name) => join(directory, name)) as [string, string];
  await script('backup.mjs', live, copy);
  return () => script('restore.mjs', copy, live);
}

async function script(name: string, ...args: readonly string[]): Promise<void> {
  await promisify(execFile)(process.execPath, [join(SELF_HOST, name), ...args]);
}
