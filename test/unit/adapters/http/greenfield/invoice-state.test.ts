import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ORDER_STATUSES, ORDER_TRANSITIONS } from '../../../../../core/index.ts';
import type { OrderStatus } from '../../../../../core/index.ts';
import { availableMarks, invoiceState } from '../../../../../adapters/http/greenfield/invoice-state.ts';
import type { InvoiceFacts } from '../../../../../adapters/http/greenfield/invoice-state.ts';

type Move = InvoiceFacts['lastMove'];

const move = (rule: string, from: OrderStatus): Move => ({ rule, from });

/** Of 100 units, 98 are enough. */
const [NONE, PART, ENOUGH, FULL, MORE] = [0n, 50n, 98n, 100n, 101n];

const TABLE: readonly (readonly [OrderStatus, Move, bigint, string])[] = [
  ['PENDING', null, NONE, 'New None'],
  ['PENDING', null, PART, 'New PaidPartial'],
  ['PENDING', null, ENOUGH, 'Processing None'],
  ['PENDING', null, FULL, 'Processing None'],
  ['PENDING', null, MORE, 'Processing PaidOver'],
  ['SUCCESS', null, ENOUGH, 'Settled None'],
  ['SUCCESS', null, FULL, 'Settled None'],
  ['SUCCESS', null, MORE, 'Settled PaidOver'],
  // A reorganisation has removed its payment, and nothing is decided yet.
  ['SUCCESS', null, NONE, 'Settled None'],
  ['RESOLVED', move('late-payment', 'OVERDUE'), FULL, 'Settled PaidLate'],
  ['RESOLVED', move('late-payment', 'PARTIAL'), MORE, 'Settled PaidLate'],
  ['RESOLVED', move('operator-accepted', 'OVERDUE'), NONE, 'Settled Marked'],
  ['RESOLVED', move('operator-accepted', 'PARTIAL'), PART, 'Settled Marked'],
  ['OVERDUE', null, NONE, 'Expired None'],
  ['OVERDUE', null, PART, 'Expired PaidPartial'],
  ['OVERDUE', null, FULL, 'Expired PaidLate'],
  ['PARTIAL', null, PART, 'Expired PaidPartial'],
  ['PARTIAL', null, FULL, 'Expired PaidLate'],
  ['PARTIAL', null, NONE, 'Expired None'],
  ['TERMINATED', move('cancelled', 'PENDING'), NONE, 'Invalid Marked'],
  ['TERMINATED', move('payment-reorganised-away', 'SUCCESS'), NONE, 'Invalid None'],
  ['REFUNDED', move('refund-final', 'SUCCESS'), FULL, 'Settled None'],
  ['REFUNDED', move('refund-final', 'SUCCESS'), MORE, 'Settled PaidOver'],
  ['REFUNDED', move('refund-final', 'RESOLVED'), FULL, 'Settled PaidLate'],
  ['REFUNDED', move('refund-final', 'PARTIAL'), PART, 'Expired PaidPartial'],
  // Its late payment came back in full: the shop must not take it for paid.
  ['REFUNDED', move('refund-final', 'OVERDUE'), FULL, 'Expired PaidLate'],
  ['REFUNDED', null, FULL, 'Expired PaidLate'],
];

describe('the state of an invoice', () => {
  for (const [status, lastMove, seen, expected] of TABLE)
    test(`${status}${lastMove === null ? '' : ` by ${lastMove.rule} from ${lastMove.from}`} with ${seen} of 100 is ${expected}`, () => {
      const state = invoiceState({ status, lastMove, due: 100n, required: 98n, seen });
      assert.equal(`${state.status} ${state.additionalStatus}`, expected);
    });

  test('has a row for every status of an order', () => {
    assert.deepEqual(new Set(TABLE.map(([status]) => status)), new Set(ORDER_STATUSES));
  });

  test('before the payer has chosen a coin follows from the status alone', () => {
    const of = (status: OrderStatus) =>
      invoiceState({ status, lastMove: null, due: null, required: null, seen: 0n }).status;
    assert.deepEqual([of('PENDING'), of('OVERDUE'), of('TERMINATED')], ['New', 'Expired', 'Invalid']);
  });

  test('offers only marks for which an order has a move', () => {
    const rules = { Settled: 'operator-accepted', Invalid: 'cancelled' } as const;
    for (const status of ORDER_STATUSES)
      for (const seen of [NONE, PART])
        for (const mark of availableMarks({ status, seen })) {
          const legal = ORDER_TRANSITIONS.find(({ rule }) => rule === rules[mark]);
          assert.ok(legal?.from.includes(status), `${mark} from ${status}`);
        }
    assert.deepEqual(availableMarks({ status: 'PENDING', seen: PART }), [], 'a payment was seen');
  });
});
