// Packs the packages of packages.mjs as they would be published, in temp/package and without touching the working tree,
// once for each state of the sources: the checks and the tests that install them share one build.
//
//   node --import tsx .ci/stage.mjs           prints the tarballs, by the names of their packages, as JSON

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, filesOf } from './build.mjs';
import { PACKAGES, folderOf, repository } from './packages.mjs';

const home = join(repository, 'temp', 'package');

/** The paths of the tarballs of the present sources by their packages' names, built if necessary. */
export async function stage() {
  const folder = join(home, stateOfSources());
  if (!existsSync(folder)) {
    mkdirSync(home, { recursive: true });
    const work = mkdtempSync(join(home, 'work-'));
    try {
      const built = join(work, 'built');
      await build(built);
      const packed = join(work, 'packed');
      mkdirSync(packed);
      for (const each of PACKAGES) renameSync(pack(join(built, folderOf(each)), packed), tarballIn(packed, each));
      // Another process may have been faster; its tarballs are the same.
      if (!existsSync(folder)) renameSync(packed, folder);
    } finally {
      rmSync(work, { recursive: true, force: true });
    }
  }
  return Object.fromEntries(PACKAGES.map((each) => [each.name, tarballIn(folder, each)]));
}

const tarballIn = (folder, each) => join(folder, `${folderOf(each)}.tgz`);

function stateOfSources() {
  const hash = createHash('sha256');
  const files = ['package.json', 'package-lock.json', 'LICENSE', 'CHANGELOG.md', 'SECURITY.md'];
  for (const path of [
    ...files,
    'tsconfig.json',
    'tsconfig.build.json',
    ...filesOf(['.ci', 'core', 'adapters', 'plugins', 'host', 'examples/self-host', 'examples/receive-callbacks']),
  ])
    hash.update(`${path}\0`).update(readFileSync(join(repository, path)));
  return hash.digest('hex').slice(0, 16);
}

function pack(folder, target) {
  const told = execFileSync('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', target], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return join(target, JSON.parse(told)[0].filename);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) console.log(JSON.stringify(await stage()));
