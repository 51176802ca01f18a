import { createHash } from 'node:crypto';
import { formatUnits, obtainedUnits, present } from '../../core/index.ts';
import type {
  AssetCatalogue,
  CheckoutView,
  Clock,
  LinkStore,
  Millis,
  OrderQueries,
  ShopOrderStore,
  Transfer,
  TransferStore,
} from '../../core/index.ts';

/** A refund to the payer, in progress or complete. */
export interface RefundNotice {
  readonly sent: boolean;
  /** A plain decimal: the amount that the payer receives. */
  readonly amount: string;
  readonly address: string;
}

/** An order as its payer sees it at one moment. */
export interface OrderSnapshot {
  readonly view: CheckoutView;
  /** `null` while no refund is in progress. */
  readonly refund: RefundNotice | null;
  /** The title of the payment link that the order was made from; `null` for none. */
  readonly item: string | null;
  /** Whether a shop system keeps the order, and may show its page in a frame. */
  readonly ofShop: boolean;
  readonly at: Millis;
  /** Equal for two snapshots that look the same to the payer. */
  readonly version: string;
}

/** The way in which a page learns of the order's changes: an event stream, slow polling, or none. */
export type Following = 'stream' | 'seldom' | 'never';

/** The sources of {@link takeSnapshot}. */
export interface SnapshotSources {
  readonly orderQueries: Pick<OrderQueries, 'checkout'>;
  readonly storage: {
    readonly transfers: Pick<TransferStore, 'refundOf'>;
    readonly links: Pick<LinkStore, 'find'>;
    readonly shopOrders: Pick<ShopOrderStore, 'find'>;
  };
  readonly assets: Pick<AssetCatalogue, 'find'>;
  readonly clock: Clock;
}

/** Reads an order for its payer. @throws TillgateError `NOT_FOUND` */
export async function takeSnapshot(
  { orderQueries, storage, assets, clock }: SnapshotSources,
  token: string,
): Promise<OrderSnapshot> {
  const view = await orderQueries.checkout(token);
  const transfer = view.order.received === 0n ? null : await storage.transfers.refundOf(view.order.id);
  const refund = noticeOf(transfer, assets);
  const { id, linkId } = view.order;
  const item = linkId === null ? null : ((await storage.links.find(linkId))?.title ?? null);
  const ofShop = (await storage.shopOrders.find(id)) !== null;
  const at = clock.now();
  return { view, refund, item, ofShop, at, version: versionOf(view, refund, at) };
}

/** A failed refund is not shown: the money did not move, and the merchant handles it. */
function noticeOf(transfer: Transfer | null, assets: SnapshotSources['assets']): RefundNotice | null {
  if (transfer === null || transfer.status === 'FAILED') return null;
  const { decimals } = present(assets.find(transfer.currency), `asset ${transfer.currency}`);
  return {
    sent: transfer.status === 'CONFIRMED',
    amount: formatUnits(obtainedUnits(transfer), decimals),
    address: transfer.toAddress,
  };
}

/** True once the deadline has passed by the till's clock; the chain decides whether a payment came in time. */
export function isPastDeadline({ order }: CheckoutView, now: Millis): boolean {
  return now >= order.expiresAt;
}

/** Confirmations to show: at most the required number. */
export function shownConfirmations({ confirmations, confirmationsRequired }: CheckoutView): number {
  return Math.min(confirmations, confirmationsRequired);
}

/** The updates that an order may still need. */
export function followingOf({ view: { order }, refund }: OrderSnapshot, now: Millis): Following {
  if (order.status === 'PENDING') return 'stream';
  if (order.reorgedAt !== null && (order.status === 'SUCCESS' || order.status === 'RESOLVED')) return 'stream';
  const waitsForMoney = (order.status === 'OVERDUE' || order.status === 'PARTIAL') && order.watchUntil > now;
  return waitsForMoney || (refund !== null && !refund.sent && order.status !== 'REFUNDED') ? 'seldom' : 'never';
}

function versionOf(view: CheckoutView, refund: RefundNotice | null, now: Millis): string {
  const { order } = view;
  const shown = [
    order.status,
    order.payment?.chain,
    order.payment?.currency,
    order.payment?.address,
    view.amount,
    view.received,
    view.arrived,
    view.remaining,
    view.paymentUri,
    view.seen,
    shownConfirmations(view),
    view.confirmationsRequired,
    view.parts.map(({ txid, amount, confirmations }) => [
      txid,
      amount,
      Math.min(confirmations, view.confirmationsRequired),
    ]),
    view.invoice,
    view.vanished,
    view.refundAddress,
    order.reorgedAt !== null,
    isPastDeadline(view, now),
    refund,
  ];
  return createHash('sha256').update(JSON.stringify(shown)).digest('base64url').slice(0, 16);
}
