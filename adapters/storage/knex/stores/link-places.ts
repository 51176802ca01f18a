import type { LinkPlace, NewOrder, OrderId, PlaceRefusal } from '../../../../core/index.ts';
import { HOLDS_PLACE } from '../../../../core/index.ts';
import { integer } from '../rows/values.ts';
import type { Tables } from '../tables.ts';
import type { Run } from '../dialects/dialect.ts';

/**
 * The orders of a batch whose payment links have no place for them. Each link is locked, in the order of their ids, until the
 * orders are committed: two instances cannot both take the last place. A batch has one order of a link at most.
 */
export async function refusedByLinks(
  run: Run,
  tables: Tables,
  batch: readonly NewOrder[],
  forUpdate: string,
): Promise<ReadonlyMap<OrderId, PlaceRefusal>> {
  const refused = new Map<OrderId, PlaceRefusal>();
  const placed = batch.flatMap(({ order, place }) => (place === undefined ? [] : [{ id: order.id, place }]));
  const byLink = placed.toSorted((a, b) => (a.place.linkId < b.place.linkId ? -1 : 1));
  for (const { id, place } of byLink) {
    const why = await refusal(run, tables, place, forUpdate);
    if (why !== null) refused.set(id, why);
  }
  return refused;
}

const HOLDING = HOLDS_PLACE.map((status) => `'${status}'`).join(', ');

async function refusal(
  run: Run,
  { links, orders }: Tables,
  { linkId, version, maxSales, maxOpen }: LinkPlace,
  forUpdate: string,
): Promise<PlaceRefusal | null> {
  const [link] = await run(`SELECT version FROM ${links} WHERE id = ? ${forUpdate}`, [linkId]);
  if (link === undefined || integer(link, 'version') !== version) return 'link-changed';
  const count = async (statuses: string, most: number): Promise<number> => {
    const [row] = await run(
      `SELECT count(*) AS orders FROM (SELECT 1 FROM ${orders} WHERE link_id = ? AND status IN (${statuses}) LIMIT ?) AS held`,
      [linkId, most],
    );
    return row === undefined ? 0 : integer(row, 'orders');
  };
  if (maxSales !== null && (await count(HOLDING, maxSales)) >= maxSales) return 'no-sale-left';
  return (await count(`'PENDING'`, maxOpen)) >= maxOpen ? 'too-many-open' : null;
}
