import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { entryPoints } from '../package/entry-points.ts';
import type { EntryPoint } from '../package/entry-points.ts';
import { missingPeer } from '../../host/boot/missing-peer.ts';
import { problemsOf } from '../../host/boot/plugins.ts';
import { repository } from '../support/source-tree.ts';

/** The package that marks a family of chains, and the plugins that may load it. */
const FAMILIES: Readonly<Record<string, readonly string[]>> = {
  viem: ['ethereum', 'bsc', 'evm', 'tron'],
  '@scure/btc-signer': ['bitcoin', 'litecoin'],
  'light-bolt11-decoder': ['lightning'],
};

describe('the entry points of the package', () => {
  let entries: readonly EntryPoint[];
  before(async () => {
    entries = await entryPoints();
  });

  test('need no more than the optional peers of package.json, core and client none', () => {
    const { peerDependencies } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
      peerDependencies: Record<string, string>;
    };
    for (const { name, packages } of entries)
      for (const each of packages) assert.ok(each in peerDependencies, `${name} needs ${each}`);
    for (const name of ['tillgate', 'tillgate/client'])
      assert.deepEqual(entries.find((entry) => entry.name === name)?.packages, [], name);
  });

  test('a plugin loads its own family of chains alone', () => {
    const plugins = entries.filter(({ name }) => name.startsWith('tillgate/plugins/'));
    assert.ok(plugins.length > 7);
    for (const { name, packages } of plugins) {
      const plugin = name.slice('tillgate/plugins/'.length);
      // The sandbox shows addresses of every form, and derives them.
      if (plugin === 'sandbox') continue;
      for (const [each, family] of Object.entries(FAMILIES))
        if (!family.includes(plugin)) assert.ok(!packages.includes(each), `${name} loads ${each}`);
    }
    const files = (plugin: string): readonly string[] =>
      plugins.find(({ name }) => name.endsWith(`/${plugin}`))?.files ?? [];
    for (const [plugin, others] of [
      ['ethereum', ['chains/utxo', 'chains/tron', 'adapters/lightning']],
      ['bitcoin', ['chains/evm', 'chains/tron', 'adapters/lightning']],
      ['lightning', ['chains/evm', 'chains/tron', 'chains/utxo']],
    ] as const)
      for (const other of others)
        assert.deepEqual(
          files(plugin).filter((path) => path.includes(other)),
          [],
          `${plugin} loads ${other}`,
        );
  });

  test('host/PEERS.md lists them with what each needs', () => {
    const rows = entries.map(
      ({ name, packages }) => `| \`${name}\` | ${packages.map((each) => `\`${each}\``).join(' ') || '–'} |`,
    );
    const listed = readFileSync(join(repository, 'host/PEERS.md'), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('| `tillgate'));
    assert.deepEqual(listed, rows, `the table would be:\n${rows.join('\n')}`);
  });
});

describe('a peer that is not installed', () => {
  const notFound = (specifier: string): Error =>
    Object.assign(new Error(`Cannot find package '${specifier}' imported from /app/node_modules/tillgate/dist/x.js`), {
      code: 'ERR_MODULE_NOT_FOUND',
    });

  test('is named with the plugin that needs it, and what to run', () => {
    const [problem] = problemsOf(notFound('viem'), 'plugins.0', 'ethereum');
    assert.match(problem?.message ?? '', /^tillgate needs viem for the plugin ethereum: npm install viem\b/);
    assert.equal(missingPeer(notFound('@noble/hashes/sha2.js')), '@noble/hashes');
  });

  test('is nothing that another error is taken for, nor what a plugin of somebody else misses', () => {
    assert.equal(missingPeer(new Error('Cannot find package')), null);
    const [problem] = problemsOf(notFound('lodash'), 'plugins.0', './mine.js');
    assert.match(problem?.message ?? '', /neither built in/);
  });
});
