// What is published: four packages of one version, each bundled from this one tree. Everything about a package that the
// build, the checks and the tests need to know stands here.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const repository = fileURLToPath(new URL('..', import.meta.url));

const {
  version,
  license,
  engines,
  keywords,
  repository: sourceOfManifest,
  devDependencies,
} = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

/** The repository as package.json names it, where the workflow that publishes writes it; undefined without an address. */
export const source = sourceOfManifest;

/** The built-in plugins, each an entry of its own, so that an application loads the chains that it uses. */
const plugins = ['bitcoin', 'bsc', 'chat', 'ethereum', 'evm', 'lightning', 'litecoin', 'sandbox', 'smtp', 'tron'];

/**
 * Packages that every till loads. They are installed beside the bundle because an application shares them (knex, zod,
 * jose, undici, the container) or because they ship their own types to ours. Everything else that is used is small once
 * unused code is gone, or brings many packages with it, and is bundled; `licences.txt` and `sbom.cdx.json` name it.
 */
const dependencies = ['eventemitter3', 'inversify', 'jose', 'knex', 'reflect-metadata', 'undici', 'zod'];

/** Packages that a choice of the user needs: a database, mail, measurements, faster derivation of addresses. */
const choices = ['@opentelemetry/api', 'ioredis', 'nodemailer', 'pg', 'prom-client', 'sqlite3', 'tiny-secp256k1'];

/** What the pages of a till are made of. */
const pages = [
  'host/api-docs/browser',
  'host/api-docs/guides',
  'host/checkout/browser',
  'host/claims/browser',
  'host/greenfield/browser',
  'host/links/browser',
  'examples/receive-callbacks',
];

/** What an operator needs besides the program. The files for containers belong to the repository, from which the image is built. */
const operation = [
  'host/README.md',
  'host/security.md',
  'examples/self-host/README.md',
  ...['Caddyfile', 'nginx.conf', 'grafana', 'prometheus'],
  ...['tillgate-command', 'tillgate.service', 'tillgate.config.json', 'tillgate-signer.service', 'signer.config.json'],
].map((path) => (path.includes('/') ? path : `examples/self-host/${path}`));

/**
 * @typedef {object} Package
 * @property {string} name
 * @property {string} description
 * @property {Readonly<Record<string, string>>} entries the source of each entry point
 * @property {Readonly<Record<string, string>>} forwards further entry points, each the whole of another of these packages
 * @property {string | null} bin the source of the command `tillgate`
 * @property {readonly string[]} dependencies packages installed with it
 * @property {readonly string[]} peers packages that a choice needs
 * @property {readonly string[]} files sources whose files are read at run time, relative to the repository
 * @property {string} readme
 * @property {readonly string[]} documents further documents and files for its users, or folders of them, at their paths in the repository
 */

/** @type {readonly Package[]} */
export const PACKAGES = [
  {
    name: 'tillgate',
    description: 'Take crypto payments and sell access to blockchain nodes inside a Node application.',
    entries: {
      '.': 'host/embed/index.ts',
      './plugin': 'plugins/index.ts',
      ...Object.fromEntries(plugins.map((name) => [`./plugins/${name}`, `plugins/${name}/index.ts`])),
    },
    forwards: { './client': '@tillgate/client', './testing': '@tillgate/testing' },
    bin: null,
    dependencies: [...dependencies, '@tillgate/client'],
    peers: [...choices, '@tillgate/testing'],
    files: pages,
    readme: 'host/embed/README.md',
    documents: [],
  },
  {
    name: '@tillgate/server',
    description: 'The Tillgate server: a self-hosted crypto payment processor and RPC gateway.',
    entries: { '.': 'host/index.ts' },
    forwards: {},
    bin: 'host/bin.ts',
    dependencies: [...dependencies, ...choices, 'express', 'pino', 'tillgate'],
    peers: [],
    files: [...pages, 'host/dashboard/files'],
    readme: '.ci/server-package/README.md',
    documents: operation,
  },
  {
    name: '@tillgate/client',
    description: 'The client of a Tillgate server for merchants: orders, payouts, and verification of callbacks.',
    entries: { '.': 'adapters/client/index.ts' },
    forwards: {},
    bin: null,
    dependencies: [],
    peers: [],
    files: [],
    readme: 'adapters/client/README.md',
    documents: [],
  },
  {
    name: '@tillgate/testing',
    description: 'Conformance suites for Tillgate plugins, with node:test.',
    entries: { '.': 'adapters/testing/index.ts' },
    forwards: {},
    bin: null,
    dependencies: ['tillgate'],
    peers: [],
    files: [],
    readme: 'adapters/testing/README.md',
    documents: [],
  },
];

/** The folder of a package among those built: the last part of its name. */
export const folderOf = ({ name }) => name.slice(name.indexOf('/') + 1);

/** The file of an entry, without its extension: `.` is `index`, `./plugins/tron` is `plugins-tron`. */
export const entryFile = (entry) => (entry === '.' ? 'index' : entry.slice(2).replaceAll('/', '-'));

/** What a package's bundles import and do not contain; esbuild is used only where the dashboard is built from sources. */
export const outsideOf = ({ dependencies: needed, peers }) => [...needed, ...peers, 'esbuild'];

/**
 * The manifest that is published. A library takes compatible versions, the server those that were tested. The repository is
 * that of package.json, where the workflow that publishes writes it: the provenance has to name the same.
 */
export function manifestOf(each, from = source) {
  const { name, description, entries, forwards, bin, dependencies: needed, peers, documents } = each;
  const range = bin === null ? '^' : '';
  const versionOf = (each) => (isOurs(each) ? version : `${range}${tested(each)}`);
  const listed = (names) => Object.fromEntries([...names].sort().map((each) => [each, versionOf(each)]));
  const target = (file) => ({ types: `./dist/${file}.d.ts`, default: `./dist/${file}.js` });
  return {
    name,
    version,
    description,
    keywords,
    license,
    ...(from !== undefined && { repository: from }),
    type: 'module',
    engines,
    exports: {
      ...Object.fromEntries(Object.keys({ ...entries, ...forwards }).map((entry) => [entry, target(entryFile(entry))])),
      './package.json': './package.json',
    },
    ...(bin !== null && { bin: { tillgate: 'dist/bin.js' } }),
    files: ['dist', 'licences.txt', 'sbom.cdx.json', 'CHANGELOG.md', 'SECURITY.md', ...documents],
    sideEffects: false,
    ...(needed.length > 0 && { dependencies: listed(needed) }),
    ...(peers.length > 0 && {
      peerDependencies: listed(peers),
      peerDependenciesMeta: Object.fromEntries([...peers].sort().map((each) => [each, { optional: true }])),
    }),
    publishConfig: { access: 'public', provenance: true },
  };
}

export const isOurs = (name) => name === 'tillgate' || name.startsWith('@tillgate/');

/** The version of a package that the tests use. */
export function tested(name) {
  const found = devDependencies[name];
  if (!/^\d+\.\d+\.\d+$/.test(found ?? '')) throw new Error(`no version is tested of ${name}`);
  return found;
}
