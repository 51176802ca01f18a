import type { LinkPlace, Millis, NewOrder, OrderId, PlaceRefusal } from '../../../../../core/index.ts';
import { SOLD } from '../../../../../core/index.ts';
import { integer } from '../../rows/values.ts';
import type { Tables } from '../../tables.ts';
import type { Run } from '../../dialects/dialect.ts';

/**
 * The orders of a batch whose payment links have no sale left. Each link is locked, in the order of ids, until the
 * orders are committed, so two instances cannot both take the last sale. A batch has at most one order of a link.
 */
export async function refusedByLinks(
  run: Run,
  tables: Tables,
  batch: readonly NewOrder[],
  forUpdate: string,
): Promise<ReadonlyMap<OrderId, PlaceRefusal>> {
  const refused = new Map<OrderId, PlaceRefusal>();
  const placed = batch.flatMap(({ order, place }) =>
    place === undefined ? [] : [{ id: order.id, place, now: order.createdAt }],
  );
  const byLink = placed.toSorted((a, b) => (a.place.linkId < b.place.linkId ? -1 : 1));
  for (const { id, place, now } of byLink) {
    const why = await refusal(run, tables, place, { now, forUpdate });
    if (why !== null) refused.set(id, why);
  }
  return refused;
}

const SALES = SOLD.map((status) => `'${status}'`).join(', ');

/**
 * An SQL condition for an order that can still be paid: until its deadline, and afterwards while a payment was seen and
 * it has not expired. Its one `?` is the time.
 */
export const openOrders = ({
  deposits,
  unconfirmedPayments,
}: Pick<Tables, 'deposits' | 'unconfirmedPayments'>): string =>
  `o.status = 'PENDING' AND (o.expires_at > ?
    OR EXISTS (SELECT 1 FROM ${deposits} AS d WHERE d.order_id = o.id AND d.status <> 'ORPHANED' AND d.paid_at <= o.expires_at)
    OR EXISTS (SELECT 1 FROM ${unconfirmedPayments} AS s WHERE s.order_id = o.id AND s.status <> 'GONE' AND s.seen_at <= o.expires_at))`;

async function refusal(
  run: Run,
  tables: Tables,
  { linkId, version, maxSales, maxOpen }: LinkPlace,
  { now, forUpdate }: { readonly now: Millis; readonly forUpdate: string },
): Promise<PlaceRefusal | null> {
  const { links, orders } = tables;
  const open = openOrders(tables);
  const [link] = await run(`SELECT version FROM ${links} WHERE id = ? ${forUpdate}`, [linkId]);
  if (link === undefined || integer(link, 'version') !== version) return 'link-changed';
  const count = async (held: string, most: number): Promise<number> => {
    const [row] = await run(
      `SELECT count(*) AS orders FROM (SELECT 1 FROM ${orders} AS o WHERE link_id = ? AND ${held} LIMIT ?) AS held`,
      [linkId, now, most],
    );
    return row === undefined ? 0 : integer(row, 'orders');
  };
  if (maxSales !== null && (await count(`(o.status IN (${SALES}) OR ${open})`, maxSales)) >= maxSales)
    return 'no-sale-left';
  return (await count(open, maxOpen)) >= maxOpen ? 'too-many-open' : null;
}
