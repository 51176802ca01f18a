// Asks the registry for known weaknesses of what the packages contain or bring, and fails where one is high or critical.
// All of it stands among the development dependencies of this repository, beside the tools: those are left out.
//
//   node --import tsx .ci/audit.mjs

import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { repository } from './packages.mjs';
import { stage } from './stage.mjs';

/** Writes the manifest and the lock file of a project that depends on what is published, and on the rest for development. */
export async function writeProject(folder) {
  const published = new Set(Object.values(await stage()).flatMap((tarball) => componentsOf(tarball)));
  const { devDependencies } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));
  const listed = (isWanted) => Object.fromEntries(Object.entries(devDependencies).filter(([name]) => isWanted(name)));
  const manifest = {
    name: 'published',
    private: true,
    dependencies: listed((name) => published.has(name)),
    devDependencies: listed((name) => !published.has(name)),
  };
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest, null, 2));
  copyFileSync(join(repository, 'package-lock.json'), join(folder, 'package-lock.json'));
}

/** The names in a package's bill of materials. */
export function componentsOf(tarball) {
  const text = execFileSync('tar', ['-xOzf', tarball, 'package/sbom.cdx.json'], { maxBuffer: 2 ** 26 });
  return JSON.parse(text).components.map(({ name }) => name);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const folder = join(repository, 'temp/audit');
  await writeProject(folder);
  const options = ['--package-lock-only', '--omit=dev', '--audit-level=high'];
  const { status } = spawnSync('npm', ['audit', ...options], { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] });
  process.exitCode = status ?? 1;
}
