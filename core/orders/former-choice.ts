import type { Deposit, UnconfirmedPayment } from '../chain/index.ts';
import { assert } from '../kernel/index.ts';
import type { Order, OrderHistoryEntry, OrderPayment } from './order.ts';

/** The payer's last choice of a coin, with its amount and rate; `null` when it was never chosen. */
export function formerChoice(
  history: readonly OrderHistoryEntry[],
  chain: string,
  currency: string,
): OrderPayment | null {
  const entry = history.findLast(({ rule, inputs }) => {
    return (
      rule === 'payment-chosen' && inputs['chain'] === chain && inputs['currency'] === currency && 'address' in inputs
    );
  });
  if (entry === undefined || entry.rate === null) return null;
  const { units, address } = entry.inputs;
  assert(typeof units === 'string' && typeof address === 'string', `history of order ${entry.orderId}`);
  return { chain, currency, units: BigInt(units), address, rate: entry.rate, chosenAt: entry.at };
}

/**
 * The earlier choice to which an order returns once its unconfirmed payment is mined: a payment in a coin that was
 * chosen before, when nothing else was seen. `null` for every other order.
 */
export async function choiceOfWaiting(
  { payment }: Order,
  deposits: readonly Deposit[],
  unconfirmed: readonly UnconfirmedPayment[],
  history: () => Promise<readonly OrderHistoryEntry[]>,
): Promise<OrderPayment | null> {
  const [only] = unconfirmed;
  if (only === undefined || unconfirmed.length > 1 || deposits.length > 0) return null;
  const { chain, currency } = only;
  if (payment?.chain === chain && payment.currency === currency) return null;
  return formerChoice(await history(), chain, currency);
}
