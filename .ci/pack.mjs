// Keeps the test node (`optionalDependencies`: anvil) out of the published manifest, so that an embedder of the core
// does not install it. `npm pack` and `npm publish` call this around the build of the tarball.
//
//   node .ci/pack.mjs strip     saves package.json and writes it without the fields that only the repository needs
//   node .ci/pack.mjs restore   restores the saved file

import { copyFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const manifest = new URL('../package.json', import.meta.url);
const saved = new URL('../.package.json.before-pack', import.meta.url);
/** Useless in the tarball, or harmful: npm would install the optional ones. */
const repositoryOnly = ['optionalDependencies', 'devDependencies', 'allowScripts'];

function strip() {
  // An interrupted pack left a stripped manifest behind, so the saved one is restored first.
  if (existsSync(saved)) renameSync(saved, manifest);
  copyFileSync(manifest, saved);
  writeFileSync(manifest, stripped(readFileSync(manifest, 'utf8')));
}

/** The text of a manifest without the fields that only the repository needs. */
export function stripped(text) {
  const kept = JSON.parse(text);
  for (const field of repositoryOnly) delete kept[field];
  return `${JSON.stringify(kept, null, 2)}\n`;
}

function restore() {
  // `npm publish` reads the manifest once more after `postpack`, and publishes that one in the registry, so the restore
  // must wait for `postpublish`.
  const publishing = process.env.npm_command === 'publish' && process.env.npm_lifecycle_event === 'postpack';
  if (!publishing && existsSync(saved)) renameSync(saved, manifest);
}

function main(command) {
  if (command === 'strip') strip();
  else if (command === 'restore') restore();
  else {
    console.error('usage: node .ci/pack.mjs strip|restore');
    process.exitCode = 2;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main(process.argv[2]);
