import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The manifest of what only the benches and the test of the second SQLite driver need: nobody else compiles a second SQLite. */
export const BENCH_PACKAGE = fileURLToPath(new URL('../bench/package.json', import.meta.url));
/** Where its packages are, for NODE_PATH: knex looks for its drivers from its own folder. */
export const BENCH_PACKAGES = join(dirname(BENCH_PACKAGE), 'node_modules');

/**
 * Installs the packages of test/bench where they are missing.
 *
 * @throws Error where npm fails; it has said why by then
 */
export function installBenchPackage(): void {
  if (existsSync(join(BENCH_PACKAGES, '.package-lock.json'))) return;
  console.log('Installing the packages of test/bench, once: this compiles a second SQLite and takes a minute or two.');
  const { status } = spawnSync('npm', ['ci'], { cwd: dirname(BENCH_PACKAGE), stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) throw new Error(`npm ci in test/bench ended with ${status}; see above`);
}
