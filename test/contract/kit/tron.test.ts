import { describeChain } from '../../../adapters/testing/index.ts';
import type { ChainHarness, ChainTricks } from '../../../adapters/testing/index.ts';
import { tronKey } from '../../../adapters/chains/index.ts';
import { present } from '../../../core/index.ts';
import { FakeTronNetwork } from '../../support/tron/fake-tron-network.ts';
import { startTronNode } from '../../support/tron/fake-tron-node.ts';
import { transferLog } from '../../support/tron/tron-state.ts';
import { CONTRACTS, USDT, openFixture } from '../../support/tron/tron-fixture.ts';
import type { TronFixture } from '../../support/tron/tron-fixture.ts';

const NO_NONCE = 'transactions have no nonce; each ends with its expiry';
/** Eleven minutes of blocks, and those that are not solidified yet. */
const BLOCKS_TO_EXPIRY = 660 / 3 + 20;
const SEND = '/wallet/broadcasthex';

const tronHarness: ChainHarness = {
  lacks: {
    replacement: NO_NONCE,
    rival: NO_NONCE,
    bump: NO_NONCE,
    byContract: 'orders take tokens, each of whose transfers has a log',
  },
  open: async () => {
    const fixture = await openFixture({ nodes: 2 });
    const other = new FakeTronNetwork(fixture.clock);
    Object.assign(present(other.blocks[0], 'the first block'), { id: `${'0'.repeat(16)}${'77'.repeat(24)}` });
    other.produce(5);
    const stranger = await startTronNode(other);
    return {
      chain: fixture.chain,
      currency: USDT,
      units: 1_000_000n,
      reopen: () => fixture.open({}),
      pay: (to, units) => fixture.pay(to, units),
      mine: async (blocks) => void fixture.network.produce(blocks),
      tricks: { ...tricksOf(fixture), otherNetwork: () => fixture.open({ apiUrls: [stranger.url] }) },
      close: async () => {
        await Promise.all([fixture.stop(), stranger.stop()]);
      },
    };
  },
};

function tricksOf({ network, nodes, payerKey, pay }: TronFixture): Partial<ChainTricks> {
  const logOf = (to: string, units: bigint) => transferLog(CONTRACTS.usdt, payerKey, present(tronKey(to), to), units);
  let parents: readonly [string, string] | null = null;
  return {
    batch: async (to, units) => network.include({ logs: units.map((amount) => logOf(to, amount)) }),
    failure: async (to, units) => network.include({ contractRet: 'REVERT', logs: [logOf(to, units)] }),
    counterfeit: (to, units) => pay(to, units, CONTRACTS.twin),
    blockDependent: async (to, units) => {
      const txid = network.include({ logs: [logOf(to, units)] });
      network.elsewhere.set(txid, [logOf(to, units / 3n)]);
      return txid;
    },
    reorganisation: async (depth, outcome) => network.reorganise(depth, outcome),
    outage: (on) =>
      nodes.forEach((node) => void (node.intercept = on ? () => ({ status: 503, text: '' }) : () => null)),
    lag: (blocks) => nodes.forEach((node) => void (node.lag = blocks)),
    lies: (on) => {
      const { header } = network.head;
      parents ??= [header.parentHash, 'ab'.repeat(32)];
      Object.assign(header, { parentHash: parents[on ? 1 : 0] });
      if (!on) parents = null;
    },
    lostReplies: (on) => nodes.forEach(({ losesReply }) => (on ? losesReply.add(SEND) : losesReply.delete(SEND))),
    forgetting: (txid) => network.forget(txid),
    fund: async ({ address }, units) => {
      const key = present(tronKey(address), address);
      network.mint(CONTRACTS.usdt, key, units);
      network.fund(key, 100_000_000n);
      network.produce();
      return [];
    },
    expiry: async () => void network.produce(BLOCKS_TO_EXPIRY),
  };
}

describeChain('Tron', tronHarness);
