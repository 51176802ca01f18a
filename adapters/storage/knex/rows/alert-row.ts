import type { Alert } from '../../../../core/index.ts';
import type { Row } from '../dialects/dialect.ts';
import type { Column } from './columns.ts';
import { integer, integerOrNull, text, textOrNull } from './values.ts';

export const ALERT_COLUMNS: readonly Column<Alert>[] = [
  { name: 'id', kind: 'text', of: (a) => a.id },
  { name: 'kind', kind: 'text', of: (a) => a.kind },
  { name: 'subject', kind: 'text', of: (a) => a.subject },
  { name: 'reason', kind: 'text', of: (a) => a.reason },
  { name: 'status', kind: 'text', of: (a) => a.status },
  { name: 'first_at', kind: 'bigint', of: (a) => a.firstAt },
  { name: 'last_at', kind: 'bigint', of: (a) => a.lastAt },
  { name: 'raised', kind: 'bigint', of: (a) => a.count },
  { name: 'acknowledged_at', kind: 'bigint', of: (a) => a.acknowledgedAt },
  { name: 'acknowledged_by', kind: 'text', of: (a) => a.acknowledgedBy },
];

/** The alert in a row of `alerts`. */
export function alertOf(row: Row): Alert {
  return {
    id: text(row, 'id') as Alert['id'],
    kind: text(row, 'kind') as Alert['kind'],
    subject: text(row, 'subject'),
    reason: text(row, 'reason'),
    status: text(row, 'status') as Alert['status'],
    firstAt: integer(row, 'first_at'),
    lastAt: integer(row, 'last_at'),
    count: integer(row, 'raised'),
    acknowledgedAt: integerOrNull(row, 'acknowledged_at'),
    acknowledgedBy: textOrNull(row, 'acknowledged_by') as Alert['acknowledgedBy'],
  };
}
