import type { Operation } from '../operation.ts';
import type { GreenfieldDeps } from './deps.ts';
import { invoiceOperations } from './invoices.ts';
import { keyOperations } from './keys.ts';
import type { GreenfieldOperation } from './operation.ts';
import { storeOperations } from './stores.ts';
import { webhookOperations } from './webhooks.ts';

/** One file for each resource. */
const RESOURCES: readonly (readonly GreenfieldOperation[])[] = [
  keyOperations,
  storeOperations,
  invoiceOperations,
  webhookOperations,
];

/** The operations for shop plugins under `/api/v1`. */
export function greenfieldOperations(deps: GreenfieldDeps): readonly Operation[] {
  return RESOURCES.flat().map((operation) => operation(deps));
}
