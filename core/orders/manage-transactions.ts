import { eachPage, partOf } from '../kernel/index.ts';
import type { AccountId, ListPart, Storage } from '../kernel/index.ts';
import type { SearchDeps } from './order-search.ts';
import type { TransactionPosition } from '../chain/index.ts';
import { transactionSearch } from './transaction-search.ts';
import type { TransactionFilter } from './transaction-search.ts';
import type { TransactionRow } from '../ledger/index.ts';
import { EXPORT_PART, listPage, listScope } from '../access/index.ts';
import type { Actor, CursorPage, CursorRequest, ListDeps } from '../access/index.ts';

export interface ManageTransactionsDeps extends SearchDeps, ListDeps {
  readonly storage: Pick<Storage, 'deposits'>;
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
    { userId, limit, cursor, ...filter }: ListTransactionsInput & CursorRequest,
  ): Promise<CursorPage<TransactionRow>> {
    const scope = listScope(actor, userId);
    const { type, status, chain, currency, from, to, q } = filter;
    const list = ['transactions', actor.accountId, scope, type, status, chain, currency, from, to, q];
    return listPage(list, { limit, cursor }, this.#deps, (most, after: TransactionPosition | null) =>
      this.#part(scope, filter, most, after),
    );
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
    return partOf(found, limit, ({ at, id }) => ({ createdAt: at, id }));
  }
}
