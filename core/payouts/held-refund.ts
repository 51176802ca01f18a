import type { Account } from '../access/index.ts';
import { formatInstant } from '../kernel/index.ts';
import type { MerchantTransfer } from './reserve-transfer.ts';
import { isVerified } from './withdrawal-rules.ts';
import type { RefundDestination } from './refund-destination.ts';

/**
 * A refund to an address that the payer entered, HELD when a person must check it: the address is still delayed, or the
 * account has not passed business verification and could use its own orders and addresses for a withdrawal that is not
 * allowed.
 */
export function heldForAddress(
  transfer: MerchantTransfer,
  { lateUntil }: RefundDestination,
  account: Account,
): MerchantTransfer {
  if (transfer.status === 'HELD') return transfer;
  const { currency, createdAt } = transfer;
  const reason =
    lateUntil !== null && lateUntil > createdAt
      ? `The refund address was set after the payment was seen; until ${formatInstant(lateUntil)} an operator has to approve the refund.`
      : isVerified(account, currency)
        ? null
        : `The account has not passed business verification for ${currency}.`;
  return reason === null ? transfer : { ...transfer, status: 'HELD', reason };
}
