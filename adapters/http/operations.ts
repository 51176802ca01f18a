import type { HttpSettings } from './deps.ts';
import { openApiDocument } from './openapi.ts';
import type { Operation } from './operation.ts';
import { checkoutOperations } from './operations/checkout.ts';
import { currencyOperations } from './operations/currencies.ts';
import { loginOperation } from './operations/login.ts';
import { orderOperations } from './operations/orders.ts';
import { refundOperations } from './operations/refunds.ts';
import { sandboxOperations } from './operations/sandbox.ts';
import { serviceOperations } from './operations/service.ts';
import { walletOperations } from './operations/wallets.ts';

/**
 * The operations table of an installation: what the settings allow, then the host's own rows (the payer's page,
 * `GET /checkout/{token}`).
 */
export function createOperations(settings: HttpSettings, extra: readonly Operation[] = []): readonly Operation[] {
  const table: Operation[] = [
    ...orderOperations(settings),
    ...refundOperations,
    ...walletOperations,
    ...currencyOperations,
    loginOperation(settings),
    ...(settings.sandbox ? sandboxOperations : []),
    ...checkoutOperations,
    ...extra,
  ];
  return [...table, ...serviceOperations(() => JSON.stringify(openApiDocument([...table, ...serviceOperations(() => '')])))];
}
