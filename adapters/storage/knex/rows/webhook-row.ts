import type { WebhookEndpoint } from '../../../../core/index.ts';
import type { Row } from '../dialects/dialect.ts';
import type { Column } from './columns.ts';
import { flag, integer, integerOrNull, json, text, textOrNull } from './values.ts';

export const WEBHOOK_COLUMNS: readonly Column<WebhookEndpoint>[] = [
  { name: 'id', kind: 'text', of: (w) => w.id },
  { name: 'account_id', kind: 'text', of: (w) => w.accountId },
  { name: 'url', kind: 'text', of: (w) => w.url },
  { name: 'events', kind: 'text', of: (w) => JSON.stringify(w.events) },
  { name: 'enabled', kind: 'boolean', of: (w) => w.enabled },
  { name: 'sealed', kind: 'text', of: (w) => w.sealed },
  { name: 'previous_sealed', kind: 'text', of: (w) => w.previousSealed },
  { name: 'previous_until', kind: 'bigint', of: (w) => w.previousUntil },
  { name: 'created_at', kind: 'bigint', of: (w) => w.createdAt },
  { name: 'updated_at', kind: 'bigint', of: (w) => w.updatedAt },
  { name: 'format', kind: 'text', of: (w) => w.format },
];

/** The endpoint in a row of `webhook_endpoints`. */
export function webhookOf(row: Row): WebhookEndpoint {
  return {
    id: text(row, 'id') as WebhookEndpoint['id'],
    accountId: text(row, 'account_id') as WebhookEndpoint['accountId'],
    url: text(row, 'url'),
    events: json<readonly string[]>(row, 'events'),
    enabled: flag(row, 'enabled'),
    sealed: text(row, 'sealed'),
    previousSealed: textOrNull(row, 'previous_sealed'),
    previousUntil: integerOrNull(row, 'previous_until'),
    createdAt: integer(row, 'created_at'),
    updatedAt: integer(row, 'updated_at'),
    format: text(row, 'format'),
  };
}
