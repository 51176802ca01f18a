import type { Operation } from '../operation.ts';
import { claimOperations } from './claims.ts';
import type { GreenfieldDeps } from './deps.ts';
import { invoiceOperations } from './invoices.ts';
import { keyOperations } from './keys.ts';
import type { GreenfieldOperation } from './operation.ts';
import { payoutOperations } from './payouts.ts';
import { pullPaymentOperations } from './pull-payments.ts';
import { refundInvoice } from './refunds.ts';
import { storeOperations } from './stores.ts';
import { webhookOperations } from './webhooks.ts';

/** One file for each resource. */
const RESOURCES: readonly (readonly GreenfieldOperation[])[] = [
  keyOperations,
  storeOperations,
  invoiceOperations,
  [refundInvoice],
  webhookOperations,
  pullPaymentOperations,
  claimOperations,
  payoutOperations,
];

/** The operations for shop plugins under `/api/v1`. */
export function greenfieldOperations(deps: GreenfieldDeps): readonly Operation[] {
  return RESOURCES.flat().map((operation) => operation(deps));
}
