import { eachPage, invalidField, partOf } from '../kernel/index.ts';
import type { AccountId, ListPart, Millis, Storage } from '../kernel/index.ts';
import type { BookedPosting, PostingPosition } from './ledger-store.ts';
import { EXPORT_PART, listPage, listScope } from '../access/index.ts';
import type { Actor, CursorPage, CursorRequest, ListDeps } from '../access/index.ts';

export interface ManageLedgerDeps extends ListDeps {
  readonly storage: Pick<Storage, 'ledger'>;
}

/** The filter of a list of postings. */
export interface LedgerFilter {
  /** By default the actor's own account; for an admin all accounts, including the till's own. */
  readonly userId?: AccountId | undefined;
  /** Postings at or after this time. */
  readonly from?: Millis | undefined;
  /** Postings before this time. */
  readonly to?: Millis | undefined;
}

/** The ledger for its owners: every posting, so that their sums are the balances. */
export class ManageLedger {
  readonly #deps: ManageLedgerDeps;

  constructor(deps: ManageLedgerDeps) {
    this.#deps = deps;
  }

  /**
   * Postings, newest first.
   *
   * @throws TillgateError `INVALID_FIELDS` for a limit out of range, an empty range of time, or a cursor of another
   *   list; `NOT_FOUND` for another account
   */
  async list(
    actor: Actor,
    { limit, cursor, ...filter }: LedgerFilter & CursorRequest,
  ): Promise<CursorPage<BookedPosting>> {
    const scope = listScope(actor, filter.userId);
    const list = ['ledger', actor.accountId, scope, filter.from, filter.to];
    return listPage(list, { limit, cursor }, this.#deps, (most, after: PostingPosition | null) =>
      this.#part(scope, filter, most, after),
    );
  }

  /**
   * All postings of a list, newest first, each once. Each part is read when it is requested, without an open
   * transaction.
   *
   * @throws TillgateError `INVALID_FIELDS` for an empty range of time; `NOT_FOUND` for another account
   */
  async export(actor: Actor, filter: LedgerFilter): Promise<AsyncIterable<readonly BookedPosting[]>> {
    const scope = listScope(actor, filter.userId);
    return eachPage((after: PostingPosition | null) => this.#part(scope, filter, EXPORT_PART, after));
  }

  async #part(
    accountId: AccountId | null,
    { from = null, to = null }: { readonly from?: Millis | null | undefined; readonly to?: Millis | null | undefined },
    limit: number,
    after: PostingPosition | null,
  ): Promise<ListPart<BookedPosting, PostingPosition>> {
    if (from !== null && to !== null && from >= to) throw invalidField('from', 'must be before `to`');
    const found = await this.#deps.storage.ledger.postings({ accountId, from, to, after, limit: limit + 1 });
    return partOf(found, limit, ({ position }) => position);
  }
}
