import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { repository } from '../support/source-tree.ts';

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

test('the build lists every package that the lock file names, each with its hash, the same each time', () => {
  const made = (): string =>
    execFileSync(process.execPath, ['--import', import.meta.resolve('tsx'), '--input-type=module', '-e', PROGRAM], {
      cwd: repository,
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
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
