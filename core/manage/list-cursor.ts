import { invalidField } from '../kernel/errors.ts';
import { isId } from '../kernel/ids.ts';
import type { Millis } from '../kernel/time.ts';
import type { Vault } from '../ports/vault.ts';

type Hashes = Pick<Vault, 'lookupHash' | 'lookupHashes'>;

/** How many records an export reads at a time. */
export const EXPORT_PART = 500;

/** Half of the hash: more than anybody can guess. */
const PROOF_DIGITS = 32;
const FORM = /^([0-9a-z]{1,11})-(\d{18,19})-(?:(\d{1,6})-)?([0-9a-f]{32})$/;

/** A position in a list, newest first: a time, an id, and a number where an id has several records. */
export interface ListPosition {
  readonly createdAt: Millis;
  readonly id: string;
  readonly line?: number;
}

/**
 * A position in a list, as the list gives it out.
 *
 * @param list - what the list is of: who asks, and for what. It is worth nothing for another one.
 */
export function writeCursor({ createdAt, id, line }: ListPosition, list: unknown, vault: Hashes): string {
  const place = placeOf(createdAt.toString(36), id, line?.toString());
  return `${place}-${vault.lookupHash('cursor', proven(place, list)).slice(0, PROOF_DIGITS)}`;
}

/** @throws TillgateError `INVALID_FIELDS` naming `cursor` for one that this list did not give out */
export function readCursor<P extends ListPosition>(cursor: string, list: unknown, vault: Hashes): P {
  const [, time = '', id = '', line, proof = ''] = FORM.exec(cursor) ?? [];
  const hashes = isId(id) ? vault.lookupHashes('cursor', proven(placeOf(time, id, line), list)) : [];
  if (!hashes.some((hash) => hash.slice(0, PROOF_DIGITS) === proof))
    throw invalidField('cursor', 'must be the next_cursor of a page of the same list');
  const position: ListPosition = {
    createdAt: parseInt(time, 36),
    id,
    ...(line === undefined ? {} : { line: Number(line) }),
  };
  // The list itself has given it out, so it is one of its positions.
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
