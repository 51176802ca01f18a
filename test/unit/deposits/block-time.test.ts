import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { BLOCK_TIME_SLACK_MS, isBeforeAddress } from '../../../core/deposits/block-time.ts';

const GIVEN = 1_000_000_000;
const policy = { finalityBlocks: 10, clockSkewMs: 60_000 };

/** Whether a block was made before an address was given out at block 100. */
const before = (height: number, time: number, assignedHeight: number | null = 100, given = policy): boolean =>
  isBeforeAddress({ height, hash: 'h', parentHash: 'p', time }, { assignedAt: GIVEN, assignedHeight }, given);

describe('a block is from before an address was given out', () => {
  test('when it is older by more than clocks may differ, whatever its height', () => {
    assert.equal(before(101, GIVEN - 60_001), true);
    assert.equal(before(101, GIVEN - 60_000), false);
    assert.equal(before(101, GIVEN - 60_001, null), true);
  });

  test('when it was final by then and is older', () => {
    assert.equal(before(90, GIVEN - 1), true);
    assert.equal(before(91, GIVEN - 1), false);
    assert.equal(before(90, GIVEN), false, 'as old: the till may have followed a wrong chain');
    assert.equal(before(90, GIVEN - 1, null), false, 'no height is known');
  });

  test('by two hours where the chain names no bound of its own', () => {
    const { finalityBlocks } = policy;
    const older = (time: number): boolean =>
      isBeforeAddress(
        { height: 101, hash: 'h', parentHash: 'p', time },
        { assignedAt: GIVEN, assignedHeight: 100 },
        { finalityBlocks },
      );
    assert.deepEqual([older(GIVEN - BLOCK_TIME_SLACK_MS), older(GIVEN - BLOCK_TIME_SLACK_MS - 1)], [false, true]);
    assert.equal(BLOCK_TIME_SLACK_MS, 7_200_000);
  });
});
