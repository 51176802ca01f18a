// Compiles sqlite3, if the registry has no binary of it, on all cores and with -O2, the default of SQLite's authors.
// Its own installation uses one core and -O3, and takes twice as long. npm runs this at the end of an installation
// (`prepare`).

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../node_modules/sqlite3/', import.meta.url));

if (existsSync(folder) && !existsSync(`${folder}build/Release/node_sqlite3.node`)) {
  const flags = '-O2 -g0';
  const { status } = spawnSync('npm', ['run', 'install'], {
    cwd: folder,
    env: { JOBS: 'max', CFLAGS: flags, CXXFLAGS: flags, ...process.env },
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32',
  });
  process.exitCode = status ?? 1;
}
