import { invalidField, LIGHTNING_ASSET } from '../kernel/index.ts';
import type { AccountId, AssetCatalogue, ChainCode, CurrencyCode, LinkId, Millis } from '../kernel/index.ts';
import type { ChainAdapter, OrderTraces } from '../chain/index.ts';
import type { OrderPosition, OrderSearch } from './order-store.ts';
import { ORDER_STATUSES } from './order-status.ts';
import type { OrderStatus } from './order-status.ts';

/** The filter of a list of orders. */
export interface OrderFilter {
  readonly status?: OrderStatus | undefined;
  readonly chain?: ChainCode | undefined;
  readonly currency?: CurrencyCode | undefined;
  /** Orders created at or after this time. */
  readonly from?: Millis | undefined;
  /** Orders created before this time. */
  readonly to?: Millis | undefined;
  /** The order's id, its merchant reference, a deposit address, or the hash of a transaction that pays it. */
  readonly q?: string | undefined;
  /** Orders of this payment link. */
  readonly linkId?: LinkId | undefined;
}

export interface SearchDeps {
  readonly assets: Pick<AssetCatalogue, 'list'>;
  readonly chains: ReadonlyMap<ChainCode, Pick<ChainAdapter, 'normaliseAddress'>>;
}

const HASH = /^(?:0x)?([0-9a-f]{16,128})$/i;

/** Converts a filter to a search; `null` for no match. @throws TillgateError `INVALID_FIELDS` for an empty range */
export function orderSearch(
  accountId: AccountId | null,
  { status, chain, currency, from, to, q, linkId }: OrderFilter,
  { limit, after }: { readonly limit: number; readonly after: OrderPosition | null },
  deps: SearchDeps,
): OrderSearch | null {
  if (from !== undefined && to !== undefined && from >= to) throw invalidField('from', 'must be before `to`');
  const currencies = chain === undefined && currency === undefined ? null : coinsOf(chain, currency, deps);
  if (currencies?.length === 0) return null;
  return {
    accountId,
    statuses: status === undefined ? ORDER_STATUSES : [status],
    currencies,
    from: from ?? null,
    to: to ?? null,
    traces: q === undefined ? null : tracesOf(q, deps),
    linkId: linkId ?? null,
    after,
    limit,
  };
}

/** The coins of a filter. An asset belongs to one chain, so the coins of a chain stand for the chain. */
export function coinsOf(
  chain: ChainCode | undefined,
  currency: CurrencyCode | undefined,
  { assets }: SearchDeps,
): readonly CurrencyCode[] {
  return assets
    .list()
    .map(({ asset }) => asset)
    .filter((asset) => (chain ?? asset.chain) === asset.chain && (currency ?? asset.currency) === asset.currency)
    .map((asset) => asset.currency);
}

/** A text in each of the forms in which it could be stored. */
export function tracesOf(text: string, { assets, chains }: SearchDeps): OrderTraces {
  const codes = [...new Set(assets.list().map(({ asset }) => asset.chain))];
  const [, digits] = HASH.exec(text) ?? [];
  const hashes = digits === undefined ? [] : [digits.toLowerCase(), `0x${digits.toLowerCase()}`];
  const addresses = [...chains].flatMap(([chain, adapter]) => {
    const address = adapter.normaliseAddress(text);
    return address === null ? [] : [{ chain, address }];
  });
  return {
    text,
    addresses: [...addresses, { chain: LIGHTNING_ASSET.chain, address: text.toLowerCase() }],
    transactions: codes.flatMap((chain) => hashes.map((txid) => ({ chain, txid }))),
  };
}
