import type { Callback, CallbackAttempt } from '../../../../core/index.ts';
import type { Row } from '../dialects/dialect.ts';
import type { Column } from './columns.ts';
import { integer, integerOrNull, text, textOrNull } from './values.ts';

export const CALLBACK_COLUMNS: readonly Column<Callback>[] = [
  { name: 'id', kind: 'text', of: (c) => c.id },
  // Empty for none: the column is part of a key of the daily sums.
  { name: 'account_id', kind: 'text', of: (c) => c.accountId ?? '' },
  { name: 'order_id', kind: 'text', of: (c) => c.orderId },
  { name: 'endpoint_id', kind: 'text', of: (c) => c.endpointId },
  { name: 'subject_id', kind: 'text', of: (c) => c.subjectId },
  { name: 'event', kind: 'text', of: (c) => c.event },
  { name: 'credential_id', kind: 'text', of: (c) => c.credentialId },
  { name: 'method', kind: 'text', of: (c) => c.method },
  { name: 'url', kind: 'text', of: (c) => c.url },
  { name: 'body', kind: 'text', of: (c) => c.body },
  { name: 'status', kind: 'text', of: (c) => c.status },
  { name: 'attempts', kind: 'bigint', of: (c) => c.attempts },
  { name: 'next_at', kind: 'bigint', of: (c) => c.nextAt },
  { name: 'created_at', kind: 'bigint', of: (c) => c.createdAt },
  { name: 'delivered_at', kind: 'bigint', of: (c) => c.deliveredAt },
];

/** The callback in a row of `callbacks`. */
export function callbackOf(row: Row): Callback {
  return {
    id: text(row, 'id') as Callback['id'],
    accountId: (text(row, 'account_id') || null) as Callback['accountId'],
    orderId: textOrNull(row, 'order_id') as Callback['orderId'],
    endpointId: textOrNull(row, 'endpoint_id') as Callback['endpointId'],
    subjectId: textOrNull(row, 'subject_id'),
    event: text(row, 'event') as Callback['event'],
    credentialId: textOrNull(row, 'credential_id') as Callback['credentialId'],
    method: text(row, 'method') as Callback['method'],
    url: text(row, 'url'),
    body: textOrNull(row, 'body'),
    status: text(row, 'status') as Callback['status'],
    attempts: integer(row, 'attempts'),
    nextAt: integer(row, 'next_at'),
    createdAt: integer(row, 'created_at'),
    deliveredAt: integerOrNull(row, 'delivered_at'),
  };
}

export const ATTEMPT_COLUMNS: readonly Column<CallbackAttempt>[] = [
  { name: 'callback_id', kind: 'text', of: (a) => a.callbackId },
  { name: 'happened_at', kind: 'bigint', of: (a) => a.at },
  { name: 'duration_ms', kind: 'bigint', of: (a) => Math.round(a.durationMs) },
  { name: 'http_status', kind: 'bigint', of: (a) => a.httpStatus },
  { name: 'error', kind: 'text', of: (a) => a.error },
];

/** The attempt in a row of `callback_attempts`. */
export function attemptOf(row: Row): CallbackAttempt {
  return {
    callbackId: text(row, 'callback_id') as CallbackAttempt['callbackId'],
    at: integer(row, 'happened_at'),
    durationMs: integer(row, 'duration_ms'),
    httpStatus: integerOrNull(row, 'http_status'),
    error: textOrNull(row, 'error'),
  };
}
