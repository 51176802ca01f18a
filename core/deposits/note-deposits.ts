import type { Millis, Transaction } from '../kernel/index.ts';
import type { Order, OrderHistoryEntry, OrderPayment } from '../orders/index.ts';
import type { Deposit } from '../chain/index.ts';
import { formerChoice } from '../orders/index.ts';

/**
 * Handles new payments in another coin than the order's. If the payer had chosen the first payment's coin before and
 * nothing else was seen, the order returns to that choice and its rate. Otherwise the deposits are credited, and the
 * order's history records that they did not count.
 */
export async function fitCoins(
  tx: Transaction,
  order: Order,
  deposits: readonly Deposit[],
  history: readonly OrderHistoryEntry[],
  now: Millis,
): Promise<void> {
  const [first] = deposits;
  if (first === undefined) return;
  let { payment } = order;
  if (!isIn(payment, first)) {
    const former = order.status === 'PENDING' ? formerChoice(history, first.chain, first.currency) : null;
    if (former !== null && (await isUntouched(tx, order))) {
      payment = former;
      await tx.orders.update(order.id, { payment, updatedAt: now });
      await tx.orders.setAddressCurrency(order.id, first.chain, first.currency);
      await note(tx, order, 'payment-chosen', [first], now, former.rate);
    }
  }
  for (const group of groupsOf(deposits, ({ currency }) => currency))
    if (!isIn(payment, group[0])) await note(tx, order, 'deposit-other-currency', group, now);
}

function isIn(payment: OrderPayment | null, { chain, currency }: Pick<Deposit, 'chain' | 'currency'>): boolean {
  return payment?.chain === chain && payment.currency === currency;
}

async function isUntouched(tx: Transaction, { id }: Order): Promise<boolean> {
  return !(await tx.deposits.hasAny(id)) && (await tx.unconfirmedPayments.live(id)).length === 0;
}

/** Records new payments that do not belong to the order, in one row for each reason and coin. */
export async function noteUnassigned(
  tx: Transaction,
  order: Order,
  deposits: readonly Deposit[],
  at: Millis,
): Promise<void> {
  const unassigned = deposits.filter(({ unassignedReason: reason }) => reason !== null);
  for (const group of groupsOf(unassigned, ({ unassignedReason: reason, currency }) => `${reason} ${currency}`)) {
    const [{ id, paidAt, unassignedReason: reason }] = group;
    await note(tx, order, 'deposit-unassigned', group, at, null, { depositId: id, paidAt, reason });
  }
}

/** Deposits that share a row of the history, so that many payments of one block make one row. */
export type DepositGroup = readonly [Deposit, ...Deposit[]];

export function groupsOf(deposits: readonly Deposit[], nameOf: (deposit: Deposit) => string): Iterable<DepositGroup> {
  const found = new Map<string, [Deposit, ...Deposit[]]>();
  for (const deposit of deposits) {
    const group = found.get(nameOf(deposit));
    if (group === undefined) found.set(nameOf(deposit), [deposit]);
    else group.push(deposit);
  }
  return found.values();
}

async function note(
  tx: Transaction,
  { id: orderId, status }: Order,
  rule: OrderHistoryEntry['rule'],
  group: DepositGroup,
  at: Millis,
  rate: OrderHistoryEntry['rate'] = null,
  more: OrderHistoryEntry['inputs'] = {},
): Promise<void> {
  await tx.orders.addHistory({
    orderId,
    at,
    from: status,
    to: status,
    rule,
    inputs: { ...sumOf(group), ...more },
    rate,
  });
}

/** The inputs of a history row about payments of one coin; for several, the sum, the number and the first one. */
export function sumOf(group: DepositGroup): OrderHistoryEntry['inputs'] {
  const [{ chain, currency, txid }] = group;
  const units = group.reduce((sum, deposit) => sum + deposit.units, 0n).toString();
  return { chain, currency, units, txid, ...(group.length === 1 ? {} : { payments: group.length }) };
}
