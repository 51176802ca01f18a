import { assert } from '../kernel/index.ts';
import type { Transaction } from '../kernel/index.ts';
import type { LedgerEntry } from './entry.ts';

/**
 * Books an entry; the only way to write to the ledger.
 *
 * @returns false, with nothing changed, when its reference was booked before
 */
export async function postEntry(tx: Transaction, entry: LedgerEntry): Promise<boolean> {
  return tx.ledger.append(balanced(entry));
}

/** The entry without postings of zero. An entry without postings, or that does not sum to zero, is a defect. */
export function balanced(entry: LedgerEntry): LedgerEntry {
  const postings = entry.postings.filter(({ units }) => units !== 0n);
  const sums = new Map<string, bigint>();
  for (const { currency, units } of postings) sums.set(currency, (sums.get(currency) ?? 0n) + units);
  for (const [currency, sum] of sums) assert(sum === 0n, `entry ${entry.reference} leaves ${sum} units of ${currency}`);
  assert(postings.length > 1, `entry ${entry.reference} moves nothing`);
  return { ...entry, postings };
}
