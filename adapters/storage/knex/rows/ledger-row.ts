import type { BookedPosting, EntryId, LedgerEntry, Millis, Posting } from '../../../../core/index.ts';
import type { Row } from '../dialects/dialect.ts';
import { integer, text, units } from './values.ts';
import type { Column } from './columns.ts';

/** A posting as a row of its entry. */
interface Line extends Posting {
  readonly entryId: string;
  readonly line: number;
  readonly at: Millis;
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
  { name: 'booked_at', kind: 'bigint', of: (line) => line.at },
];

/** The postings of an entry, numbered. */
export function linesOf({ id, at, postings }: LedgerEntry): readonly Line[] {
  return postings.map((posting, line) => ({ ...posting, entryId: id, line, at }));
}

/** The posting in a row that has its entry's columns too. */
export function bookedPostingOf(row: Row): BookedPosting {
  return {
    position: {
      createdAt: integer(row, 'booked_at'),
      id: text(row, 'entry_id') as EntryId,
      line: integer(row, 'line'),
    },
    kind: text(row, 'kind') as BookedPosting['kind'],
    reference: text(row, 'reference'),
    account: text(row, 'account') as BookedPosting['account'],
    currency: text(row, 'currency'),
    units: units(row, 'units'),
  };
}
