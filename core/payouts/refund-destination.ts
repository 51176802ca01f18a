import type { Deposit } from '../chain/index.ts';
import { formatInstant, stateConflict, TillgateError } from '../kernel/index.ts';
import type { Millis } from '../kernel/index.ts';
import { lateAddressUntil, refundAddressProblem, singleSender } from '../orders/index.ts';
import type { Order, OrderChains } from '../orders/index.ts';
import type { RefundSettings } from './refund-settings.ts';

/**
 * The receiver of a refund: `payer` for the address that the payer entered; `sender`, at the merchant's request, for the
 * sender of the payment.
 */
export const REFUND_TO = ['payer', 'sender'] as const;
export type RefundTo = (typeof REFUND_TO)[number];

/** The destination of a refund. */
export interface RefundDestination {
  readonly address: string;
  /** The time until which an address that was entered after a payment was seen is delayed; `null` for every other one. */
  readonly lateUntil: Millis | null;
}

/**
 * The destination of a refund of this order. No message contains the URL of the order's page: a thief with a merchant's
 * key must not learn where a refund address can be entered.
 *
 * @param deposits - the order's live deposits
 * @throws TillgateError `STATE_CONFLICT` when no address was entered, or no single sender is known;
 *   `DESTINATION_UNPAYABLE`
 */
export function refundDestination(
  order: Order,
  deposits: readonly Deposit[],
  to: RefundTo,
  chains: OrderChains,
  { addressHoldMs }: RefundSettings,
): RefundDestination {
  const address = to === 'sender' ? sender(order, deposits) : order.refundAddress;
  if (address === null)
    throw stateConflict(
      'The payer has not set a refund address: ask the payer to open the page of the order with ?view=refund.',
    );
  const problem = refundAddressProblem(order, address, chains);
  if (problem !== null)
    throw new TillgateError('DESTINATION_UNPAYABLE', `The refund's destination ${address} ${problem}.`);
  return { address, lateUntil: to === 'sender' ? null : lateAddressUntil(order, deposits, addressHoldMs) };
}

/** The single sender of the payment; refused once the payer has entered a refund address, which takes precedence. */
function sender({ refundAddress }: Order, deposits: readonly Deposit[]): string {
  if (refundAddress !== null)
    throw stateConflict(
      'The payer has set a refund address, so the refund cannot go to the sender; remove that address first.',
    );
  const address = singleSender(deposits);
  if (address === null)
    throw stateConflict(
      'The payment has no single sender that can be paid: ask the payer to open the page of the order with ?view=refund.',
    );
  return address;
}

/** @throws TillgateError `STATE_CONFLICT` while the address is delayed and the settings allow no approval of it */
export function requireAddressInForce(
  { lateUntil }: RefundDestination,
  { lateAddress }: RefundSettings,
  now: Millis,
): void {
  if (lateUntil === null || lateUntil <= now || lateAddress === 'approve') return;
  throw stateConflict(
    `The refund address was set after the payment was seen; refunds to it are possible from ${formatInstant(lateUntil)} on.`,
  );
}
