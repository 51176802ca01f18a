// The documents and the operator's files of a package. They lie in it as in the repository, so that links between them hold; a link
// to a file that the package lacks becomes the address in the repository, or text where the repository has no address.

import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { repository, source } from './packages.mjs';

/** A relative link: its text, its path and its fragment. */
const LINK = /(?<!!)\[((?:[^\]\\]|\\.)*)\]\((?!https?:|mailto:|#)([^)#\s]+)(#[^)\s]*)?\)/g;

/** What the repository's guides say of its own folders, and what it is where the server was installed by npm. */
const INSTALLED = [
  [
    'git clone … /opt/tillgate && cd /opt/tillgate && npm ci && npm run build',
    'mkdir -p /opt/tillgate && cd /opt/tillgate && npm install @tillgate/server',
  ],
  ['dist/server/dist/bin.js', 'node_modules/@tillgate/server/dist/bin.js'],
  ['install -m 600 -o tillgate examples/', 'install -m 600 -o tillgate node_modules/@tillgate/server/examples/'],
  [
    'install -m 600 -o tillgate-signer examples/',
    'install -m 600 -o tillgate-signer node_modules/@tillgate/server/examples/',
  ],
  [
    'install -m 644 examples/self-host/tillgate.service examples/',
    'install -m 644 node_modules/@tillgate/server/examples/self-host/tillgate.service node_modules/@tillgate/server/examples/',
  ],
  ['install -m 755 examples/', 'install -m 755 node_modules/@tillgate/server/examples/'],
  ['npm run --silent tillgate --', 'npx tillgate'],
];

/** Every file of a package's documents, by its path in the package, with its path in the repository. */
export function documentsOf({ readme, documents }) {
  const paths = ['CHANGELOG.md', 'SECURITY.md', ...documents.flatMap(filesAt)];
  return new Map([['README.md', readme], ...paths.map((path) => [path, path])]);
}

/** Writes them into the folder of a package. @param address - of the repository's files in a browser; `null` when it has none */
export function writeDocuments(each, folder, address = addressOf(source)) {
  const documents = documentsOf(each);
  for (const [place, path] of documents) {
    mkdirSync(dirname(join(folder, place)), { recursive: true });
    if (/\.(?:json|yml)$/.test(path)) cpSync(join(repository, path), join(folder, place));
    else {
      const text = asInstalled(path, readFileSync(join(repository, path), 'utf8'));
      writeFileSync(
        join(folder, place),
        path.endsWith('.md') ? withLinks(text, { place, path, documents, address }) : text,
      );
    }
  }
}

/** Links of a document as they hold in the package. */
function withLinks(text, { place, path, documents, address }) {
  const places = new Map([...documents].map(([at, from]) => [from, at]));
  return text.replaceAll(LINK, (_link, words, target, fragment = '') => {
    const meant = normalize(join(dirname(path), target)).replace(/\/$/, '');
    const within =
      places.get(meant) ?? ([...places.values()].some((at) => at.startsWith(`${meant}/`)) ? meant : undefined);
    if (within !== undefined) return `[${words}](${relative(dirname(place), within) || '.'}${fragment})`;
    return address === null
      ? `${words} (\`${meant}\` in the repository)`
      : `[${words}](${address}/${meant}${fragment})`;
  });
}

const asInstalled = (path, text) =>
  path.startsWith('examples/self-host/') || path === 'host/README.md'
    ? INSTALLED.reduce((changed, [here, there]) => changed.replaceAll(here, there), text)
    : text;

/** Where a browser shows the files of a repository; `null` for one without an address. */
function addressOf(from) {
  const [, url] = /^(?:git\+)?(https:\/\/.+?)(?:\.git)?$/.exec(from?.url ?? '') ?? [];
  return url === undefined ? null : `${url}/blob/main`;
}

function filesAt(path) {
  if (!existsSync(join(repository, path))) throw new Error(`${path} is a document of a package, and missing`);
  if (!statSync(join(repository, path)).isDirectory()) return [path];
  return readdirSync(join(repository, path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(repository, join(entry.parentPath, entry.name)))
    .sort();
}
