import { invalidField, partOf } from '../kernel/index.ts';
import type { AccountId, ListPart, Millis, NewestQuery, Vault } from '../kernel/index.ts';

type Hashes = ListDeps['vault'];

/** The number of records that an export reads at a time. */
export const EXPORT_PART = 500;

/** Half of the hash, which is too much to guess. */
const PROOF_DIGITS = 32;
/** A time; an id with or without a line, or a name with a colon; the proof. */
const FORM = /^([0-9a-z]{1,11})-(?:(\d{18,19})(?:-(\d{1,6}))?|(\w+:.+))-([0-9a-f]{32})$/;

/** The position of a record in a list. */
interface ListPosition {
  /** Absent where the list is sorted by `id` alone. */
  readonly createdAt?: Millis;
  /** An id, or a name that has a colon after its first word. */
  readonly id: string;
  /** Where an id has several records. */
  readonly line?: number;
}

/** A request for a page of a list. */
export interface CursorRequest {
  readonly limit: number;
  /** The cursor of the page before; absent for the first page. */
  readonly cursor?: string | undefined;
}

/** A request for a page of a list of the records of an account. */
export interface AccountListInput extends CursorRequest {
  /** By default the actor's own account; for an admin all accounts. */
  readonly accountId?: AccountId | undefined;
}

/** A page of a list. */
export interface CursorPage<T> {
  readonly items: readonly T[];
  /** The cursor of the next page; `null` on the last one. */
  readonly nextCursor: string | null;
}

/** The dependencies of a use case that lists records. */
export interface ListDeps {
  readonly vault: Pick<Vault, 'lookupHash' | 'lookupHashes'>;
  /** The largest `limit` of a list. */
  readonly pageMax: number;
}

/**
 * Reads a page of a list.
 *
 * @param list - its name, the caller and the filters, to which cursors are bound
 * @throws TillgateError `INVALID_FIELDS` for a limit out of range, or a cursor of another list
 */
export async function listPage<T, P extends ListPosition>(
  list: readonly unknown[],
  { limit, cursor }: CursorRequest,
  { vault, pageMax }: ListDeps,
  read: (limit: number, after: P | null) => Promise<ListPart<T, P>>,
): Promise<CursorPage<T>> {
  checkLimit(limit, pageMax);
  const after = cursor === undefined ? null : readCursor<P>(cursor, list, vault);
  const { items, next } = await read(limit, after);
  return { items, nextCursor: next === null ? null : writeCursor(next, list, vault) };
}

/** {@link listPage} of a list that is sorted by id, newest first. */
export function newestPage<T, Id extends string>(
  list: readonly unknown[],
  page: CursorRequest,
  deps: ListDeps,
  read: (query: NewestQuery<Id>) => Promise<readonly T[]>,
  idOf: (record: T) => Id,
): Promise<CursorPage<T>> {
  return listPage(list, page, deps, async (limit, after: { readonly id: Id } | null) =>
    partOf(await read({ before: after?.id ?? null, limit: limit + 1 }), limit, (record) => ({ id: idOf(record) })),
  );
}

function writeCursor({ createdAt = 0, id, line }: ListPosition, list: readonly unknown[], vault: Hashes): string {
  const place = placeOf(createdAt.toString(36), id, line?.toString());
  return `${place}-${vault.lookupHash('cursor', proven(place, list)).slice(0, PROOF_DIGITS)}`;
}

/** @throws TillgateError `INVALID_FIELDS` with `cursor` for one that was not issued for this list */
function readCursor<P extends ListPosition>(cursor: string, list: readonly unknown[], vault: Hashes): P {
  const [, time = '', digits = '', line, name, proof = ''] = FORM.exec(cursor) ?? [];
  const id = name ?? digits;
  const hashes = proof !== '' ? vault.lookupHashes('cursor', proven(placeOf(time, id, line), list)) : [];
  if (!hashes.some((hash) => hash.slice(0, PROOF_DIGITS) === proof))
    throw invalidField('cursor', 'must be the next cursor of a page of the same list');
  const position: ListPosition = {
    createdAt: parseInt(time, 36),
    id,
    ...(line === undefined ? {} : { line: Number(line) }),
  };
  // Safe cast: the cursor is authenticated.
  return position as P;
}

const placeOf = (time: string, id: string, line?: string): string =>
  `${time}-${id}${line === undefined ? '' : `-${line}`}`;
const proven = (place: string, list: readonly unknown[]): string => JSON.stringify([place, list]);

/** @throws TillgateError `INVALID_FIELDS` for a limit out of range */
function checkLimit(limit: number, most: number): void {
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > most)
    throw invalidField('limit', `must be a whole number from 1 to ${most}`);
}
