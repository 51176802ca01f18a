import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import type { Plugin } from 'esbuild';

/** The folder of the repository, without a slash at its end. */
export const repository = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

export const FOLDERS = ['core', 'adapters', 'plugins', 'host', 'examples', 'test'] as const;
const PROGRAM = /\.tsx?$/;
/** Packages of hundreds of small modules, which every process would read one by one; all of these are written as modules. */
const BUNDLED = /^(viem|zod|inversify|jose|@(simplewebauthn|scure|noble))(\/|$)/;
/** Where they are, in the folder of the compiled files. */
const PACKAGES = 'packages';
/** What they use in turn may ask for `require`, which a module does not have. */
const REQUIRE =
  "import { createRequire as __createRequire } from 'node:module';\nconst require = __createRequire(import.meta.url);\n";
/** What test files get in place of node:test. */
export const REGISTRATION_SOURCE = 'test/runner/registration.ts';
/** Compiled modules run from another folder, but look for files beside their source. */
const SOURCE_URL = '__sourceUrl';

/** One import of a source file. */
interface Import {
  /** The imported source, relative to the repository. */
  readonly path: string;
  /** `import()`: loaded only when the code gets there. */
  readonly dynamic: boolean;
}

/** All sources, compiled once. */
export interface Compiled {
  readonly folder: string;
  /** What each source imports of the repository. */
  readonly imports: ReadonlyMap<string, readonly Import[]>;
  remove(): void;
}

/** The program files of the repository, relative to it, in the order of their names. */
export function sourceFiles(): string[] {
  return FOLDERS.flatMap((folder) =>
    readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' }).map(
      (path) => `${folder}/${path.replaceAll('\\', '/')}`,
    ),
  )
    .filter((path) => PROGRAM.test(path) && !path.endsWith('.d.ts') && !path.includes('/node_modules/'))
    .sort();
}

/** The compiled file of a source, relative to the folder of all compiled files. */
export const compiledName = (path: string): string => path.replace(PROGRAM, '.js');

/**
 * Compiles every source to a file of its own, one to one and with source maps, so that stack traces, debuggers and
 * coverage name the sources. It takes about a second; loading sources through a loader takes that in each process. The packages
 * of many modules are put together beside them.
 *
 * @param name - of a folder in the repository's `temp`, where the compiled files find the packages
 */
export async function compileSources(name: string): Promise<Compiled> {
  const folder = join(repository, 'temp', name);
  const entryPoints = sourceFiles();
  const packages = new Set<string>();
  const { metafile } = await build({
    absWorkingDir: repository,
    entryPoints,
    outbase: repository,
    outdir: folder,
    // Bundling with every import left outside: a file stays a file, and only the names of imports change.
    bundle: true,
    treeShaking: false,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: 'inline',
    sourcesContent: false,
    define: { 'import.meta.url': SOURCE_URL },
    metafile: true,
    logLevel: 'error',
    plugins: [oneToOne(packages)],
  });
  await bundlePackages(packages, join(folder, PACKAGES));
  const sources = new Map(entryPoints.map((path) => [compiledName(path), path]));
  const imports = new Map<string, Import[]>();
  for (const { entryPoint, imports: found } of Object.values(metafile.outputs)) {
    if (entryPoint === undefined) continue;
    const targets = found.map(({ path, kind }) => ({
      path: sources.get(posix.join(posix.dirname(entryPoint), path)),
      dynamic: kind === 'dynamic-import',
    }));
    imports.set(
      entryPoint,
      targets.filter((each): each is Import => each.path !== undefined),
    );
  }
  return { folder, imports, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** The file of a package's entry point, relative to the folder of all packages. */
const bundledName = (specifier: string): string => `${specifier.replaceAll('/', '+')}.js`;

async function bundlePackages(specifiers: ReadonlySet<string>, folder: string): Promise<void> {
  await build({
    absWorkingDir: repository,
    entryPoints: [...specifiers].map((specifier) => ({ in: specifier, out: bundledName(specifier).slice(0, -3) })),
    outdir: folder,
    bundle: true,
    // What several of them use is there once.
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    banner: { js: REQUIRE },
    logLevel: 'error',
  });
}

/** The sources that the project's own name stands for in its examples, as `exports` of package.json says. */
const ENTRIES = Object.entries(
  (JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as { exports: Record<string, string> }).exports,
);

/** The source of `tillgate/plugins/tron`, relative to the file that imports it. */
function sourceOfEntry(specifier: string, importer: string): string {
  const wanted = specifier.replace(/^tillgate/, '.');
  const found = ENTRIES.flatMap(([entry, source]) => {
    const [before = '', after] = entry.split('*');
    if (after === undefined) return entry === wanted ? [source] : [];
    return wanted.startsWith(before) ? [source.replace('*', wanted.slice(before.length))] : [];
  });
  const path = posix.relative(
    posix.dirname(relative(repository, importer).replaceAll('\\', '/')),
    found[0] ?? specifier,
  );
  return path.startsWith('.') ? path : `./${path}`;
}

/** @param packages - gets the entry points of packages that the sources import and that are to be bundled */
const oneToOne = (packages: Set<string>): Plugin => ({
  name: 'one to one',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: BUNDLED }, ({ path, importer }) => {
      packages.add(path);
      const from = posix.dirname(relative(repository, importer).replaceAll('\\', '/'));
      const file = posix.relative(from, posix.join(PACKAGES, bundledName(path)));
      return { path: file.startsWith('.') ? file : `./${file}`, external: true };
    });
    onResolve({ filter: /^node:test$/ }, ({ path, importer }) => {
      const importing = relative(repository, importer).replaceAll('\\', '/');
      if (importing === REGISTRATION_SOURCE) return { path, external: true };
      const file = posix.relative(posix.dirname(importing), compiledName(REGISTRATION_SOURCE));
      return { path: file.startsWith('.') ? file : `./${file}`, external: true };
    });
    onResolve({ filter: /^\.|^tillgate(\/|$)/ }, ({ path, kind, importer, resolveDir }) => {
      if (kind === 'entry-point') return undefined;
      // Programs of the build are no sources.
      if (path.endsWith('.mjs')) return { path: pathToFileURL(join(resolveDir, path)).href, external: true };
      return { path: compiledName(path.startsWith('.') ? path : sourceOfEntry(path, importer)), external: true };
    });
    onLoad({ filter: PROGRAM }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      const loader = path.endsWith('x') ? 'tsx' : 'ts';
      if (!text.includes('import.meta.url')) return { contents: text, loader };
      const constant = `const ${SOURCE_URL} = ${JSON.stringify(pathToFileURL(path).href)};`;
      const [, shebang = ''] = /^(#!.*\n)?/.exec(text) ?? [];
      return { contents: `${shebang}${constant}${text.slice(shebang.length)}`, loader };
    });
  },
});

/**
 * All sources that a file loads.
 *
 * @param dynamic - whether `import()` counts
 */
export function reached({ imports }: Compiled, from: string, dynamic: boolean): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (path: string): void => {
    if (found.has(path)) return;
    found.add(path);
    for (const each of imports.get(path) ?? []) if (dynamic || !each.dynamic) visit(each.path);
  };
  visit(from);
  return found;
}
