import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CLAIM_STATUSES, TRANSFER_STATUSES } from '../../../../../core/index.ts';
import type { ClaimStatus, TransferStatus } from '../../../../../core/index.ts';
import { PAYOUT_STATES, payoutState } from '../../../../../adapters/http/greenfield/payout-state.ts';
import type { PayoutState } from '../../../../../adapters/http/greenfield/payout-state.ts';

const TABLE: readonly (readonly [ClaimStatus, TransferStatus | null, PayoutState])[] = [
  ['AWAITING_APPROVAL', null, 'AwaitingApproval'],
  ['REJECTED', null, 'Cancelled'],
  ['APPROVED', 'HELD', 'AwaitingPayment'],
  ['APPROVED', 'REQUESTED', 'AwaitingPayment'],
  ['APPROVED', 'SIGNED', 'InProgress'],
  ['APPROVED', 'BROADCAST', 'InProgress'],
  ['APPROVED', 'CONFIRMED', 'Completed'],
  ['APPROVED', 'FAILED', 'Cancelled'],
];

describe('the state of a payout', () => {
  for (const [claim, transfer, expected] of TABLE)
    test(`a claim that is ${claim}, paid by ${transfer ?? 'nothing'}, is ${expected}`, () => {
      assert.equal(payoutState(claim, transfer), expected);
    });

  test('has a row for every status, and every state is one of them', () => {
    assert.deepEqual(new Set(TABLE.map(([claim]) => claim)), new Set(CLAIM_STATUSES));
    assert.deepEqual(
      new Set(TABLE.map(([, transfer]) => transfer).filter((transfer) => transfer !== null)),
      new Set(TRANSFER_STATUSES),
    );
    assert.deepEqual(new Set(TABLE.map(([, , state]) => state)), new Set(PAYOUT_STATES));
  });
});
