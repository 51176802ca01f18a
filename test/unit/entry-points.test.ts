import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { entryPoints } from '../package/entry-points.ts';
import type { EntryPoint } from '../package/entry-points.ts';
import { missingPeer } from '../../host/boot/missing-peer.ts';
import { problemsOf } from '../../host/boot/plugins.ts';

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

  test('load no package that only a choice needs, and the client none', () => {
    for (const { name, packages } of entries)
      for (const choice of ['pg', 'sqlite3', 'nodemailer', '@opentelemetry/api', 'tiny-secp256k1'])
        assert.ok(!packages.includes(choice), `${name} loads ${choice}`);
    const loads = (entry: string): readonly string[] | undefined =>
      entries.find(({ name }) => name === entry)?.packages;
    assert.deepEqual(loads('@tillgate/client'), []);
    for (const choice of ['express', 'pino', 'prom-client']) assert.ok(!loads('tillgate')?.includes(choice), choice);
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
