import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { covers, WEBHOOK_EVENTS, WEBHOOK_PATTERNS } from '../../../core/index.ts';

describe('what an endpoint subscribes to', () => {
  test('is a type or a group, and never the test event', () => {
    const groups = ['order.*', 'refund.*', 'withdrawal.*', 'payout.*', 'claim.*', 'deposit.*', 'security.*', 'alert.*'];
    for (const group of groups) assert.ok(WEBHOOK_PATTERNS.includes(group), group);
    assert.equal(WEBHOOK_PATTERNS.length, groups.length + WEBHOOK_EVENTS.length - 1);
    for (const unknown of ['*', 'order', 'order.', 'webhook.*', 'webhook.test', 'order.paid'])
      assert.equal(WEBHOOK_PATTERNS.includes(unknown), false, unknown);
  });

  test('a group covers its types and no others; a type covers itself', () => {
    assert.deepEqual(
      WEBHOOK_EVENTS.filter((event) => covers(['order.*', 'deposit.seen'], event)),
      ['order.created', 'order.succeeded', 'order.timeout', 'order.terminated', 'order.refunded', 'deposit.seen'],
    );
    assert.equal(covers([], 'order.created'), false);
  });
});
