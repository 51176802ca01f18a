import type { StoredCordon } from '../../../../core/index.ts';
import type { Row } from '../dialects/dialect.ts';
import type { Column } from './columns.ts';
import { integer, text } from './values.ts';

export const CORDON_COLUMNS: readonly Column<StoredCordon>[] = [
  { name: 'id', kind: 'text', of: (c) => c.id },
  { name: 'route_id', kind: 'text', of: (c) => c.routeId },
  { name: 'sealed_url', kind: 'text', of: (c) => c.sealedUrl },
  { name: 'created_at', kind: 'bigint', of: (c) => c.createdAt },
];

/** The cordon in a row of `gateway_cordons`. */
export function cordonOf(row: Row): StoredCordon {
  return {
    id: text(row, 'id') as StoredCordon['id'],
    routeId: text(row, 'route_id') as StoredCordon['routeId'],
    sealedUrl: text(row, 'sealed_url'),
    createdAt: integer(row, 'created_at'),
  };
}
