import { invalidField } from '../kernel/errors.ts';
import { isId } from '../kernel/ids.ts';
import type { OrderId } from '../kernel/ids.ts';
import type { OrderPosition } from '../ports/order-store.ts';
import type { Vault } from '../ports/vault.ts';

type Hashes = Pick<Vault, 'lookupHash' | 'lookupHashes'>;

/** How many records an export reads at a time. */
export const EXPORT_PART = 500;

/** Half of the hash: more than anybody can guess. */
const PROOF_DIGITS = 32;
const FORM = /^([0-9a-z]{1,11})-(\d{18,19})-([0-9a-f]{32})$/;

/**
 * A position in a list, as the list gives it out.
 *
 * @param list - what the list is of: who asks, and for what. It is worth nothing for another one.
 */
export function writeCursor({ createdAt, id }: OrderPosition, list: unknown, vault: Hashes): string {
  const place = placeOf(createdAt.toString(36), id);
  return `${place}-${vault.lookupHash('cursor', proven(place, list)).slice(0, PROOF_DIGITS)}`;
}

/** @throws TillgateError `INVALID_FIELDS` naming `cursor` for one that this list did not give out */
export function readCursor(cursor: string, list: unknown, vault: Hashes): OrderPosition {
  const [, time = '', id = '', proof = ''] = FORM.exec(cursor) ?? [];
  const hashes = isId(id) ? vault.lookupHashes('cursor', proven(placeOf(time, id), list)) : [];
  if (!hashes.some((hash) => hash.slice(0, PROOF_DIGITS) === proof))
    throw invalidField('cursor', 'must be the next_cursor of a page of the same list');
  return { createdAt: parseInt(time, 36), id: id as OrderId };
}

const placeOf = (time: string, id: string): string => `${time}-${id}`;
const proven = (place: string, list: unknown): string => JSON.stringify([place, list]);
