import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FrameBudget } from '../../../host/gateway/frame-budget.ts';

const frame = (first: number, payload: number, masked: boolean): Buffer => {
  const mask = masked ? 0x80 : 0;
  const head =
    payload < 126
      ? [first, mask | payload]
      : payload < 65_536
        ? [first, mask | 126, payload >> 8, payload & 0xff]
        : [first, mask | 127, 0, 0, 0, 0, 0, payload >> 16, (payload >> 8) & 0xff, payload & 0xff];
  // A payload that looks like pings.
  return Buffer.concat([Buffer.from(head), Buffer.alloc(payload + (masked ? 4 : 0), 0x89)]);
};

test('fault 130: a hundred small frames in a second pass, one more does not, in whatever pieces they arrive', () => {
  for (const masked of [true, false])
    for (const size of [1, 3, 7, 1000, 1_000_000]) {
      const message = [frame(0x81, 20, masked), frame(0x82, 300, masked), frame(0x81, 70_000, masked)];
      const pings = Array.from({ length: 100 }, () => frame(0x89, 5, masked));
      const bytes = Buffer.concat([...message, ...pings, ...message, frame(0x01, 500, masked), frame(0x80, 0, masked)]);
      const budget = new FrameBudget();
      for (let at = 0; at < bytes.length; at += size) assert(budget.take(bytes.subarray(at, at + size), 0));
      assert.equal(budget.take(frame(0x8a, 0, masked), 999), false);
      assert.equal(budget.take(frame(0x8a, 0, masked), 1000), true);
    }
});
