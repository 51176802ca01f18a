import type { ClaimStatus, PaidClaim, TransferStatus } from '../../../core/index.ts';

export const PAYOUT_STATES = ['AwaitingApproval', 'AwaitingPayment', 'InProgress', 'Completed', 'Cancelled'] as const;
export type PayoutState = (typeof PAYOUT_STATES)[number];

/** The state of an approved claim, by the status of the transfer that pays it. */
const PAYING: Readonly<Record<TransferStatus, PayoutState>> = {
  HELD: 'AwaitingPayment',
  REQUESTED: 'AwaitingPayment',
  SIGNED: 'InProgress',
  BROADCAST: 'InProgress',
  CONFIRMED: 'Completed',
  FAILED: 'Cancelled',
};

/** The state of a claim's payout. Pure. @param transfer - the status of the transfer that pays it; `null` before there is one */
export function payoutState(claim: ClaimStatus, transfer: TransferStatus | null): PayoutState {
  if (claim === 'REJECTED') return 'Cancelled';
  return transfer === null ? 'AwaitingApproval' : PAYING[transfer];
}

/** Whether a list has a claim, from which cancelled ones may be left out. */
export const isShown =
  (includeCancelled: boolean) =>
  ({ claim, transfer }: Pick<PaidClaim, 'claim' | 'transfer'>): boolean =>
    includeCancelled || payoutState(claim.status, transfer?.status ?? null) !== 'Cancelled';
