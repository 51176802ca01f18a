import assert from 'node:assert/strict';
import { tronAddress, tronKey } from '../../adapters/chains/index.ts';
import { BLOCK_MS } from '../support/tron/fake-tron-network.ts';
import { keyNamed } from '../support/tron/tron-state.ts';
import { CONTRACTS, TOKENS, USDT, openFixture } from '../support/tron/tron-fixture.ts';
import type { TronFixture } from '../support/tron/tron-fixture.ts';
import type { ChainFixture } from './chain-fixture.ts';

const [CONFIRMATIONS, SPENDABLE] = [3, 6];
/**
 * How far the network's clock stays behind the till's: far enough that the blocks of a test, 3 s apart, do not outrun it,
 * and not so far that a payment made with a solidified block could expire.
 */
const BEHIND_MS = 300_000;
/** That a fixture has when it is opened. */
const FIRST_BLOCKS = 25;
const TRX = 1_000_000n;

/** With what tests of Tron alone need. */
export interface TronPairFixture extends ChainFixture {
  readonly network: TronFixture['network'];
  readonly nodes: TronFixture['nodes'];
  /** Mined transactions that move a token to an address. */
  paymentsTo(address: string): readonly string[];
}

/** The faithful fake of a Tron network: the payer's transactions are tronweb's, the till's are its own. */
export async function openTronFixture(): Promise<TronPairFixture> {
  const fixture = await openFixture({ nodes: 2, start: Date.now() - BEHIND_MS - FIRST_BLOCKS * BLOCK_MS });
  const { network, clock } = fixture;
  /** On a slow machine the time between blocks is longer. */
  const produce = async (blocks = 1): Promise<void> => {
    clock.advance(Math.max(0, Date.now() - BEHIND_MS - clock.now()));
    network.produce(blocks);
  };
  const contractOf = (currency: string): string => (currency === USDT ? CONTRACTS.usdt : CONTRACTS.usdc);
  const keyOf = (address: string): string => {
    const key = tronKey(address);
    assert.ok(key !== null, `${address} is an address`);
    return key;
  };
  let given = 0;
  return {
    network,
    nodes: fixture.nodes,
    paymentsTo: (address) => {
      const topic = keyOf(address).padStart(64, '0');
      return network.blocks.flatMap(({ mined }) =>
        mined.filter(({ logs }) => logs.some(({ topics }) => topics[2] === topic)).map(({ txid }) => txid),
      );
    },
    chain: 'TRX',
    plugin: {
      use: 'tron',
      options: {
        apiUrls: fixture.nodes.map(({ url }) => url),
        network: 'test',
        confirmations: CONFIRMATIONS,
        spendableConfirmations: SPENDABLE,
        pollIntervalMs: 100,
        tokens: TOKENS,
      },
    },
    prices: { USDT: '1', USDC: '1', TRX: '0.25', EUR: '1.1' },
    confirmations: CONFIRMATIONS,
    spendableConfirmations: SPENDABLE,
    isBehind: true,
    provide: async (hot) => {
      network.fund(keyOf(hot), 500n * TRX);
      await produce();
    },
    pay: (to, currency, units) => fixture.pay(to, units, contractOf(currency)),
    mine: produce,
    height: async () => network.head.header.number,
    balanceOf: async (address, currency) => network.tokens(contractOf(currency), keyOf(address)),
    feeOf: async (txid) => {
      const mined = network.blocks.flatMap((block) => block.mined).find((one) => one.txid === txid);
      assert.ok(mined !== undefined, `${txid} is mined`);
      return mined.fee;
    },
    contractOf: (currency) => TOKENS[currency as keyof typeof TOKENS].address,
    newAddress: async () => tronAddress(keyNamed(`payee ${(given += 1)}`)),
    stop: () => fixture.stop(),
  };
}
