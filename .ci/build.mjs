// Builds the package: JavaScript and types, the files that the payer's page loads without compilation, the bundled
// application of the dashboard, and the list of all packages in the lock file (CycloneDX).
//
//   node .ci/build.mjs [folder]     into dist, or into another folder

import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, extname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { flattenTypes } from './flatten-types.mjs';

const repository = fileURLToPath(new URL('..', import.meta.url));
const sources = ['core', 'adapters', 'plugins', 'host'];
/** Copied without compilation. */
const assets = new Set(['.js', '.css']);

/** Builds into a folder, which is emptied first. */
export function build(folder = join(repository, 'dist')) {
  rmSync(folder, { recursive: true, force: true });
  const tsc = join(repository, 'node_modules/typescript7/bin/tsc');
  execFileSync(process.execPath, [tsc, '-p', join(repository, 'tsconfig.build.json'), '--outDir', folder], {
    stdio: ['ignore', 2, 2],
  });
  const records = 'adapters/client/records';
  flattenTypes(
    join(repository, `${records}.ts`),
    join(folder, `${records}.d.ts`),
    join(repository, 'tsconfig.build.json'),
  );
  for (const path of filesOf(sources).filter((each) => assets.has(extname(each)))) {
    const target = join(folder, path);
    mkdirSync(dirname(target), { recursive: true });
    cpSync(join(repository, path), target);
  }
  bundleDashboard(folder);
  writeFileSync(join(folder, 'sbom.cdx.json'), billOfMaterials());
}

/** Bundles the dashboard with the compiled bundler, in another process, so that this one stays synchronous. */
function bundleDashboard(folder) {
  const bundler = JSON.stringify(pathToFileURL(join(folder, 'host/dashboard/bundle.js')).href);
  const target = JSON.stringify(join(folder, 'host/dashboard/files'));
  const program = `const { bundleDashboard, writeBundle } = await import(${bundler});
await writeBundle(await bundleDashboard(${JSON.stringify(repository)}), ${target});`;
  execFileSync(process.execPath, ['--input-type=module', '--eval', program], { stdio: ['ignore', 2, 2] });
}

/** The packages of the lock file as CycloneDX, the same for the same sources. */
export function billOfMaterials() {
  const options = ['sbom', '--package-lock-only', '--sbom-format=cyclonedx'];
  const text = execFileSync('npm', options, {
    cwd: repository,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    stdio: ['ignore', 'pipe', 2],
  });
  const { serialNumber: _serial, ...bill } = JSON.parse(text);
  delete bill.metadata.timestamp;
  bill.metadata.component.name = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')).name;
  return `${JSON.stringify(bill, null, 2)}\n`;
}

/** Every file of these folders, relative to the repository, sorted. */
export function filesOf(folders) {
  return folders.flatMap((folder) =>
    readdirSync(join(repository, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(repository.length))
      .sort(),
  );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  build(process.argv[2] === undefined ? undefined : resolve(process.argv[2]));
