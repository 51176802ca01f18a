import { promisedCurrency, TEST_EVENT, WEBHOOK_EVENTS } from '../../core/index.ts';
import type { AssetCatalogue, EventPresenter, WebhookEvent } from '../../core/index.ts';
import { z } from 'zod';
import { alertRecord, alertSchema } from './manage/notify/alerts.ts';
import { auditRecord, auditSchema } from './manage/access/audit.ts';
import { claimRecord, claimSchema } from './manage/payouts/claims.ts';
import { depositRecord, depositSchema } from './manage/deposits/deposits.ts';
import { instant } from './manage/reply-fields.ts';
import { orderEventRecord, orderEventSchema } from './manage/orders/order-record.ts';
import { transactionRecord, transactionSchema } from './manage/orders/transactions.ts';
import { id } from './record-fields.ts';

/** The data of security events: a row of the account's audit log. */
const securityEventSchema = auditSchema
  .extend({
    account: id('ID of the account').nullable(),
    effective_at: instant(
      'Time at which a weakened protection takes effect; null if the change is in force',
    ).nullable(),
  })
  .meta({ id: 'SecurityEvent' });

const testEventSchema = z.object({ webhook: id('ID of the endpoint') }).meta({ id: 'TestEvent' });

/** The schema of the data of each group of events. */
const SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  order: orderEventSchema,
  refund: transactionSchema,
  withdrawal: transactionSchema,
  payout: transactionSchema,
  claim: claimSchema,
  deposit: depositSchema,
  security: securityEventSchema,
  alert: alertSchema,
};

/** The body that a webhook endpoint receives for each type, for the OpenAPI document. */
export const EVENT_BODIES: readonly { readonly type: WebhookEvent; readonly schema: z.ZodType }[] =
  WEBHOOK_EVENTS.flatMap((type) => {
    const data = type === TEST_EVENT ? testEventSchema : SCHEMAS[type.slice(0, type.indexOf('.'))];
    return data === undefined
      ? []
      : [{ type, schema: z.object({ type: z.literal(type), timestamp: instant('Time of the event'), data }) }];
  });

/** Writes the data of events as the records of the management API and of `/v1`. */
export function eventPresenter(assets: Pick<AssetCatalogue, 'find'>): EventPresenter {
  const json = <T extends z.ZodType>(_schema: T, record: z.input<T>): string => JSON.stringify(record);
  return {
    order: (order) => json(orderEventSchema, orderEventRecord(order)),
    transfer: (row) => json(transactionSchema, transactionRecord(row, { assets })),
    test: (webhookId) => json(testEventSchema, { webhook: webhookId }),
    alert: (alert) => json(alertSchema, alertRecord(alert)),
    claim: (claim, currency, now) =>
      json(claimSchema, claimRecord({ ...claim, promised: promisedCurrency(assets, currency) }, { assets, now })),
    deposit: (deposit) => json(depositSchema, depositRecord(deposit, assets)),
    security: ({ row, effectiveAt }) =>
      json(securityEventSchema, { ...auditRecord(row), account: row.accountId, effective_at: effectiveAt }),
  };
}
