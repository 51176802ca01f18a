import type { RaRecord } from 'react-admin';

const SHOWN_DIGITS = 6;

/** The end of a long numeric id, which differs more than its beginning. */
export const shortId = (id: string): string => (/^\d{9,}$/.test(id) ? `…${id.slice(-SHOWN_DIGITS)}` : id);

/** The fields that name a record, the first of them that it has. */
const NAMES = ['name', 'title', 'label', 'host', 'email'] as const;

/** What a record is called in the title of its page: its name, or else the end of its id. */
export function recordName(record: RaRecord): string {
  const named = NAMES.map((name): unknown => record[name]).find((value) => typeof value === 'string' && value !== '');
  return typeof named === 'string' ? named : shortId(String(record.id));
}
