import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { compareUnconfirmedPayments, DISAPPEARED_AFTER_MS } from '../../../core/chain/unconfirmed-payment.ts';
import type { UnconfirmedPayment } from '../../../core/index.ts';

const NOW = 5_000_000;
const stored = (txid: string, status: UnconfirmedPayment['status'], since = NOW, index = '0'): UnconfirmedPayment =>
  ({ txid, index, status, since }) as UnconfirmedPayment;

/** What changes, as `transaction event`, where the mempool has these transactions. */
function changes(known: readonly UnconfirmedPayment[], ...pending: readonly string[]): object {
  const { added, returned, missing } = compareUnconfirmedPayments(
    known,
    pending.map((place) => ({ txid: place.split(':')[0] as string, index: place.split(':')[1] ?? '0' })),
    NOW,
  );
  const events = (list: typeof missing): readonly string[] =>
    list.map(({ unconfirmed, event }) => `${unconfirmed.txid} ${event}`);
  return {
    added: added.map(({ txid, index }) => `${txid}:${index}`),
    returned: events(returned),
    missing: events(missing),
  };
}

describe('the mempool beside what was stored of it', () => {
  test('adds what is new, by transaction and output', () => {
    const known = [stored('a', 'WAITING')];
    assert.deepEqual(changes(known, 'a', 'a:1', 'b'), { added: ['a:1', 'b:0'], returned: [], missing: [] });
  });

  test('what is still there changes nothing; what was missing or gone has returned', () => {
    const known = [stored('a', 'WAITING'), stored('b', 'MISSING'), stored('c', 'GONE')];
    assert.deepEqual(changes(known, 'a', 'b', 'c'), { added: [], returned: ['b return', 'c return'], missing: [] });
  });

  test('what is not there is missing at first, and gone once it was missing for ten minutes', () => {
    const known = [
      stored('a', 'WAITING', 0),
      stored('b', 'MISSING', NOW - DISAPPEARED_AFTER_MS + 1),
      stored('c', 'MISSING', NOW - DISAPPEARED_AFTER_MS),
      stored('d', 'GONE', 0),
    ];
    assert.deepEqual(changes(known), { added: [], returned: [], missing: ['a miss', 'c lose'] });
  });
});
