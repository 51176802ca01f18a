import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { lowestFee, NodeGroup } from '../../../adapters/chains/quorum/index.ts';
import { QuorumPayments } from '../../../adapters/chains/quorum/quorum-payments.ts';
import type { ChainAdapter, ChainPayments, MinedPayout, PayoutOutcome, SignedPayout } from '../../../core/index.ts';
import { FakeClock } from '../../support/fakes.ts';

const PAYOUT = { attempts: [{ txid: 'a' }] } as unknown as SignedPayout;
const MINED: MinedPayout = {
  txid: 'a',
  block: { height: 5, hash: 'h5', parentHash: 'h4', time: 0 },
  confirmations: 3,
  feeUnits: 7n,
};

/** What two of two nodes say of a mined payment with another effect than was signed. */
async function said(...changes: readonly Partial<MinedPayout>[]): Promise<PayoutOutcome> {
  const nodes = changes.map((change, at) => {
    const outcome = { kind: 'unclear', reason: 'another movement', mined: { ...MINED, ...change } } as const;
    const payments = { outcome: async () => outcome };
    return { host: `node${at}.example`, chain: { code: 'ETH', payments } as unknown as ChainAdapter };
  });
  const group = new NodeGroup(nodes, nodes.length, new FakeClock());
  const own = { model: 'account' } as unknown as ChainPayments;
  return new QuorumPayments(own, group, lowestFee).outcome(PAYOUT);
}

describe('several nodes about a payment with another effect than was signed', () => {
  test('fault 395: as deep as the least of them says', async () => {
    const outcome = await said({ confirmations: 9 }, { confirmations: 4 });
    assert.deepEqual(outcome, { kind: 'unclear', reason: 'another movement', mined: { ...MINED, confirmations: 4 } });
  });

  test('fault 395: nothing while they differ about its block or its fee', async () => {
    await assert.rejects(said({}, { feeUnits: 8n }), { code: 'NODE_FAILED' });
    await assert.rejects(said({}, { block: { ...MINED.block, hash: 'other' } }), { code: 'NODE_FAILED' });
  });
});
