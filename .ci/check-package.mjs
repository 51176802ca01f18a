// Checks the tarballs that would be published: their manifests with publint, and with attw ("are the types wrong") that
// the types of every entry resolve to what is imported.

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { PACKAGES } from './packages.mjs';
import { stage } from './stage.mjs';

const bin = (name) => fileURLToPath(new URL(`../node_modules/.bin/${name}`, import.meta.url));
const ATTW = ['--profile', 'esm-only', '--no-definitely-typed', '--format', 'ascii', '--no-emoji'];

const tarballs = await stage();
for (const { name, forwards } of PACKAGES) {
  const tarball = tarballs[name];
  // Where an entry is the whole of another package, that one is checked.
  const forwarded = Object.keys(forwards).flatMap((entry) => ['--exclude-entrypoints', entry]);
  execFileSync(process.execPath, [bin('publint'), 'run', tarball, '--strict'], { stdio: 'inherit' });
  execFileSync(process.execPath, [bin('attw'), tarball, ...ATTW, ...forwarded], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  console.log(`publint and attw find nothing wrong with ${name}.`);
}
