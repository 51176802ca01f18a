import { invalidField, isId } from '../kernel/index.ts';
import type { Millis, Vault } from '../kernel/index.ts';

type Hashes = Pick<Vault, 'lookupHash' | 'lookupHashes'>;

/** The number of records that an export reads at a time. */
export const EXPORT_PART = 500;

/** Half of the hash, which is too much to guess. */
const PROOF_DIGITS = 32;
const FORM = /^([0-9a-z]{1,11})-(\d{18,19})-(?:(\d{1,6})-)?([0-9a-f]{32})$/;

/** A position in a list, newest first: a time, an id, and a number where an id has several records. */
export interface ListPosition {
  readonly createdAt: Millis;
  readonly id: string;
  readonly line?: number;
}

/**
 * Encodes a position in a list as a cursor.
 *
 * @param list - the caller and the filters of the list, to which the cursor is bound
 */
export function writeCursor({ createdAt, id, line }: ListPosition, list: unknown, vault: Hashes): string {
  const place = placeOf(createdAt.toString(36), id, line?.toString());
  return `${place}-${vault.lookupHash('cursor', proven(place, list)).slice(0, PROOF_DIGITS)}`;
}

/** @throws TillgateError `INVALID_FIELDS` with `cursor` for one that was not issued for this list */
export function readCursor<P extends ListPosition>(cursor: string, list: unknown, vault: Hashes): P {
  const [, time = '', id = '', line, proof = ''] = FORM.exec(cursor) ?? [];
  const hashes = isId(id) ? vault.lookupHashes('cursor', proven(placeOf(time, id, line), list)) : [];
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
const proven = (place: string, list: unknown): string => JSON.stringify([place, list]);

/** @throws TillgateError `INVALID_FIELDS` for a limit out of range */
export function checkLimit(limit: number, most: number): void {
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > most)
    throw invalidField('limit', `must be a whole number from 1 to ${most}`);
}
