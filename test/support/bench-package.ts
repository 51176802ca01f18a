import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The manifest of packages for the benches and the test of the second SQLite driver only: it compiles a second SQLite.
 */
export const BENCH_PACKAGE = fileURLToPath(new URL('../lab/bench/package.json', import.meta.url));
/** The folder of its packages, for NODE_PATH: knex resolves its drivers from its own folder. */
export const BENCH_PACKAGES = join(dirname(BENCH_PACKAGE), 'node_modules');

/**
 * Installs the packages of test/lab/bench if they are missing.
 *
 * @throws Error when npm fails, after npm printed the reason
 */
export function installBenchPackage(): void {
  if (existsSync(join(BENCH_PACKAGES, '.package-lock.json'))) return;
  console.log(
    'Installing the packages of test/lab/bench, once: this compiles a second SQLite and takes a minute or two.',
  );
  const { status } = spawnSync('npm', ['ci'], { cwd: dirname(BENCH_PACKAGE), stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) throw new Error(`npm ci in test/lab/bench ended with ${status}; see above`);
}
