import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MnemonicWallet } from '../../../adapters/wallet/index.ts';
import { present } from '../../../core/index.ts';
import type { ChainAdapter } from '../../../core/index.ts';
import { depthTable } from '../../../plugins/depth-table.ts';
import { DEFINITIONS, KNOWN_CHAIN_DEFINITIONS } from '../../../plugins/definitions.ts';
import { EVM_PRESETS } from '../../../plugins/evm/presets.ts';
import { bitcoin } from '../../../plugins/bitcoin/index.ts';
import { bsc } from '../../../plugins/bsc/index.ts';
import { ethereum } from '../../../plugins/ethereum/index.ts';
import { evm } from '../../../plugins/evm/index.ts';
import { litecoin } from '../../../plugins/litecoin/index.ts';
import { tron } from '../../../plugins/tron/index.ts';
import { FakeClock, MemoryLogger } from '../../support/fakes.ts';

/** A year after somebody read what a chain promises it may have changed: read it again, and write down when. */
const LATEST_READING = Date.UTC(2027, 10, 27);
const NODE = 'http://127.0.0.1:1';
const WALLET = new MnemonicWallet('test test test test test test test test test test test junk');

interface AnyPlugin {
  options?(input: unknown): unknown;
  setup(context: never): Promise<void> | void;
}
const PLUGINS: Readonly<Record<keyof typeof DEFINITIONS, readonly [AnyPlugin, object]>> = {
  ethereum: [ethereum.plugin, { rpcUrls: [NODE] }],
  bsc: [bsc.plugin, { rpcUrls: [NODE] }],
  bitcoin: [bitcoin.plugin, { rpcUrl: NODE, rpcUser: 'user', rpcPassword: 'password' }],
  litecoin: [litecoin.plugin, { rpcUrl: NODE, rpcUser: 'user', rpcPassword: 'password' }],
  tron: [tron.plugin, { apiUrls: [NODE] }],
};

/** The chain as the plugin makes it of its least options on the main network; no node is asked for its policy. */
async function opened(plugin: AnyPlugin, input: object): Promise<ChainAdapter> {
  const chains: ChainAdapter[] = [];
  const context = {
    options: plugin.options?.(input),
    logger: new MemoryLogger(),
    clock: new FakeClock(),
    wallet: WALLET,
    signer: WALLET,
    documents: { read: async () => null, write: async () => false },
    addChain: (chain: ChainAdapter) => void chains.push(chain),
    addLightning: () => undefined,
    addRateSource: () => undefined,
    addNotifier: () => undefined,
    onClose: () => undefined,
  };
  await plugin.setup(context as never);
  return present(chains[0], 'the chain');
}

const EVERY_CHAIN = [
  ...Object.entries(DEFINITIONS).map(
    ([name, definition]) => [name, definition, ...PLUGINS[name as keyof typeof DEFINITIONS]] as const,
  ),
  ...Object.entries(EVM_PRESETS).map(
    ([preset, definition]) => [preset, definition, evm.plugin, { preset, rpcUrls: [NODE] }] as const,
  ),
];

describe('the depths of the built-in chains', () => {
  test('are a table with a row for each chain', () => {
    assert.equal(depthTable().split('\n').length - 2, EVERY_CHAIN.length);
    assert.equal(EVERY_CHAIN.length, KNOWN_CHAIN_DEFINITIONS.length);
  });

  for (const [name, definition, plugin, input] of EVERY_CHAIN) {
    test(`${name} takes its policy from its row, whose source and date are written down`, async (t) => {
      const chain = await opened(plugin, input);
      t.after(() => chain.close());
      const { policy } = chain;
      assert.deepEqual(
        [policy.confirmations(definition.coin.currency, 1n), policy.spendableConfirmations, policy.finalityBlocks],
        [definition.confirmations, definition.spendableConfirmations, definition.finalityBlocks],
      );
      assert.equal(policy.pollIntervalMs, definition.pollIntervalMs);
      assert.ok((policy.maxLagMs ?? Infinity) >= definition.blockSeconds * 1_000);
      assert.equal(chain.settled !== undefined, 'tags' in definition, 'the marks of its row decide');
      const { source, readOn } = present(definition.basis, `what the depths of ${name} rest on`);
      assert.equal(new URL(source).protocol, 'https:');
      assert.ok(Date.parse(readOn) > 0 && Date.parse(readOn) < LATEST_READING);
    });
  }

  test('BNB Smart Chain is not credited by a count of blocks that one validator can make alone', () => {
    const { tags, finalityBlocks, blockSeconds } = DEFINITIONS.bsc;
    assert.deepEqual(tags, { credit: 'finalized', spend: 'finalized' });
    assert.ok(finalityBlocks > 240, 'without votes two thirds of 21 validators with 16 blocks each take 240');
    assert.equal(blockSeconds, 0.45);
  });
});
