// Publishes the packages, each after those that it depends on. A package that the registry has already is left out, so
// that a publication that failed half-way is run again.
//
//   node --import tsx .ci/publish.mjs NAME … [--FLAG …]    the flags go on to `npm publish`

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { pathToFileURL } from 'node:url';

/**
 * Publishes tarballs in the order given. Returns the names of those that the registry did not have. Fails where it has
 * another tarball under the same version, since what was published cannot be changed.
 */
export function publish(packages, { flags = [], ...options } = {}) {
  const missing = packages.filter(({ name, version, tarball }) => {
    const known = publishedIntegrity(`${name}@${version}`, options);
    if (known === null) {
      execFileSync('npm', ['publish', tarball, ...flags], { ...options, stdio: ['ignore', 2, 2] });
      return true;
    }
    const integrity = `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`;
    if (known !== integrity) throw new Error(`${name}@${version} is published already, with other content`);
    return false;
  });
  return missing.map(({ name }) => name);
}

/** The checksum of a published package; null if there is none of this name and version. */
function publishedIntegrity(spec, options) {
  try {
    const told = execFileSync('npm', ['view', spec, 'dist.integrity', '--json'], {
      ...options,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return told.trim() === '' ? null : JSON.parse(told);
  } catch (error) {
    if (JSON.parse(error.stdout || '{}').error?.code === 'E404') return null;
    throw error;
  }
}

async function main(args) {
  const names = args.filter((arg) => !arg.startsWith('--'));
  // Only this needs the build's packages.
  const { stage } = await import('./stage.mjs');
  const tarballs = await stage();
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const packages = names.map((name) => {
    if (!(name in tarballs)) throw new Error(`there is no package ${name}`);
    return { name, version, tarball: tarballs[name] };
  });
  const published = publish(packages, { flags: args.filter((arg) => arg.startsWith('--')) });
  console.log(published.length > 0 ? `Published: ${published.join(', ')}` : 'All of them are published already.');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main(process.argv.slice(2));
