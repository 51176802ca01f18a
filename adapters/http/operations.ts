import type { HttpSettings } from './deps.ts';
import { openApiDocument } from './openapi.ts';
import type { Operation } from './operation.ts';
import { checkoutOperations } from './operations/checkout.ts';
import { claimOperations } from './operations/claims.ts';
import { currencyOperations } from './operations/currencies.ts';
import { lightningOperations } from './operations/lightning.ts';
import { loginOperation } from './operations/login.ts';
import { orderOperations } from './operations/orders.ts';
import { refundOperations } from './operations/refunds.ts';
import { sandboxOperations } from './operations/sandbox.ts';
import { serviceOperations } from './operations/service.ts';
import { transactionOperation } from './operations/transactions.ts';
import { walletOperations } from './operations/wallets.ts';

/** Options for mounting the table in an application; by default at its root. */
export interface TablePlace {
  /** Ids of operations that are left out. */
  readonly without?: readonly string[];
  /** The base URL of the paths in the OpenAPI document. */
  readonly serverUrl?: string;
}

/**
 * The operations table of an installation: the operations that the settings allow, then those that the host adds (the
 * payer's page, `GET /checkout/{token}`).
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
    ...claimOperations,
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
