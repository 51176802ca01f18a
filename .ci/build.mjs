// Builds the packages of packages.mjs, each a folder that npm can pack or install: bundled JavaScript and types, the
// files that are read at run time, the licences of what was bundled, and the list of all packages in the lock file
// (CycloneDX).
//
//   npm run build               into dist
//   npm run build -- FOLDER     into another folder

import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build as bundle } from 'esbuild';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';
import { EFFORT, LICENCES, bundleDashboard, licencesOf, writeBundle } from '../host/dashboard/bundle.ts';
import { flattenTypes } from './flatten-types.mjs';
import { joinAugmentations } from './join-augmentations.mjs';
import { writeDocuments } from './package-documents.mjs';
import { PACKAGES, entryFile, folderOf, isOurs, manifestOf, outsideOf, repository, tested } from './packages.mjs';

const RECORDS = 'adapters/client/records';
const DASHBOARD = 'host/dashboard/files';
/** Bundled packages that are CommonJS load Node's modules by `require`, which a module does not have. */
const REQUIRE = `import { createRequire as createRequireOfBundle } from 'node:module';
const require = createRequireOfBundle(import.meta.url);`;

/** Builds every package into a folder, which is emptied first. */
export async function build(target = join(repository, 'dist')) {
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  const work = mkdtempSync(join(target, '.work-'));
  try {
    declare(join(work, 'types'));
    await writeBundle(await bundleDashboard(repository, EFFORT.package), join(work, DASHBOARD));
    const bill = billOfMaterials();
    for (const each of PACKAGES) {
      const folder = join(target, folderOf(each));
      const { metafile } = await bundleScripts(each, join(folder, 'dist'));
      await bundleTypes(each, join(work, 'types'), join(folder, 'dist'));
      for (const [entry, whole] of Object.entries(each.forwards))
        for (const extension of ['js', 'd.ts'])
          write(folder, `dist/${entryFile(entry)}.${extension}`, `export * from '${whole}';\n`);
      for (const path of each.files) copy(path === DASHBOARD ? work : repository, path, join(folder, 'dist/files'));
      copy(repository, 'LICENSE', folder);
      writeDocuments(each, folder);
      const licences = licencesOf(metafile, repository);
      write(folder, 'licences.txt', licences);
      const inDashboard = each.files.includes(DASHBOARD) ? readFileSync(join(work, DASHBOARD, LICENCES), 'utf8') : '';
      const contained = [licences, inDashboard].flatMap(packagesIn);
      write(folder, 'sbom.cdx.json', `${JSON.stringify(billOf(each, contained, bill), null, 2)}\n`);
      write(folder, 'package.json', `${JSON.stringify(manifestOf(each), null, 2)}\n`);
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

const write = (folder, name, text) => writeFileSync(join(folder, name), text);

function copy(from, path, to) {
  mkdirSync(dirname(join(to, path)), { recursive: true });
  cpSync(join(from, path), join(to, path), {
    recursive: true,
    filter: (source) => basename(source) !== 'tsconfig.json',
  });
}

/** Writes the declarations of every source file. */
function declare(folder) {
  const tsc = join(repository, 'node_modules/typescript7/bin/tsc');
  const project = join(repository, 'tsconfig.build.json');
  execFileSync(process.execPath, [tsc, '-p', project, '--outDir', folder], { stdio: ['ignore', 2, 2] });
  flattenTypes(join(repository, `${RECORDS}.ts`), join(folder, `${RECORDS}.d.ts`), project);
  joinAugmentations(folder);
}

/** One file for each entry, and shared files, all in one folder. */
async function bundleScripts(each, outdir) {
  const sources = Object.entries(each.entries).map(([entry, source]) => ({ out: entryFile(entry), in: source }));
  if (each.bin !== null) sources.push({ out: 'bin', in: each.bin });
  return await bundle({
    absWorkingDir: repository,
    entryPoints: sources,
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    external: outsideOf(each),
    banner: { js: REQUIRE },
    chunkNames: 'shared-[hash]',
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
    plugins: [keepPlaces],
  });
}

/** A source file finds its own files at its path below `files`, wherever its code is bundled. */
const keepPlaces = {
  name: 'keep-places',
  setup({ onLoad }) {
    onLoad({ filter: /\/(?:core|adapters|plugins|host)\/.*\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      if (!text.includes('import.meta.url') || path.includes('node_modules')) return null;
      const place = JSON.stringify(`./files/${relative(repository, path).replace(/\.ts$/, '.js')}`);
      return { contents: text.replaceAll('import.meta.url', `new URL(${place}, import.meta.url).href`), loader: 'ts' };
    });
  },
};

/** The types of each entry, without those that no entry refers to. */
async function bundleTypes(each, types, outdir) {
  const input = Object.fromEntries(
    Object.entries(each.entries).map(([entry, source]) => [
      entryFile(entry),
      join(types, source.replace(/\.ts$/, '.d.ts')),
    ]),
  );
  const outside = new Set();
  const bundled = await rollup({
    input,
    plugins: [dts({ tsconfig: join(repository, 'tsconfig.build.json') })],
    external: (name) => {
      const isOutside = !name.startsWith('.') && !name.startsWith('/');
      if (isOutside && !name.startsWith('node:')) outside.add(packageOf(name));
      return isOutside;
    },
    onwarn: (warning) => {
      // The entries offer what their users name themselves; a type that only follows from others stays private.
      const expected = warning.code === 'CIRCULAR_DEPENDENCY' || warning.message.includes('no public re-export');
      if (!expected) throw new Error(`${each.name}: ${warning.message}`);
    },
  });
  const { output } = await bundled.write({
    dir: outdir,
    entryFileNames: '[name].d.ts',
    chunkFileNames: 'types-[hash].d.ts',
  });
  const named = new Set(output.flatMap(({ imports = [] }) => imports).filter((name) => outside.has(packageOf(name))));
  const missing = [...named].map(packageOf).filter((name) => !each.dependencies.includes(name));
  if (missing.length > 0)
    throw new Error(`The types of ${each.name} name ${[...new Set(missing)].join(', ')}, which it does not depend on.`);
}

const packageOf = (specifier) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)[0];

/** The packages of the lock file as CycloneDX, the same for the same sources. */
export function billOfMaterials() {
  const options = ['sbom', '--package-lock-only', '--sbom-format=cyclonedx'];
  const text = execFileSync('npm', options, {
    cwd: repository,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    stdio: ['ignore', 'pipe', 2],
  });
  const { serialNumber: _serial, ...bill } = JSON.parse(text);
  delete bill.metadata.timestamp;
  // npm names it after the folder.
  bill.metadata.component.name = 'tillgate';
  return bill;
}

/** What of them a package contains, as `NAME@VERSION`, and what is installed with it. */
function billOf(each, contained, bill) {
  const refs = new Set();
  const visit = (ref) => {
    if (refs.has(ref)) return;
    refs.add(ref);
    for (const next of bill.dependencies.find((known) => known.ref === ref)?.dependsOn ?? []) visit(next);
  };
  each.dependencies.filter((name) => !isOurs(name)).forEach((name) => visit(`${name}@${tested(name)}`));
  contained.forEach((ref) => refs.add(ref));
  return {
    ...bill,
    metadata: { ...bill.metadata, component: { ...bill.metadata.component, name: each.name } },
    components: bill.components.filter((known) => refs.has(known['bom-ref'])),
    dependencies: bill.dependencies
      .filter(({ ref }) => refs.has(ref))
      .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((next) => refs.has(next)) })),
  };
}

/** The packages in a text of `licencesOf`, as `NAME@VERSION`. */
const packagesIn = (licences) =>
  [...licences.matchAll(/^(\S+) (\d\S*) \(.*\)$/gm)].map(([, name, version]) => `${name}@${version}`);

/** Every file of these folders, relative to the repository, sorted. */
export function filesOf(folders) {
  return folders.flatMap((folder) =>
    readdirSync(join(repository, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(repository.length))
      .sort(),
  );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  await build(process.argv[2] === undefined ? undefined : resolve(process.argv[2]));
