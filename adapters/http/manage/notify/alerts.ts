import { ALERT_STATUSES, formatInstant } from '../../../../core/index.ts';
import type { Alert, AlertId } from '../../../../core/index.ts';
import { z } from 'zod';
import { accountExample } from '../access/accounts.ts';
import { idParams, word } from '../fields.ts';
import { manageList, manageOperation } from '../operation.ts';
import type { ManageOperation } from '../operation.ts';
import { id, instant, pageRecord, time, whole } from '../reply-fields.ts';

export const alertSchema = z
  .object({
    id: id('ID of the alert'),
    kind: z.string().meta({ description: 'Kind of alert, as in the metric tillgate_alerts_total' }),
    subject: z.string(),
    reason: z.string().meta({ description: 'Latest reason' }),
    status: z.enum(ALERT_STATUSES),
    first_raised_at: instant('Time at which it was first raised'),
    last_raised_at: instant('Time at which it was last raised'),
    count: whole('Number of times it was raised while open'),
    acknowledged_at: instant('Time at which an admin acknowledged it').nullable(),
    acknowledged_by: id('ID of the admin who acknowledged it')
      .nullable()
      .meta({ description: 'null if it was acknowledged at the command line' }),
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
    first_raised_at: formatInstant(alert.firstAt),
    last_raised_at: formatInstant(alert.lastAt),
    count: alert.count,
    acknowledged_at: time(alert.acknowledgedAt),
    acknowledged_by: alert.acknowledgedBy,
  };
}

const example = {
  id: '1530219844911046800',
  kind: 'payouts-stopped',
  subject: 'chain ETH',
  reason: 'The hot wallet of ETH holds less than the ledger says.',
  status: 'OPEN',
  first_raised_at: accountExample.created_at,
  last_raised_at: accountExample.updated_at,
  count: 2,
  acknowledged_at: null,
  acknowledged_by: null,
} as const satisfies AlertRecord;

/** The operations of alerts, for admins. */
export const alertOperations: readonly ManageOperation[] = [
  manageList({
    offer: { name: 'alerts.list', scope: null },
    id: 'listAlerts',
    path: '/alerts',
    summary: 'List alerts',
    description:
      "Returns the alerts that need an operator's attention, newest first. An alert that is raised again while it is open increases its count. Admins only.",
    filter: { status: word(ALERT_STATUSES, 'Only records with this status').optional() },
    name: 'AlertList',
    item: alertSchema,
    example,
    handler: async ({ actor, query }, { manage }) => pageRecord(await manage.alerts.list(actor, query), alertRecord),
  }),
  manageOperation({
    id: 'acknowledgeAlert',
    method: 'POST',
    path: '/alerts/{id}/acknowledge',
    summary: 'Acknowledge an alert',
    description: 'Closes the alert. If the same problem is raised again, it becomes a new alert. Admins only.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params: idParams<AlertId>('ID of the alert'),
    data: alertSchema,
    examples: {
      data: {
        ...example,
        status: 'ACKNOWLEDGED',
        acknowledged_at: accountExample.updated_at,
        acknowledged_by: accountExample.id,
      },
    },
    handler: async ({ actor, params: { id } }, { manage }) => alertRecord(await manage.alerts.acknowledge(actor, id)),
  }),
];
