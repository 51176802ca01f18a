import type { ComponentType } from 'react';
import type { ResourceProps } from 'react-admin';
import { lazyPage } from '../components/lazy-page.ts';
import type { RecordKind, RecordPages, Route } from './sections.ts';

/** The pages of each kind of records. */
export const RECORD_COMPONENTS: {
  readonly [K in RecordKind]: Readonly<Record<RecordPages<K>, NonNullable<ResourceProps['list']>>>;
} = {
  alerts: {
    list: lazyPage(() => import('./alerts/alert-list.tsx'), 'AlertList'),
  },
  transfers: {
    list: lazyPage(() => import('./approvals/transfer-list.tsx'), 'TransferList'),
    show: lazyPage(() => import('./approvals/transfer-show.tsx'), 'TransferShow'),
  },
  deposits: {
    list: lazyPage(() => import('./deposits/deposit-list.tsx'), 'DepositList'),
  },
  gateways: {
    list: lazyPage(() => import('./gateways/gateway-list.tsx'), 'GatewayList'),
    show: lazyPage(() => import('./gateways/gateway-show.tsx'), 'GatewayShow'),
    create: lazyPage(() => import('./gateways/gateway-create.tsx'), 'GatewayCreate'),
    edit: lazyPage(() => import('./gateways/gateway-edit.tsx'), 'GatewayEdit'),
  },
  accounts: {
    list: lazyPage(() => import('./accounts/account-list.tsx'), 'AccountList'),
    show: lazyPage(() => import('./accounts/account-show.tsx'), 'AccountShow'),
    create: lazyPage(() => import('./accounts/account-create.tsx'), 'AccountCreate'),
    edit: lazyPage(() => import('./accounts/account-edit.tsx'), 'AccountEdit'),
  },
  audit: {
    list: lazyPage(() => import('./audit/audit-list.tsx'), 'AuditList'),
  },
  orders: {
    list: lazyPage(() => import('./orders/order-list.tsx'), 'OrderList'),
    show: lazyPage(() => import('./orders/order-show.tsx'), 'OrderShow'),
    create: lazyPage(() => import('./orders/order-create.tsx'), 'OrderCreate'),
  },
  links: {
    list: lazyPage(() => import('./links/link-list.tsx'), 'LinkList'),
    show: lazyPage(() => import('./links/link-show.tsx'), 'LinkShow'),
    create: lazyPage(() => import('./links/link-create.tsx'), 'LinkCreate'),
    edit: lazyPage(() => import('./links/link-edit.tsx'), 'LinkEdit'),
  },
  transactions: {
    list: lazyPage(() => import('./transactions/transaction-list.tsx'), 'TransactionList'),
  },
  wallets: {
    list: lazyPage(() => import('./wallet/wallet-list.tsx'), 'WalletList'),
  },
  withdrawals: {
    list: lazyPage(() => import('./withdrawals/withdrawal-list.tsx'), 'WithdrawalList'),
    show: lazyPage(() => import('./withdrawals/withdrawal-show.tsx'), 'WithdrawalShow'),
  },
  'withdrawal-addresses': {
    list: lazyPage(() => import('./withdrawals/address-list.tsx'), 'AddressList'),
  },
  'pull-payments': {
    list: lazyPage(() => import('./pull-payments/pull-payment-list.tsx'), 'PullPaymentList'),
    show: lazyPage(() => import('./pull-payments/pull-payment-show.tsx'), 'PullPaymentShow'),
    create: lazyPage(() => import('./pull-payments/pull-payment-create.tsx'), 'PullPaymentCreate'),
  },
  claims: {
    list: lazyPage(() => import('./pull-payments/claim-list.tsx'), 'ClaimList'),
    show: lazyPage(() => import('./pull-payments/claim-show.tsx'), 'ClaimShow'),
  },
  'payout-batches': {
    list: lazyPage(() => import('./batches/batch-list.tsx'), 'BatchList'),
    show: lazyPage(() => import('./batches/batch-show.tsx'), 'BatchShow'),
  },
  payees: {
    list: lazyPage(() => import('./batches/payee-list.tsx'), 'PayeeList'),
  },
  ledger: {
    list: lazyPage(() => import('./ledger/ledger-list.tsx'), 'LedgerList'),
  },
  credentials: {
    list: lazyPage(() => import('./credentials/credential-list.tsx'), 'CredentialList'),
  },
  webhooks: {
    list: lazyPage(() => import('./webhooks/webhook-list.tsx'), 'WebhookList'),
  },
  callbacks: {
    list: lazyPage(() => import('./callbacks/callback-list.tsx'), 'CallbackList'),
    show: lazyPage(() => import('./callbacks/callback-show.tsx'), 'CallbackShow'),
  },
  apps: {
    list: lazyPage(() => import('./apps/app-list.tsx'), 'AppList'),
    show: lazyPage(() => import('./apps/app-show.tsx'), 'AppShow'),
  },
  sessions: {
    list: lazyPage(() => import('./security/session-list.tsx'), 'SessionList'),
  },
};

/** The pages besides those of records. */
export const ROUTE_COMPONENTS: Readonly<Record<Route, ComponentType>> = {
  '/chains': lazyPage(() => import('./chains/chain-list.tsx'), 'ChainList'),
  '/connect': lazyPage(() => import('./connect/connect-page.tsx'), 'ConnectPage'),
  '/branding': lazyPage(() => import('./branding/branding-page.tsx'), 'BrandingPage'),
  '/security': lazyPage(() => import('./security/security-page.tsx'), 'SecurityPage'),
  '/password': lazyPage(() => import('./security/password-page.tsx'), 'PasswordPage'),
};
