import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import { isContradiction, present } from '../../../core/index.ts';
import type { ChainAdapter } from '../../../core/index.ts';
import { lowestFee, NodeGroup, QuorumChain } from '../../../adapters/chains/quorum/index.ts';
import { startAnvil } from '../../support/anvil.ts';
import type { Anvil } from '../../support/anvil.ts';
import { FakeClock } from '../../support/fakes.ts';
import { evmChain, freshAddress, height, keyOf, watching } from './evm-support.ts';
import { startProxy } from './rpc-proxy.ts';

/** An honest node behind a proxy that invents another balance of an address in each answer. */
async function withLiar(
  t: TestContext,
  to: string,
): Promise<{ anvil: Anvil; liar: ChainAdapter; honest: ChainAdapter }> {
  const anvil = await startAnvil();
  let asked = 0;
  const proxy = await startProxy(anvil.url, ({ method, params }) => {
    if (method !== 'eth_getBalance' || keyOf(String(params[0])) !== keyOf(to)) return null;
    asked += 1;
    return { result: `0x${asked.toString(16)}` };
  });
  const [liar, honest] = [(await evmChain([proxy.url])).chain, (await evmChain([anvil.url])).chain];
  t.after(async () => {
    await Promise.all([liar.close(), honest.close()]);
    await proxy.stop();
    await anvil.stop();
  });
  return { anvil, liar, honest };
}

/** Both nodes, and a further honest one for a quorum of two of three. */
function asked(liar: ChainAdapter, honest: readonly ChainAdapter[]): { chain: QuorumChain; group: NodeGroup } {
  const nodes = [
    { host: 'liar.example', chain: liar },
    ...honest.map((chain, at) => ({ host: `honest${at}.example`, chain })),
  ];
  const group = new NodeGroup(nodes, 2, new FakeClock());
  const hosts = nodes.map(({ host }) => host);
  return { chain: new QuorumChain(group, { hosts, quorum: 2, mainNetwork: false, insecure: [] }, lowestFee), group };
}

describe('a node that invents a coin payment whose balance contradicts itself', () => {
  test('fault 361: of two nodes it is named by the second attempt, and not taken for one that failed', async (t) => {
    const to = freshAddress();
    const { anvil, liar, honest } = await withLiar(t, to);
    const { chain, group } = asked(liar, [honest]);
    await anvil.mine(3);
    const at = await height(anvil);
    await assert.rejects(chain.scan(at - 1, at, watching(to)), /1 of 2 nodes answer.*reported in two ways/);
    await assert.rejects(chain.scan(at - 1, at, watching(to)), /1 of 2 nodes answer/);
    const { disagreement } = await chain.status();
    assert.deepEqual(disagreement?.nodes, ['liar.example']);
    assert.match(disagreement?.text ?? '', /^liar\.example says: The node contradicts itself.*reported in two ways/);
    assert.notEqual(group.disagreements.lasting, null, 'payouts stop until');
  });

  test('fault 361: of three nodes the two others go on, nothing of what it invents is reported', async (t) => {
    const to = freshAddress();
    const { anvil, liar, honest } = await withLiar(t, to);
    const second = (await evmChain([anvil.url])).chain;
    t.after(() => second.close());
    const { chain } = asked(liar, [honest, second]);
    await anvil.mine(3);
    const at = await height(anvil);
    for (const block of [at - 1, at]) {
      const { transfers, blocks } = await chain.scan(block, block, watching(to));
      assert.deepEqual([transfers, blocks.length], [[], 1]);
    }
    assert.deepEqual((await chain.status()).disagreement?.nodes, ['liar.example']);
  });

  test('alone, its first contradiction may be a race with its own head, and the second is none', async (t) => {
    const to = freshAddress();
    const { anvil, liar } = await withLiar(t, to);
    await anvil.mine(3);
    const at = await height(anvil);
    const errors: unknown[] = [];
    for (const _ of [1, 2]) await liar.scan(at - 1, at, watching(to)).catch((error: unknown) => errors.push(error));
    assert.deepEqual(errors.map(isContradiction), [false, true]);
    assert.match(String(present(errors[0], 'an error')), /reported in two ways/);
  });
});
