import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Address } from 'viem';
import { NO_ADDRESS, scanBlocks } from '../../../core/deposits/scan-blocks.ts';
import type { OrderId, AccountId, WatchedAddress } from '../../../core/index.ts';
import { startAnvil } from '../../support/anvil.ts';
import type { Anvil } from '../../support/anvil.ts';
import { deployContract, invoke } from '../../support/contracts.ts';
import type { DeployedContract } from '../../support/contracts.ts';
import { evmChain, freshAddress, height, keyOf } from './evm-support.ts';
import { startProxy } from './rpc-proxy.ts';

const MILLION = 1_000_000;

/** Every address ever given out, as in the database. */
class KnownAddresses {
  readonly #keys: ReadonlySet<string>;
  queries = 0;

  constructor(keys: ReadonlySet<string>) {
    this.#keys = keys;
  }

  async owners(_chain: string, keys: readonly string[]): Promise<readonly WatchedAddress[]> {
    this.queries += 1;
    return keys
      .filter((key) => this.#keys.has(key))
      .map((key) => ({
        key,
        address: `0x${key}`,
        orderId: '1' as OrderId,
        accountId: '1' as AccountId,
        currency: 'ETH',
        watchUntil: 0,
        assignedAt: 0,
        assignedHeight: null,
      }));
  }
}

describe('what a block costs the node with 1,000,000 known addresses', () => {
  let anvil: Anvil;
  let token: DeployedContract;

  before(async () => {
    anvil = await startAnvil();
    token = await deployContract(anvil, 'TestToken', ['USDT', 6]);
  });
  after(() => anvil.stop());

  /** The number of calls, and the payments found, when a block is read once with this many known addresses. */
  async function readBlock(
    block: number,
    known: ReadonlySet<string>,
  ): Promise<{ readonly calls: number; readonly queries: number; readonly found: readonly bigint[] }> {
    let calls = 0;
    const proxy = await startProxy(anvil.url, () => {
      calls += 1;
      return null;
    });
    const { chain } = await evmChain([proxy.url], { 'USDT-ERC20': token.address });
    const deposits = new KnownAddresses(known);
    try {
      const scanned = await scanBlocks(chain, deposits, [block, block], NO_ADDRESS);
      const found = scanned?.transfers.map(({ units }) => units) ?? [];
      return { calls, queries: deposits.queries, found: [...found].sort() };
    } finally {
      await chain.close();
      await proxy.stop();
    }
  }

  test('as many calls as with none; a block that pays one of them late is read a second time', async () => {
    const million = new Set(Array.from({ length: MILLION }, (_, at) => at.toString(16).padStart(40, '7')));
    const [coins, tokens] = [freshAddress(), freshAddress()];
    const late = new Set([...million, keyOf(coins), keyOf(tokens)]);
    await anvil.setAutomine(false);
    const [from] = await anvil.rpc<Address[]>('eth_accounts');
    await invoke(anvil, token, 'mint', [tokens, 5n]);
    await anvil.rpc('eth_sendTransaction', [{ from, to: coins, value: '0x7' }]);
    await anvil.mine();
    await anvil.setAutomine(true);
    const block = await height(anvil);
    const none = await readBlock(block, new Set());
    const strangers = await readBlock(block, million);
    const payments = await readBlock(block, late);
    assert.deepEqual([none.found, strangers.found, payments.found], [[], [], [5n, 7n]]);
    assert.equal(strangers.calls, none.calls);
    assert.deepEqual([strangers.queries, payments.queries], [1, 1]);
    // Includes the chain's id, which is read once from each node.
    assert.deepEqual([none.calls, payments.calls], [4, 10]);
  });
});
