import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findTransition, legalMoves, ORDER_STATUSES, ORDER_TRANSITIONS } from '../../../core/index.ts';
import type { OrderRule, OrderStatus } from '../../../core/index.ts';

/** The table of moves, written a second time: each rule's legal moves, and nothing else. */
const EXPECTED: Readonly<Record<OrderRule, Partial<Record<OrderStatus, OrderStatus>>>> = {
  'paid-in-time': { PENDING: 'SUCCESS' },
  'deadline-nothing-seen': { PENDING: 'OVERDUE' },
  'deadline-short': { PENDING: 'PARTIAL' },
  cancelled: { PENDING: 'TERMINATED' },
  'late-payment': { OVERDUE: 'RESOLVED', PARTIAL: 'RESOLVED' },
  'operator-accepted': { OVERDUE: 'RESOLVED', PARTIAL: 'RESOLVED' },
  'refund-final': { SUCCESS: 'REFUNDED', RESOLVED: 'REFUNDED', PARTIAL: 'REFUNDED', OVERDUE: 'REFUNDED' },
  'payment-reorganised-away': { SUCCESS: 'TERMINATED', RESOLVED: 'TERMINATED' },
};

describe('the order transition table', () => {
  for (const rule of Object.keys(EXPECTED) as OrderRule[]) {
    for (const from of ORDER_STATUSES) {
      const to = EXPECTED[rule][from] ?? null;
      test(`${rule} from ${from} ${to === null ? 'is refused' : `leads to ${to}`}`, () => {
        assert.equal(findTransition(rule, from)?.to ?? null, to);
      });
    }
  }

  test('legalMoves lists each pair once', () => {
    const pairs = legalMoves().map(([from, to]) => `${from}>${to}`);
    assert.equal(new Set(pairs).size, pairs.length);
    const expected = new Set(
      Object.values(EXPECTED).flatMap((moves) => Object.entries(moves).map(([from, to]) => `${from}>${to}`)),
    );
    assert.deepEqual(new Set(pairs), expected);
  });

  test('SUCCESS and RESOLVED tell of success, OVERDUE and PARTIAL of the time-out, nothing else tells anything', () => {
    const events = ORDER_TRANSITIONS.map(({ to, event }) => [to, event]);
    const expected: Partial<Record<OrderStatus, string>> = {
      SUCCESS: 'order.succeeded',
      RESOLVED: 'order.succeeded',
      OVERDUE: 'order.timeout',
      PARTIAL: 'order.timeout',
    };
    for (const [to, event] of events) assert.equal(event, expected[to as OrderStatus] ?? null);
  });
});
