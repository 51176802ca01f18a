import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { BlockRef, ChainState, SettledBlocks } from '../../../core/index.ts';
import { settledHeights } from '../../../core/deposits/settled-heights.ts';
import type { SettledHeights } from '../../../core/deposits/settled-heights.ts';
import { FakeChain } from '../../support/fake-chain.ts';

const block = (branch: string, height: number): BlockRef => ({
  height,
  hash: `${branch}${height}`,
  parentHash: `${branch}${height - 1}`,
  time: 0,
});
const CURSOR = block('A', 100);

/** What is settled where blocks 90 to 100 of branch A were read. */
function settledBy(marks: SettledBlocks): Promise<SettledHeights> {
  const chain = new FakeChain([], () => 0);
  chain.settled = async () => marks;
  return settledHeights(chain, {
    state: async () => ({ cursor: CURSOR }) as ChainState,
    block: async (_code, height) => (height >= 90 && height <= 100 ? block('A', height) : null),
  });
}

describe('the marks of a chain', () => {
  test('fault 360: above the cursor they count up to the cursor, where their node shows its block', async () => {
    const marks = { credit: block('A', 105), spend: block('A', 103) };
    assert.deepEqual(await settledBy({ ...marks, shown: CURSOR }), { credit: 100, spend: 100 });
  });

  for (const [what, shown] of [
    ['shows another block there', block('B', 100)],
    ['has no block there', null],
    ['shows a block of another height', block('A', 99)],
  ] as const) {
    test(`fault 360: above the cursor they settle nothing where their node ${what}`, async () => {
      await assert.rejects(settledBy({ credit: block('B', 105), shown }), { code: 'NODE_FAILED' });
      await assert.rejects(settledBy({ spend: block('B', 101), shown }), { code: 'NODE_FAILED' });
    });
  }

  test('at and below the cursor they are compared with the blocks that were read', async () => {
    assert.deepEqual(await settledBy({ credit: CURSOR, spend: block('A', 95) }), { credit: 100, spend: 95 });
    await assert.rejects(settledBy({ credit: block('B', 100) }), /marks block 100 as settled/);
    await assert.rejects(settledBy({ spend: block('B', 95) }), /marks block 95 as settled/);
  });

  test('a chain that marks nothing yet settles nothing, and one that never does leaves it to confirmations', async () => {
    assert.deepEqual(await settledBy({ credit: null }), { credit: -1, spend: Infinity });
    assert.deepEqual(await settledBy({}), { credit: Infinity, spend: Infinity });
  });
});
