import type { AccountId, ChainCode, CurrencyCode, Millis } from '../kernel/index.ts';
import { invalidField } from '../kernel/index.ts';
import { coinsOf, tracesOf } from './order-search.ts';
import type { SearchDeps } from './order-search.ts';
import type { TransactionPosition, TransactionSearch } from '../chain/index.ts';
import { TRANSACTION_STATUSES, TRANSACTION_TYPES } from '../ledger/index.ts';
import type { TransactionStatus, TransactionType } from '../ledger/index.ts';

/** The filter of a list of transactions. */
export interface TransactionFilter {
  readonly type?: TransactionType | undefined;
  readonly status?: TransactionStatus | undefined;
  readonly chain?: ChainCode | undefined;
  readonly currency?: CurrencyCode | undefined;
  /** Transactions at or after this time. */
  readonly from?: Millis | undefined;
  /** Transactions before this time. */
  readonly to?: Millis | undefined;
  /** The transaction's id or hash, its order, or the address that it paid. */
  readonly q?: string | undefined;
}

/** Converts a filter to a search; `null` for no match. @throws TillgateError `INVALID_FIELDS` for an empty range */
export function transactionSearch(
  accountId: AccountId | null,
  { type, status, chain, currency, from, to, q }: TransactionFilter,
  { limit, after }: { readonly limit: number; readonly after: TransactionPosition | null },
  deps: SearchDeps,
): TransactionSearch | null {
  if (from !== undefined && to !== undefined && from >= to) throw invalidField('from', 'must be before `to`');
  const currencies = chain === undefined && currency === undefined ? null : coinsOf(chain, currency, deps);
  if (currencies?.length === 0) return null;
  return {
    accountId,
    types: type === undefined ? TRANSACTION_TYPES : [type],
    statuses: status === undefined ? TRANSACTION_STATUSES : [status],
    currencies,
    from: from ?? null,
    to: to ?? null,
    traces: q === undefined ? null : { ...tracesOf(q, deps), currencies: coinsOf(chain, currency, deps) },
    after,
    limit,
  };
}
