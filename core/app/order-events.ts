import type { Deposit } from '../chain/index.ts';
import type { AssetCatalogue, CallbackId, DepositId, IdGenerator, RecordedEvent } from '../kernel/index.ts';
import { outboxRows } from '../notify/index.ts';
import type { Callback, NoticeDraft, OutboxEvent, Subscriber, WebhookEvent } from '../notify/index.ts';
import { buildCallback, NO_REFUNDS, reportedOrder, webhookEventOf } from '../orders/index.ts';
import type {
  CallbackPresenter,
  NewOrder,
  Order,
  OrderChains,
  OrderHistoryEntry,
  OrderRefunds,
} from '../orders/index.ts';
import type { EventPresenter } from './event-presenter.ts';
import type { NoticeScope } from './event-scope.ts';
import { undecidedWords } from './event-words.ts';

/** What is needed to format orders. */
export interface OrderEventDeps {
  readonly assets: AssetCatalogue;
  readonly chains: OrderChains;
  readonly callbacks: CallbackPresenter;
  readonly presenter: Pick<EventPresenter, 'order'>;
  readonly ids: IdGenerator;
}

type OrderMoved = Extract<RecordedEvent, { readonly type: 'order.moved' }>;

/** An event of an order. */
function orderEvent(
  { assets, chains, presenter }: OrderEventDeps,
  type: WebhookEvent,
  order: Order,
  deposits: readonly Deposit[],
  refunds: OrderRefunds,
): OutboxEvent {
  const data = (): string => presenter.order(reportedOrder(order, deposits, refunds, assets, chains));
  return { type, subjectId: order.id, at: order.updatedAt, data };
}

/** The events of a new order. */
export function newOrderRows(
  deps: OrderEventDeps,
  endpoints: readonly Subscriber[],
  order: NewOrder['order'],
): readonly Callback[] {
  // No record shows the order's number, which it gets when it is stored.
  return outboxRows(deps.ids, endpoints, orderEvent(deps, 'order.created', { ...order, number: 0 }, [], NO_REFUNDS));
}

/** The callback of an order's move, if it has one, and its events. */
export function movedOrderRows(
  deps: OrderEventDeps,
  endpoints: readonly Subscriber[],
  { order, deposits, refunds, transition }: OrderMoved,
): readonly Callback[] {
  const { ids, assets, chains, callbacks } = deps;
  const rows: Callback[] = [];
  const { event } = transition;
  if (event !== null) {
    const content = callbacks.present(event, reportedOrder(order, deposits, refunds, assets, chains));
    const callback = buildCallback({ id: ids.next() as CallbackId, order, event, content, now: order.updatedAt });
    if (callback !== null) rows.push(callback);
  }
  return [
    ...rows,
    ...outboxRows(ids, endpoints, orderEvent(deps, webhookEventOf(transition), order, deposits, refunds)),
  ];
}

/** The notices of payments about which a merchant must decide. Their events are those of the deposits. */
export async function undecidedNotices(
  { tx, amount }: NoticeScope,
  entries: readonly OrderHistoryEntry[],
): Promise<readonly NoticeDraft[]> {
  const drafts: NoticeDraft[] = [];
  for (const entry of entries) {
    const deposit = await tx.deposits.lock(entry.inputs['depositId'] as DepositId);
    const order = await tx.orders.lock(entry.orderId);
    if (deposit === null || order === null) continue;
    const toAccount = undecidedWords(entry, order, amount(deposit.currency, deposit.units));
    drafts.push({ type: 'payment.undecided', accountId: order.accountId, toAccount });
  }
  return drafts;
}
