import { eachPage, invalidField } from '../kernel/index.ts';
import type { AccountId, ListPart, Millis, Storage, Vault } from '../kernel/index.ts';
import type { BookedPosting, PostingPosition } from './ledger-store.ts';
import { checkLimit, EXPORT_PART, listScope, readCursor, writeCursor } from '../access/index.ts';
import type { Actor } from '../access/index.ts';

export interface ManageLedgerDeps {
  readonly storage: Pick<Storage, 'ledger'>;
  readonly vault: Pick<Vault, 'lookupHash' | 'lookupHashes'>;
  /** The largest `limit` of a list. */
  readonly pageMax: number;
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
    { limit, cursor, ...filter }: LedgerFilter & { readonly limit: number; readonly cursor?: string | undefined },
  ): Promise<{ readonly items: readonly BookedPosting[]; readonly nextCursor: string | null }> {
    const { pageMax, vault } = this.#deps;
    checkLimit(limit, pageMax);
    const scope = listScope(actor, filter.userId);
    const list = ['ledger', actor.accountId, scope, filter.from, filter.to];
    const after = cursor === undefined ? null : readCursor<PostingPosition>(cursor, list, vault);
    const { items, next } = await this.#part(scope, filter, limit, after);
    return { items, nextCursor: next === null ? null : writeCursor(next, list, vault) };
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
    const items = found.slice(0, limit);
    return { items, next: found.length > limit ? (items.at(-1)?.position ?? null) : null };
  }
}
