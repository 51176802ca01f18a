import type { Operation } from '../operation.ts';
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
import { gatewayOperations } from './gateway/gateways.ts';
import { ledgerOperations } from './ledger/ledger.ts';
import { orderOperations } from './orders/orders.ts';
import { overviewOperations } from './orders/overview.ts';
import { passkeyOperations } from './access/passkeys.ts';
import { securityOperations } from './access/security.ts';
import { serviceOperations } from './service.ts';
import { sessionAuth } from './access/session-auth.ts';
import { sessionOperations } from './access/sessions.ts';
import { stepUpOperations } from './access/step-up.ts';
import { transactionOperations } from './orders/transactions.ts';
import { walletOperations } from './payouts/wallets.ts';
import { watchAddressOperations } from './payouts/watch-addresses.ts';
import { alertOperations } from './notify/alerts.ts';
import { noticeOperations } from './notify/notices.ts';
import { linkOperations } from './orders/links.ts';
import { webhookOperations } from './notify/webhooks.ts';
import { withdrawalAddressOperations } from './payouts/withdrawal-addresses.ts';
import { withdrawalOperations } from './payouts/withdrawals.ts';

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
  alertOperations,
  noticeOperations,
  brandingOperations,
  orderOperations,
  transactionOperations,
  ledgerOperations,
  walletOperations,
  withdrawalAddressOperations,
  watchAddressOperations,
  withdrawalOperations,
  depositOperations,
  chainOperations,
  lightningOperations,
  auditOperations,
];

/** The operations of the management API. */
export function manageOperations(deps: ManageDeps): readonly Operation[] {
  const auth = sessionAuth(deps.manage.sessions, deps.settings.secureCookies);
  return RESOURCES.flat().map((bind) => bind(deps, auth));
}
