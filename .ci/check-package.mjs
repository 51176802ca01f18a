// Checks the tarball that would be published: its manifest with publint, and with attw ("are the types wrong") that the
// types of every entry resolve to what is imported.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { filesOf } from './build.mjs';
import { stage } from './stage.mjs';

const bin = (name) => fileURLToPath(new URL(`../node_modules/.bin/${name}`, import.meta.url));

/**
 * The entries of package.json; of each pattern the shallowest and the deepest, because all of its files resolve alike.
 */
function entries() {
  const { exports } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const sources = filesOf(['core', 'adapters', 'plugins', 'host']);
  const targets = Object.entries(exports).filter(([, target]) => typeof target === 'object');
  return targets.flatMap(([name, { default: built }]) => {
    if (!name.includes('*')) return [name];
    const [before, after] = built
      .replace(/^\.\/dist\//, '')
      .replace(/\.js$/, '.ts')
      .split('*');
    const found = sources
      .filter((path) => path.startsWith(before) && path.endsWith(after))
      .map((path) => name.replace('*', path.slice(before.length, -after.length)));
    const depth = (entry) => entry.split('/').length;
    const ordered = found.sort((a, b) => depth(a) - depth(b));
    return [...new Set([ordered.at(0), ordered.at(-1)])];
  });
}

const tarball = stage();
execFileSync(process.execPath, [bin('publint'), 'run', tarball, '--strict'], { stdio: 'inherit' });
execFileSync(
  process.execPath,
  [
    bin('attw'),
    tarball,
    '--profile',
    'esm-only',
    '--no-definitely-typed',
    '--format',
    'ascii',
    '--no-emoji',
    '--entrypoints',
    ...entries(),
  ],
  { stdio: ['ignore', 'pipe', 'inherit'] },
);
console.log('publint and attw find nothing wrong with the package.');
