import type { LedgerEntry, Posting } from '../../../../core/index.ts';
import type { Column } from './columns.ts';

/** A posting as a row of its entry. */
interface Line extends Posting {
  readonly entryId: string;
  readonly line: number;
}

export const ENTRY_COLUMNS: readonly Column<LedgerEntry>[] = [
  { name: 'id', kind: 'text', of: (entry) => entry.id },
  { name: 'booked_at', kind: 'bigint', of: (entry) => entry.at },
  { name: 'kind', kind: 'text', of: (entry) => entry.kind },
  { name: 'reference', kind: 'text', of: (entry) => entry.reference },
];

export const POSTING_COLUMNS: readonly Column<Line>[] = [
  { name: 'entry_id', kind: 'text', of: (line) => line.entryId },
  { name: 'line', kind: 'bigint', of: (line) => line.line },
  { name: 'account', kind: 'text', of: (line) => line.account },
  { name: 'currency', kind: 'text', of: (line) => line.currency },
  { name: 'units', kind: 'numeric', of: (line) => String(line.units) },
];

/** The postings of an entry, numbered. */
export function linesOf({ id, postings }: LedgerEntry): readonly Line[] {
  return postings.map((posting, line) => ({ ...posting, entryId: id, line }));
}
