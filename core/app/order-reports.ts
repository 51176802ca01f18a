import { owedUnits } from '../chain/index.ts';
import type { Deposit } from '../chain/index.ts';
import type { DepositId, IdGenerator, Millis, OrderId, RecordedEvent, Transaction } from '../kernel/index.ts';
import type { Callback, Subscriber } from '../notify/index.ts';
import { amountRequired, liveDeposits } from '../orders/index.ts';
import { formatRows, ofFormats } from './report-format.ts';
import type { FormattedSubscriber, ReportFormat } from './report-format.ts';
import type { OrderHappening, OrderReport } from './reports.ts';
import type { NewOrder, Order, ShopOrder } from '../orders/index.ts';

/** The reads of a transaction's end, each made once. */
export interface ReportScope {
  readonly tx: Transaction;
  readonly deposits: (ids: readonly DepositId[]) => Promise<ReadonlyMap<DepositId, Deposit>>;
  readonly subscribers: (accountId: Order['accountId']) => Promise<readonly Subscriber[]>;
}

/** The rows of the outbox for one order, in the order of what happened. */
export function reportRows(
  ids: IdGenerator,
  to: readonly FormattedSubscriber[],
  reports: readonly OrderReport[],
  at: Millis,
): readonly Callback[] {
  const subjectOf = ({ order }: OrderReport): string => order.id;
  return formatRows(ids, to, reports, (format, report) => format.messages(report), subjectOf, at);
}

/** The report of a new order. */
export function newOrderReport({
  order,
  shop = null,
}: Pick<NewOrder, 'order'> & { readonly shop?: ShopOrder | null }): OrderReport {
  return { order, shop, deposits: [], happening: { kind: 'created' } };
}

type Change = Extract<RecordedEvent, { readonly type: 'order.moved' | `deposit.${string}` }>;

/** What happened in a transaction to orders of accounts that have subscribers of another format. */
export async function orderReports(
  { tx, deposits: read, subscribers }: ReportScope,
  changes: readonly Change[],
  formats: readonly ReportFormat[],
): Promise<readonly { readonly to: readonly FormattedSubscriber[]; readonly reports: readonly OrderReport[] }[]> {
  const known = await read(changes.flatMap((change) => (change.type === 'order.moved' ? [] : [depositIdOf(change)])));
  const byOrder = new Map<OrderId, Change[]>();
  const owners = new Map<OrderId, Order['accountId']>();
  for (const change of changes) {
    const owner = change.type === 'order.moved' ? change.order : known.get(depositIdOf(change));
    if (owner === undefined) continue;
    const orderId = 'orderId' in owner ? owner.orderId : owner.id;
    byOrder.set(orderId, [...(byOrder.get(orderId) ?? []), change]);
    owners.set(orderId, owner.accountId);
  }
  const found: { to: readonly FormattedSubscriber[]; reports: readonly OrderReport[] }[] = [];
  for (const [orderId, accountId] of owners) {
    const to = ofFormats(await subscribers(accountId), formats);
    const order = to.length === 0 ? null : await tx.orders.find(orderId);
    if (order === null) continue;
    const deposits = liveDeposits(order, await tx.deposits.byOrder(orderId));
    const facts = { order, shop: await tx.shopOrders.find(orderId), deposits };
    const reports = happenings(facts, byOrder.get(orderId) ?? []).map((happening) => ({ ...facts, happening }));
    if (reports.length > 0) found.push({ to, reports });
  }
  return found;
}

const depositIdOf = (change: Exclude<Change, { type: 'order.moved' }>): DepositId =>
  change.type === 'deposit.added' ? change.deposit.id : change.id;

/** What happened to one order, from the recorded changes in their order. */
function happenings(
  { order, deposits }: Pick<OrderReport, 'order' | 'deposits'>,
  changes: readonly Change[],
): readonly OrderHappening[] {
  const found: OrderHappening[] = [];
  const live = new Map(deposits.map((deposit) => [deposit.id, deposit]));
  const isArrival = (change: Change): boolean =>
    change.type === 'deposit.added' || (change.type === 'deposit.reassigned' && change.to === 'ORDER');
  const arrived = new Set(
    changes.flatMap((change) => (change.type !== 'order.moved' && isArrival(change) ? [depositIdOf(change)] : [])),
  );
  const required = order.payment === null ? null : amountRequired(order.payment.units, order.toleranceBps);
  const wasPending =
    order.status === 'PENDING' ||
    changes.some((change) => change.type === 'order.moved' && change.transition.from.includes('PENDING'));
  let sum = deposits.reduce((total, deposit) => (arrived.has(deposit.id) ? total : total + owedUnits(deposit)), 0n);
  for (const change of changes) {
    if (change.type === 'order.moved') {
      found.push({ kind: 'moved', transition: change.transition });
      continue;
    }
    const deposit = live.get(depositIdOf(change));
    if (deposit === undefined) continue;
    if (isArrival(change)) {
      found.push({ kind: 'payment-seen', deposit });
      const before = sum;
      sum += owedUnits(deposit);
      if (required !== null && wasPending && before < required && sum >= required) found.push({ kind: 'paid' });
      const isCredited = change.type === 'deposit.added' ? change.deposit.status !== 'SEEN' : deposit.status !== 'SEEN';
      if (isCredited) found.push({ kind: 'payment-credited', deposit });
    } else if (change.type === 'deposit.moved' && change.to === 'CREDITED')
      found.push({ kind: 'payment-credited', deposit });
  }
  return found;
}
