import type { Operation } from '../operation.ts';
import { accountOperations } from './accounts.ts';
import { appKeyOperations } from './app-keys.ts';
import { appOperations } from './apps.ts';
import { appPrepaidOperations } from './app-prepaid.ts';
import { appUsageOperations } from './app-usage.ts';
import { auditOperations } from './audit.ts';
import { brandingOperations } from './branding.ts';
import { callbackOperations } from './callbacks.ts';
import { chainOperations } from './chains.ts';
import { lightningOperations } from './lightning.ts';
import { credentialOperations } from './credentials.ts';
import { depositOperations } from './deposits.ts';
import type { ManageDeps } from './deps.ts';
import { gatewayOperations } from './gateways.ts';
import { ledgerOperations } from './ledger.ts';
import { orderOperations } from './orders.ts';
import { overviewOperations } from './overview.ts';
import { passkeyOperations } from './passkeys.ts';
import { securityOperations } from './security.ts';
import { serviceOperations } from './service.ts';
import { sessionAuth } from './session-auth.ts';
import { sessionOperations } from './sessions.ts';
import { stepUpOperations } from './step-up.ts';
import { transactionOperations } from './transactions.ts';
import { walletOperations } from './wallets.ts';
import { watchAddressOperations } from './watch-addresses.ts';
import { alertOperations } from './alerts.ts';
import { noticeOperations } from './notices.ts';
import { linkOperations } from './links.ts';
import { webhookOperations } from './webhooks.ts';
import { withdrawalAddressOperations } from './withdrawal-addresses.ts';
import { withdrawalOperations } from './withdrawals.ts';

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
