import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Metafile } from 'esbuild';

/** The encodings of a file, with their file extensions. */
export const ENCODINGS = { br: '.br', gzip: '.gz', identity: '' } as const;
export type Encoding = keyof typeof ENCODINGS;

/** A file that the application loads. Its name contains a hash of its content, so that it may be cached for ever. */
export interface BundledFile {
  readonly name: string;
  readonly bodies: Readonly<Record<Encoding, Buffer>>;
}

export interface Bundle {
  readonly entry: string;
  /** The scripts that the entry imports at once. */
  readonly preloads: readonly string[];
  readonly files: ReadonlyMap<string, BundledFile>;
}

const LIST = 'bundle.json';
/** Names and licences of the bundled packages. */
export const LICENCES = 'licences.txt';

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

/** How hard Brotli tries: a package is compressed once for everybody, while a developer waits for the sources' bundle. */
export const EFFORT = { package: constants.BROTLI_MAX_QUALITY, sources: 5 } as const;

/**
 * Bundles the application from its sources.
 *
 * @param home - the folder of `package.json`
 * @param effort - Brotli's quality; the highest takes twenty times as long for a twentieth less
 * @throws Error when development packages are missing, or a source has an error
 */
export async function bundleDashboard(home: string, effort: number): Promise<Bundle> {
  const esbuild = await import('esbuild');
  const { outputFiles, metafile } = await esbuild.build({
    absWorkingDir: home,
    entryPoints: [{ in: 'host/dashboard/app/main.tsx', out: 'dashboard' }],
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'react',
    define: { 'process.env.NODE_ENV': '"production"' },
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    legalComments: 'none',
    logLevel: 'silent',
    metafile: true,
    write: false,
    outdir: 'out',
  });
  checkInputs(metafile);
  const files = await Promise.all([
    ...outputFiles.map(({ path, contents }) => compressed(basename(path), Buffer.from(contents), effort)),
    compressed(LICENCES, Buffer.from(licencesOf(metafile, home)), effort),
  ]);
  return { ...firstLoad(metafile), files: new Map(files.map((file) => [file.name, file])) };
}

/** Data of the HTTP edge that the application shows too, and the colours of the payer's page for its preview. */
const SHARED = ['adapters/http/greenfield/permission-table.ts', 'host/checkout/brand-colours.ts'];

/** Allows only the application's sources, core, packages and shared data, so that no server code reaches a browser. */
function checkInputs({ inputs }: Metafile): void {
  const allowed = /^(host\/dashboard\/app|core)\/|(^|\/)node_modules\//;
  const foreign = Object.keys(inputs).filter((path) => !allowed.test(path) && !SHARED.includes(path));
  if (foreign.length > 0) throw new Error(`The dashboard must not import ${foreign.join(', ')}.`);
}

async function compressed(name: string, body: Buffer, effort: number): Promise<BundledFile> {
  const params = { [constants.BROTLI_PARAM_QUALITY]: effort, [constants.BROTLI_PARAM_SIZE_HINT]: body.length };
  const [br, zipped] = await Promise.all([compressBrotli(body, { params }), compressGzip(body, { level: 9 })]);
  return { name, bodies: { br, gzip: zipped, identity: body } };
}

function firstLoad({ outputs }: Metafile): Pick<Bundle, 'entry' | 'preloads'> {
  const [entry] = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint?.endsWith('/main.tsx')) ?? [];
  if (entry === undefined) throw new Error('The bundle has no entry.');
  const found = new Set([entry]);
  for (const path of found)
    for (const { path: next, kind } of outputs[path]?.imports ?? []) if (kind === 'import-statement') found.add(next);
  found.delete(entry);
  return { entry: basename(entry), preloads: [...found].map((path) => basename(path)).sort() };
}

/** The licence texts of bundled packages, which must be distributed with them. */
export function licencesOf({ inputs }: Metafile, home: string): string {
  const folders = new Set(
    Object.keys(inputs).flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []),
  );
  return [...folders]
    .sort()
    .flatMap((folder) => {
      const manifest = join(home, folder, 'package.json');
      if (!existsSync(manifest)) return [];
      const { name, version, license } = JSON.parse(readFileSync(manifest, 'utf8')) as Record<string, string>;
      return `${name ?? folder} ${version ?? ''} (${license ?? 'see its package'})\n\n${licenceText(join(home, folder))}`;
    })
    .join('\n----\n\n');
}

function licenceText(folder: string): string {
  const name = ['LICENSE', 'LICENSE.md', 'LICENSE.txt', 'license', 'license.md', 'LICENCE', 'License'].find((each) =>
    existsSync(join(folder, each)),
  );
  return name === undefined ? '' : readFileSync(join(folder, name), 'utf8');
}

/** Writes a bundle into a folder atomically. */
export async function writeBundle({ entry, preloads, files }: Bundle, folder: string): Promise<void> {
  const work = `${folder}.${process.pid}`;
  await rm(work, { recursive: true, force: true });
  await mkdir(work, { recursive: true });
  for (const { name, bodies } of files.values())
    for (const [encoding, suffix] of Object.entries(ENCODINGS))
      await writeFile(join(work, name + suffix), bodies[encoding as Encoding]);
  await writeFile(join(work, LIST), JSON.stringify({ entry, preloads, names: [...files.keys()] }));
  await rm(folder, { recursive: true, force: true });
  await rename(work, folder);
}

/** The bundle of a folder; `null` where there is none. */
export async function readBundle(folder: string): Promise<Bundle | null> {
  if (!existsSync(join(folder, LIST))) return null;
  const list = JSON.parse(await readFile(join(folder, LIST), 'utf8')) as Pick<Bundle, 'entry' | 'preloads'> & {
    readonly names: readonly string[];
  };
  const files = await Promise.all(
    list.names.map(async (name): Promise<[string, BundledFile]> => {
      const body = (encoding: Encoding): Promise<Buffer> => readFile(join(folder, name + ENCODINGS[encoding]));
      const [br, zipped, identity] = await Promise.all([body('br'), body('gzip'), body('identity')]);
      return [name, { name, bodies: { br, gzip: zipped, identity } }];
    }),
  );
  return { entry: list.entry, preloads: list.preloads, files: new Map(files) };
}

/** A hash of everything that a bundle depends on. */
export async function stateOfSources(home: string): Promise<string> {
  const hash = createHash('sha256');
  const folders = ['host/dashboard/app', 'core'];
  for (const folder of folders) {
    const entries = await readdir(join(home, folder), { recursive: true, withFileTypes: true });
    const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    for (const path of paths.filter((each) => /\.tsx?$/.test(each)).sort())
      hash.update(`${relative(home, path).split(sep).join('/')}\0`).update(await readFile(path));
  }
  for (const path of ['package-lock.json', 'host/dashboard/bundle.ts', ...SHARED])
    hash.update(await readFile(join(home, path)));
  return hash.digest('hex').slice(0, 16);
}

/** Stores a bundle of sources, and removes those of other states. */
export async function keepBundle(bundle: Bundle, folder: string): Promise<void> {
  const home = dirname(folder);
  await mkdir(home, { recursive: true });
  const former = (await readdir(home)).filter((name) => !name.startsWith(basename(folder)) && !name.includes('.'));
  for (const name of former) await rm(join(home, name), { recursive: true, force: true });
  await writeBundle(bundle, folder);
}
