import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isTillgateError } from '../../../core/index.ts';
import type { BlockRef, SettledBlocks } from '../../../core/index.ts';
import type { EvmChain } from '../../../adapters/chains/index.ts';
import { startAnvil } from '../../support/anvil.ts';
import type { Anvil } from '../../support/anvil.ts';
import { fund, minedOutcome, payingChain } from './evm-paying.ts';
import { evmChain, freshAddress, height } from './evm-support.ts';
import { startProxy } from './rpc-proxy.ts';
import type { Interference } from './rpc-proxy.ts';

const TAGS = { credit: 'safe', spend: 'finalized' } as const;

describe('an EVM chain that marks its blocks', () => {
  let anvil: Anvil;
  before(async () => {
    // Safe one block below the head, final two below it.
    anvil = await startAnvil({ args: ['--slots-in-an-epoch', '1'] });
    await anvil.mine(10);
  });
  after(() => anvil.stop());

  /** The chain behind a node whose answers `say` changes. */
  async function behind(work: (chain: EvmChain, say: (change: Interference) => void) => Promise<void>): Promise<void> {
    let interfere: Interference = () => null;
    const proxy = await startProxy(anvil.url, (call) => interfere(call));
    const { chain } = await evmChain([proxy.url], {}, { tags: TAGS });
    try {
      await work(chain, (change) => void (interfere = change));
    } finally {
      await chain.close();
      await proxy.stop();
    }
  }
  const read = async (chain: EvmChain): Promise<SettledBlocks> => (await chain.settled?.(await chain.head())) ?? {};
  /** Makes the node return an older block for a tag. */
  const showing =
    (tag: string, at: number): Interference =>
    ({ method, params }) =>
      params[0] === tag ? { ask: { method, params: [`0x${at.toString(16)}`, false] } } : null;

  test('is asked for both tags in one request, and only where tags decide', async () => {
    await behind(async (chain) => {
      const { credit, spend } = await read(chain);
      const head = await height(anvil);
      assert.deepEqual([credit?.height, spend?.height], [head - 1, head - 2]);
    });
    const { chain } = await evmChain([anvil.url]);
    assert.equal(chain.settled, undefined);
    await chain.close();
  });

  test('fault 241: a node that takes back what it called final is refused, whatever it says of safe blocks', async () => {
    await behind(async (chain, say) => {
      const { spend } = await read(chain);
      say(showing('finalized', (spend as BlockRef).height - 1));
      await assert.rejects(read(chain), /finalized block went back/);
      say(showing('safe', 2));
      assert.equal((await read(chain)).credit?.height, 2);
    });
  });

  test('fault 242: a node that does not know a tag is named, with what to do; nothing stands in for it', async () => {
    await behind(async (chain, say) => {
      say(({ params }) => (params[0] === 'safe' ? { error: { code: -39001, message: 'safe block not found' } } : null));
      await assert.rejects(
        read(chain),
        (error: unknown) =>
          isTillgateError(error, 'NODE_FAILED') && /"safe".*safe block not found.*"creditTag"/.test(error.message),
      );
      say(({ params }) => (params[0] === 'safe' ? { result: null } : null));
      assert.equal((await read(chain)).credit, null);
    });
  });

  test('fault 360: the node that gives the marks shows its block at the cursor with them, in the same request', async () => {
    await behind(async (chain, say) => {
      const head = await chain.head();
      assert.deepEqual((await read(chain)).shown, head);
      say(showing(`0x${head.height.toString(16)}`, head.height + 1_000_000));
      assert.equal((await chain.settled?.(head))?.shown, null);
    });
  });

  test('a node that answers with the id of another chain after the start stops the chain', async () => {
    await behind(async (chain, say) => {
      await chain.identify();
      assert.equal((await chain.status()).behind, null);
      say(({ method }) => (method === 'eth_chainId' ? { result: '0x1' } : null));
      await assert.rejects(
        chain.status(),
        (error: unknown) => isTillgateError(error, 'CHAIN_HALTED') && error.message.includes('is on chain 1'),
      );
    });
  });

  test('a payment of the till is final only below the mark, however many blocks are above it', async () => {
    const till = await payingChain([anvil.url], {}, { tags: { credit: 'latest', spend: 'finalized' } });
    await fund(anvil, till.hot);
    const payment = await till.sign({ to: freshAddress(), units: 5n });
    await till.payments.broadcast(payment);
    assert.equal((await minedOutcome(till.payments, payment.payout)).confirmations, 1);
    await anvil.mine();
    assert.equal((await minedOutcome(till.payments, payment.payout)).confirmations, 1);
    await anvil.mine();
    assert.equal((await minedOutcome(till.payments, payment.payout)).confirmations, 3);
    await till.chain.close();
  });
});
