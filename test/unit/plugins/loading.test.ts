import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { build } from 'esbuild';
import type { Metafile } from 'esbuild';
import { repository } from '../../support/source-tree.ts';

/** What importing a module loads at once: the repository's files and packages. Types and `import()` load nothing. */
async function loadedBy(entry: string): Promise<ReadonlySet<string>> {
  const { metafile } = await build({
    entryPoints: [entry],
    absWorkingDir: repository,
    bundle: true,
    metafile: true,
    write: false,
    outdir: 'unwritten',
    splitting: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'error',
  });
  return reachable(metafile, entry);
}

function reachable({ inputs }: Metafile, entry: string): ReadonlySet<string> {
  const seen = new Set([entry]);
  for (const path of seen) {
    for (const { path: target, kind } of inputs[path]?.imports ?? []) if (kind === 'import-statement') seen.add(target);
  }
  return seen;
}

const chainFamilies = (files: ReadonlySet<string>): string[] =>
  [...new Set([...files].flatMap((path) => /^adapters\/chains\/(evm|tron|utxo)\//.exec(path)?.[1] ?? []))].sort();
const packages = (files: ReadonlySet<string>): string[] =>
  ['@scure/btc-signer', 'viem', 'lossless-json'].filter((name) =>
    [...files].some((path) => path === name || path.startsWith(`${name}/`)),
  );

describe('what a plugin loads', () => {
  const expected: Readonly<
    Record<string, { readonly families: readonly string[]; readonly without: readonly string[] }>
  > = {
    lightning: { families: [], without: ['@scure/btc-signer', 'viem'] },
    ethereum: { families: ['evm'], without: ['@scure/btc-signer'] },
    bsc: { families: ['evm'], without: ['@scure/btc-signer'] },
    evm: { families: ['evm'], without: ['@scure/btc-signer'] },
    bitcoin: { families: ['utxo'], without: ['viem'] },
    litecoin: { families: ['utxo'], without: ['viem'] },
    // Its addresses and its contract calls are those of EVM chains in another spelling.
    tron: { families: ['evm', 'tron'], without: ['@scure/btc-signer'] },
  };
  for (const [name, { families, without }] of Object.entries(expected)) {
    test(`${name} loads its own family of chains only`, async () => {
      const files = await loadedBy(`plugins/${name}/index.ts`);
      assert.ok(files.has('core/index.ts'), 'the module graph was not read');
      assert.deepEqual(chainFamilies(files), families);
      for (const unwanted of without) assert.ok(!packages(files).includes(unwanted), `${name} loads ${unwanted}`);
    });
  }

  test('the host loads no chain before the settings name one', async () => {
    const files = await loadedBy('host/boot/plugins.ts');
    assert.deepEqual(chainFamilies(files), []);
    assert.deepEqual(packages(files), []);
  });
});
