import { eachPage } from '../kernel/index.ts';
import type { AccountId, ListPart, Storage, Vault } from '../kernel/index.ts';
import type { SearchDeps } from './order-search.ts';
import type { TransactionPosition } from '../chain/index.ts';
import { transactionSearch } from './transaction-search.ts';
import type { TransactionFilter } from './transaction-search.ts';
import type { TransactionRow } from '../ledger/index.ts';
import { checkLimit, EXPORT_PART, listScope, readCursor, writeCursor } from '../access/index.ts';
import type { Actor } from '../access/index.ts';

export interface ManageTransactionsDeps extends SearchDeps {
  readonly storage: Pick<Storage, 'deposits'>;
  readonly vault: Pick<Vault, 'lookupHash' | 'lookupHashes'>;
  /** The largest `limit` of a list. */
  readonly pageMax: number;
}

/** A request for a list of transactions: the account and the filter. */
export interface ListTransactionsInput extends TransactionFilter {
  /** By default the actor's own account; for an admin all accounts. */
  readonly userId?: AccountId | undefined;
}

/** Transactions for their owners. */
export class ManageTransactions {
  readonly #deps: ManageTransactionsDeps;

  constructor(deps: ManageTransactionsDeps) {
    this.#deps = deps;
  }

  /**
   * Transactions, newest first.
   *
   * @throws TillgateError `INVALID_FIELDS` for a limit out of range, an empty range of time, or a cursor of another
   *   list; `NOT_FOUND` for another account
   */
  async list(
    actor: Actor,
    {
      userId,
      limit,
      cursor,
      ...filter
    }: ListTransactionsInput & { readonly limit: number; readonly cursor?: string | undefined },
  ): Promise<{ readonly items: readonly TransactionRow[]; readonly nextCursor: string | null }> {
    const { pageMax, vault } = this.#deps;
    checkLimit(limit, pageMax);
    const scope = listScope(actor, userId);
    const { type, status, chain, currency, from, to, q } = filter;
    const list = ['transactions', actor.accountId, scope, type, status, chain, currency, from, to, q];
    const after = cursor === undefined ? null : readCursor<TransactionPosition>(cursor, list, vault);
    const { items, next } = await this.#part(scope, filter, limit, after);
    return { items, nextCursor: next === null ? null : writeCursor(next, list, vault) };
  }

  /**
   * All transactions of a list, newest first, each once. Each part is read when it is requested, without an open
   * database transaction. One whose status changes meanwhile may have either status.
   *
   * @throws TillgateError `INVALID_FIELDS` for an empty range of time; `NOT_FOUND` for another account
   */
  async export(
    actor: Actor,
    { userId, ...filter }: ListTransactionsInput,
  ): Promise<AsyncIterable<readonly TransactionRow[]>> {
    const scope = listScope(actor, userId);
    return eachPage((after: TransactionPosition | null) => this.#part(scope, filter, EXPORT_PART, after));
  }

  async #part(
    accountId: AccountId | null,
    filter: TransactionFilter,
    limit: number,
    after: TransactionPosition | null,
  ): Promise<ListPart<TransactionRow, TransactionPosition>> {
    const search = transactionSearch(accountId, filter, { limit: limit + 1, after }, this.#deps);
    const found = search === null ? [] : await this.#deps.storage.deposits.searchTransactions(search);
    const items = found.slice(0, limit);
    const last = found.length > limit ? items.at(-1) : undefined;
    return { items, next: last === undefined ? null : { createdAt: last.at, id: last.id } };
  }
}
