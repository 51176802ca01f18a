import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { Metafile } from 'esbuild';
import { repository } from '../support/source-tree.ts';

/** An entry point of the package, and what an import of it loads at once. */
export interface EntryPoint {
  /** As a program imports it: `tillgate/plugins/ethereum`. */
  readonly name: string;
  /** The packages, in order. */
  readonly packages: readonly string[];
  /** Our own files, relative to the repository. */
  readonly files: readonly string[];
}

/** Every entry point that package.json exports, with its closure of static imports: what is imported later is not in it. */
export async function entryPoints(): Promise<readonly EntryPoint[]> {
  const sources = exportedSources();
  const { metafile } = await build({
    absWorkingDir: repository,
    entryPoints: [...sources.values()],
    outdir: 'temp/entry-points',
    bundle: true,
    write: false,
    metafile: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
  return [...sources].map(([name, source]) => ({ name, ...closureOf(source, metafile.inputs) }));
}

function exportedSources(): Map<string, string> {
  const { exports } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
    exports: Record<string, string | { default: string }>;
  };
  const indexes = ['core', 'adapters', 'plugins', 'host'].flatMap((folder) =>
    readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => /(?:^|\/)index\.ts$/.test(path) && !path.includes('dashboard/app'))
      .map((path) => `${folder}/${path}`),
  );
  const found = new Map<string, string>();
  for (const [name, target] of Object.entries(exports)) {
    if (typeof target === 'string') continue;
    const [before = '', after] = target.default.replace('./dist/', '').replace(/\.js$/, '.ts').split('*');
    if (after === undefined) found.set(name, before);
    else
      for (const path of indexes.filter(
        (each) => each.startsWith(before) && each.endsWith(after) && each.length > before.length + after.length,
      ))
        found.set(name.replace('*', path.slice(before.length, -after.length)), path);
  }
  return new Map([...found].map(([name, path]) => [`tillgate${name.slice(1)}`, path]));
}

function closureOf(source: string, inputs: Metafile['inputs']): Pick<EntryPoint, 'packages' | 'files'> {
  const packages = new Set<string>();
  const files = new Set([source]);
  for (const file of files)
    for (const { path, kind, external } of inputs[file]?.imports ?? []) {
      if (kind === 'dynamic-import') continue;
      if (external !== true) files.add(path);
      else if (!path.startsWith('node:')) packages.add(/^(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? path);
    }
  return { packages: [...packages].sort(), files: [...files].sort() };
}
