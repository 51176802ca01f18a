import type { Operation } from '../operation.ts';
import { rateOperations } from './orders/rates.ts';
import { accountOperations } from './access/accounts.ts';
import { appKeyOperations } from './gateway/app-keys.ts';
import { appOperations } from './gateway/apps.ts';
import { appPrepaidOperations } from './gateway/app-prepaid.ts';
import { appUsageOperations } from './gateway/app-usage.ts';
import { auditOperations } from './access/audit.ts';
import { brandingOperations } from './orders/branding.ts';
import { callbackOperations } from './notify/callbacks.ts';
import { chainOperations } from './payouts/chains.ts';
import { lightningOperations } from './payouts/lightning.ts';
import { credentialOperations } from './access/credentials.ts';
import { depositOperations } from './deposits/deposits.ts';
import type { ManageDeps } from './deps.ts';
import type { NamedOperation } from './operation.ts';
import { gatewayOperations } from './gateway/gateways.ts';
import { ledgerOperations } from './ledger/ledger.ts';
import { orderOperations } from './orders/orders.ts';
import { overviewOperations } from './orders/overview.ts';
import { passkeyOperations } from './access/passkeys.ts';
import { securityOperations } from './access/security.ts';
import { serviceOperations } from './service.ts';
import { searchOperations } from './search.ts';
import { sessionAuth } from './access/session-auth.ts';
import { sessionOperations } from './access/sessions.ts';
import { stepUpOperations } from './access/step-up.ts';
import { transactionOperations } from './orders/transactions.ts';
import { waitingOperations } from './waiting.ts';
import { walletOperations } from './payouts/wallets.ts';
import { watchAddressOperations } from './payouts/watch-addresses.ts';
import { alertOperations } from './notify/alerts.ts';
import { noticeOperations } from './notify/notices.ts';
import { linkOperations } from './orders/links.ts';
import { webhookOperations } from './notify/webhooks.ts';
import { payoutAddressOperations } from './payouts/payout-addresses.ts';
import { payoutQuoteOperations } from './payouts/payout-quotes.ts';
import { payoutOperations } from './payouts/payouts.ts';
import { payeeOperations } from './payouts/payees.ts';
import { payoutBatchOperations } from './payouts/payout-batches.ts';
import { claimOperations } from './payouts/claims.ts';
import { pullPaymentOperations } from './payouts/pull-payments.ts';
import { refundOperations } from './payouts/refunds.ts';

/** One file for each resource. */
const RESOURCES = [
  sessionOperations,
  stepUpOperations,
  serviceOperations,
  accountOperations,
  appOperations,
  appUsageOperations,
  appPrepaidOperations,
  appKeyOperations,
  gatewayOperations,
  credentialOperations,
  securityOperations,
  passkeyOperations,
  callbackOperations,
  webhookOperations,
  linkOperations,
  overviewOperations,
  waitingOperations,
  searchOperations,
  alertOperations,
  noticeOperations,
  brandingOperations,
  orderOperations,
  rateOperations,
  transactionOperations,
  ledgerOperations,
  walletOperations,
  payoutAddressOperations,
  watchAddressOperations,
  payoutOperations,
  payoutQuoteOperations,
  payoutBatchOperations,
  payeeOperations,
  refundOperations,
  pullPaymentOperations,
  claimOperations,
  depositOperations,
  chainOperations,
  lightningOperations,
  auditOperations,
];

/** The operations of the management API. */
export function manageOperations(deps: ManageDeps): readonly Operation[] {
  const auth = sessionAuth(deps.manage.sessions, deps.settings.secureCookies);
  return RESOURCES.flat().map((operation) => operation.managed(deps, auth));
}

/** The operations that programs call by their names. */
export function namedOperations(deps: ManageDeps): readonly NamedOperation[] {
  return RESOURCES.flat().flatMap((operation) => operation.named(deps) ?? []);
}

/** The operations of `/v1`. */
export function v1Operations(deps: ManageDeps): readonly Operation[] {
  return namedOperations(deps).flatMap(({ row, offered }) => (offered ? [row] : []));
}
