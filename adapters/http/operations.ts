import type { HttpSettings } from './deps.ts';
import { openApiDocument } from './openapi.ts';
import type { Operation } from './operation.ts';
import { checkoutOperations } from './operations/checkout.ts';
import { currencyOperations } from './operations/currencies.ts';
import { lightningOperations } from './operations/lightning.ts';
import { loginOperation } from './operations/login.ts';
import { orderOperations } from './operations/orders.ts';
import { refundOperations } from './operations/refunds.ts';
import { sandboxOperations } from './operations/sandbox.ts';
import { serviceOperations } from './operations/service.ts';
import { transactionOperation } from './operations/transactions.ts';
import { walletOperations } from './operations/wallets.ts';

/** How the table is mounted in an application; by default at its root. */
export interface TablePlace {
  /** Operations that are left out, by id. */
  readonly without?: readonly string[];
  /** Where the paths of the OpenAPI document begin. */
  readonly serverUrl?: string;
}

/**
 * The operations table of an installation: what the settings allow, then the host's own rows (the payer's page,
 * `GET /checkout/{token}`).
 */
export function createOperations(
  settings: HttpSettings,
  extra: readonly Operation[] = [],
  { without = [], serverUrl }: TablePlace = {},
): readonly Operation[] {
  const table: Operation[] = [
    ...orderOperations(settings),
    transactionOperation(settings),
    ...refundOperations,
    ...walletOperations,
    ...lightningOperations(settings),
    ...currencyOperations,
    loginOperation(settings),
    ...(settings.sandbox ? sandboxOperations : []),
    ...checkoutOperations,
    ...extra,
  ];
  const whole = (document: () => string): Operation[] =>
    [...table, ...serviceOperations(document)].filter(({ id }) => !without.includes(id));
  return whole(() =>
    JSON.stringify(
      openApiDocument(
        whole(() => ''),
        serverUrl,
      ),
    ),
  );
}
