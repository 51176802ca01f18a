import { build } from 'esbuild';
import type { Metafile } from 'esbuild';
import { PACKAGES } from '../../.ci/packages.mjs';
import { repository } from '../support/source-tree.ts';

/** An entry point of a package, and what an import of it loads at once. */
export interface EntryPoint {
  /** As a program imports it: `tillgate/plugins/ethereum`. */
  readonly name: string;
  /** The packages, in order. */
  readonly packages: readonly string[];
  /** Our own files, relative to the repository. */
  readonly files: readonly string[];
}

/** Every entry point with its closure of static imports: what is imported later is not in it. */
export async function entryPoints(): Promise<readonly EntryPoint[]> {
  const sources = PACKAGES.flatMap(({ name, entries }) =>
    Object.entries(entries).map(([entry, source]) => [`${name}${entry.slice(1)}`, source] as const),
  );
  const { metafile } = await build({
    absWorkingDir: repository,
    entryPoints: [...new Set(sources.map(([, source]) => source))],
    outdir: 'temp/entry-points',
    bundle: true,
    write: false,
    metafile: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
  return sources.map(([name, source]) => ({ name, ...closureOf(source, metafile.inputs) }));
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
