// Builds the tarball that would be published, in temp/package and without touching the working tree, once for each
// state of the sources: the check of the package and the test that installs it share one build.
//
//   node .ci/stage.mjs          prints the path of the tarball
//   node .ci/stage.mjs server   prints the path of the tarball of the server's package, which depends on the first

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, filesOf } from './build.mjs';
import { stripped } from './pack.mjs';

const repository = fileURLToPath(new URL('..', import.meta.url));
const home = join(repository, 'temp', 'package');
const sources = ['core', 'adapters', 'plugins', 'host'];
const files = ['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md', 'SECURITY.md'];

/** The path of the tarball of the present sources, built if necessary. */
export function stage() {
  const folder = join(home, stateOfSources());
  const tarball = join(folder, 'tillgate.tgz');
  if (existsSync(tarball)) return tarball;
  mkdirSync(home, { recursive: true });
  const work = mkdtempSync(join(home, 'work-'));
  try {
    const made = pack(join(work, 'package'), work);
    mkdirSync(folder, { recursive: true });
    renameSync(made, tarball);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return tarball;
}

/** The path of the tarball of `@tillgate/server`, built if necessary. */
export function stageServer() {
  const manifest = serverManifest();
  const template = join(repository, '.ci', 'server-package');
  const state = createHash('sha256').update(JSON.stringify(manifest));
  for (const path of filesOf(['.ci/server-package'])) state.update(readFileSync(join(repository, path)));
  const folder = join(home, `server-${state.digest('hex').slice(0, 16)}`);
  const tarball = join(folder, 'tillgate-server.tgz');
  if (existsSync(tarball)) return tarball;
  mkdirSync(home, { recursive: true });
  const work = mkdtempSync(join(home, 'work-'));
  try {
    cpSync(template, join(work, 'package'), { recursive: true });
    cpSync(join(repository, 'LICENSE'), join(work, 'package', 'LICENSE'));
    writeFileSync(join(work, 'package', 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
    mkdirSync(folder, { recursive: true });
    renameSync(npmPack(join(work, 'package'), work), tarball);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return tarball;
}

/** The server's runtime dependencies: the library, and each of its peers in the tested version. */
export function serverManifest() {
  const { version, license, engines, keywords, peerDependencies, devDependencies } = JSON.parse(
    readFileSync(join(repository, 'package.json'), 'utf8'),
  );
  const pinned = Object.keys(peerDependencies).map((name) => [name, devDependencies[name]]);
  const missing = pinned.filter(([, tested]) => !/^\d+\.\d+\.\d+$/.test(tested ?? '')).map(([name]) => name);
  if (missing.length > 0) throw new Error(`no version is tested of ${missing.join(', ')}`);
  return {
    name: '@tillgate/server',
    version,
    description: 'The Tillgate server with everything that it needs: crypto payment processor and RPC gateway.',
    keywords,
    license,
    type: 'module',
    engines,
    bin: { tillgate: 'bin.js' },
    files: ['bin.js'],
    dependencies: { tillgate: version, ...Object.fromEntries(pinned) },
  };
}

function stateOfSources() {
  const hash = createHash('sha256');
  for (const path of [
    ...files,
    'package-lock.json',
    'tsconfig.json',
    'tsconfig.build.json',
    '.ci/build.mjs',
    ...filesOf(sources),
  ]) {
    hash.update(`${path}\0`).update(readFileSync(join(repository, path)));
  }
  return hash.digest('hex').slice(0, 16);
}

function pack(folder, target) {
  mkdirSync(folder, { recursive: true });
  build(join(folder, 'dist'));
  for (const path of [...sources, ...files]) cpSync(join(repository, path), join(folder, path), { recursive: true });
  writeFileSync(join(folder, 'package.json'), stripped(readFileSync(join(repository, 'package.json'), 'utf8')));
  return npmPack(folder, target);
}

function npmPack(folder, target) {
  const told = execFileSync('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', target], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return join(target, JSON.parse(told)[0].filename);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  console.log(process.argv[2] === 'server' ? stageServer() : stage());
