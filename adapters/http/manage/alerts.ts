import { ALERT_STATUSES, formatInstant } from '../../../core/index.ts';
import type { Alert, AlertId } from '../../../core/index.ts';
import { z } from 'zod';
import { accountExample } from './accounts.ts';
import { idParams, word } from './fields.ts';
import { manageList, manageOperation } from './operation.ts';
import type { ManageOperation } from './operation.ts';
import { id, instant, pageRecord, time, whole } from './reply-fields.ts';

export const alertSchema = z
  .object({
    id: id('The alert'),
    kind: z.string().meta({ description: 'What it is about, as in the metric tillgate_alerts_total' }),
    subject: z.string(),
    reason: z.string().meta({ description: 'The latest' }),
    status: z.enum(ALERT_STATUSES),
    first_at: instant('When it was raised first'),
    last_at: instant('When it was raised last'),
    count: whole('How often it was raised while it was open'),
    acknowledged_at: instant('When an admin closed it').nullable(),
    acknowledged_by: id('Who').nullable().meta({ description: 'null for the operator at the command line' }),
  })
  .meta({ id: 'Alert' });

type AlertRecord = z.input<typeof alertSchema>;

export function alertRecord(alert: Alert): AlertRecord {
  return {
    id: alert.id,
    kind: alert.kind,
    subject: alert.subject,
    reason: alert.reason,
    status: alert.status,
    first_at: formatInstant(alert.firstAt),
    last_at: formatInstant(alert.lastAt),
    count: alert.count,
    acknowledged_at: time(alert.acknowledgedAt),
    acknowledged_by: alert.acknowledgedBy,
  };
}

const example = {
  id: '1530219844911046800',
  kind: 'payouts-stopped',
  subject: 'chain ETH',
  reason: 'The hot wallet of ETH holds less than the books say.',
  status: 'OPEN',
  first_at: accountExample.created_at,
  last_at: accountExample.modified_at,
  count: 2,
  acknowledged_at: null,
  acknowledged_by: null,
} as const satisfies AlertRecord;

/** Alerts, for admins (decisions, section 14). */
export const alertOperations: readonly ManageOperation[] = [
  manageList({
    id: 'listAlerts',
    path: '/alerts',
    summary: 'What an operator has to look at',
    description: 'Newest first. One that is raised again while it is open counts once more. Admins only.',
    filter: { status: word(ALERT_STATUSES, 'Only these').optional() },
    name: 'AlertList',
    item: alertSchema,
    example,
    handler: async ({ actor, query: { status, ...page } }, { manage }) =>
      pageRecord(await manage.alerts.list(actor, status ?? null, page), alertRecord),
  }),
  manageOperation({
    id: 'acknowledgeAlert',
    method: 'POST',
    path: '/alerts/{id}/acknowledge',
    summary: 'Close an alert',
    description: 'Somebody has looked at it. What is raised again after that is a new alert. Admins only.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params: idParams<AlertId>('The alert'),
    data: alertSchema,
    examples: {
      data: {
        ...example,
        status: 'ACKNOWLEDGED',
        acknowledged_at: accountExample.modified_at,
        acknowledged_by: accountExample.id,
      },
    },
    handler: async ({ actor, params: { id } }, { manage }) => alertRecord(await manage.alerts.acknowledge(actor, id)),
  }),
];
