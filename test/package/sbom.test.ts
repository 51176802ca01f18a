import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { PACKAGES, isOurs, tested } from '../../.ci/packages.mjs';
import { repository } from '../support/source-tree.ts';
import { tarballs } from './project.ts';
import type { Tarballs } from './project.ts';

const PROGRAM = `import { billOfMaterials } from './.ci/build.mjs'; process.stdout.write(JSON.stringify(billOfMaterials()));`;

interface Bill {
  readonly bomFormat: string;
  readonly metadata: { readonly component: { readonly name: string } };
  readonly components: readonly {
    readonly name: string;
    readonly version: string;
    readonly hashes?: readonly unknown[];
  }[];
}

/** Writes the project that the audit looks at into the folder that the argument names. */
const AUDITED = `import { writeProject } from './.ci/audit.mjs'; await writeProject(process.argv[1]);`;
const DASHBOARD = 'host/dashboard/files';
/** Of the development alone. */
const TOOLS = ['c8', 'esbuild', 'knip', 'playwright-core', 'prettier', 'solc', 'tsx', 'typedoc'];

const run = (program: string, ...args: readonly string[]): string =>
  execFileSync(
    process.execPath,
    ['--import', import.meta.resolve('tsx'), '--input-type=module', '-e', program, ...args],
    {
      cwd: repository,
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
const fileIn = (tarball: string, path: string): string =>
  execFileSync('tar', ['-xOzf', tarball, `package/${path}`], { encoding: 'utf8', maxBuffer: 2 ** 26 });

test('the build lists every package that the lock file names, each with its hash, the same each time', () => {
  const made = (): string => run(PROGRAM);
  const text = made();
  const { bomFormat, metadata, components } = JSON.parse(text) as Bill;
  assert.deepEqual([bomFormat, metadata.component.name], ['CycloneDX', 'tillgate']);
  const { packages } = JSON.parse(readFileSync(join(repository, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version?: string; link?: boolean }>;
  };
  const locked = new Set(
    Object.entries(packages)
      .filter(([path]) => path !== '')
      .map(([path, { version }]) => `${path.slice(path.lastIndexOf('node_modules/') + 13)}@${version ?? ''}`),
  );
  const listed = new Set(components.map(({ name, version }) => `${name}@${version}`));
  assert.deepEqual(
    [...locked].filter((name) => !listed.has(name)),
    [],
  );
  assert.deepEqual(
    components.filter(({ hashes = [] }) => hashes.length === 0),
    [],
  );
  assert.equal(made(), text);
});

test('each package lists what it contains and what it brings, without the tools of the development; the audit looks at all of it', async (t) => {
  const packed = await tarballs();
  const folder = mkdtempSync(join(tmpdir(), 'tillgate-audit-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  run(AUDITED, folder);
  const told = execFileSync('npm', ['ls', '--all', '--omit=dev', '--package-lock-only', '--parseable', '--long'], {
    cwd: folder,
    encoding: 'utf8',
  });
  const audited = new Set([...told.matchAll(/node_modules\/\S+?:([^:\s]+)/g)].map(([, each = '']) => each));
  for (const { name, dependencies, files } of PACKAGES) {
    const tarball = packed[name as keyof Tarballs];
    const { components } = JSON.parse(fileIn(tarball, 'sbom.cdx.json')) as Bill;
    const listed = new Set(components.map((each) => `${each.name}@${each.version}`));
    const licences = ['licences.txt', ...(files.includes(DASHBOARD) ? [`dist/files/${DASHBOARD}/licences.txt`] : [])];
    const contained = licences.flatMap((path) =>
      [...fileIn(tarball, path).matchAll(/^(\S+) (\d\S*) \(.*\)$/gm)].map(([, each, version]) => `${each}@${version}`),
    );
    const brought = dependencies.filter((each) => !isOurs(each)).map((each) => `${each}@${tested(each)}`);
    for (const each of [...contained, ...brought]) assert.ok(listed.has(each), `${name} does not list ${each}`);
    for (const each of listed) assert.ok(audited.has(each), `${each} of ${name} is not audited`);
    for (const tool of TOOLS)
      assert.ok(![...listed].some((each) => each.startsWith(`${tool}@`)), `${name} lists ${tool}`);
  }
  for (const tool of TOOLS) assert.ok(![...audited].some((each) => each.startsWith(`${tool}@`)), `${tool} is audited`);
});
