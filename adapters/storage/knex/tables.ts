import { TillgateError } from '../../../core/index.ts';

const NAMES = {
  accounts: 'accounts',
  credentials: 'credentials',
  callbackCredentials: 'callback_credentials',
  usedSignatures: 'used_signatures',
  counters: 'account_counters',
  orders: 'orders',
  addresses: 'order_addresses',
  history: 'order_history',
  idempotency: 'idempotency_claims',
  deposits: 'deposits',
  transactions: 'transactions',
  entries: 'ledger_entries',
  postings: 'ledger_postings',
  balances: 'ledger_balances',
  callbacks: 'callbacks',
  attempts: 'callback_attempts',
  chainStates: 'chain_states',
  blocks: 'chain_blocks',
  walletIndexes: 'wallet_indexes',
  addressPool: 'address_pool',
  leases: 'leases',
  documents: 'documents',
  apps: 'apps',
  appKeys: 'app_keys',
  routes: 'gateway_routes',
  feed: 'gateway_feed',
  changes: 'gateway_changes',
  instances: 'gateway_instances',
  profiles: 'account_profiles',
  security: 'account_security',
  sessions: 'manage_sessions',
  audit: 'audit_trail',
  transfers: 'transfers',
  bundles: 'bundles',
  bundleAttempts: 'bundle_attempts',
  holdings: 'holdings',
  payerNonces: 'payer_nonces',
  withdrawalAddresses: 'withdrawal_addresses',
  watchAddresses: 'watch_addresses',
  withdrawalFreezes: 'withdrawal_freezes',
  payoutStops: 'payout_stops',
  migrations: 'schema_migrations',
} as const;

/** The names of the tables in one database. */
export type Tables = Readonly<Record<keyof typeof NAMES, string>> & { readonly prefix: string };

/**
 * The tables' names with a prefix, for databases that are shared with another application.
 *
 * @throws TillgateError `CONFIG_INVALID` for a prefix that is no plain lower-case name
 */
export function tablesOf(prefix: string): Tables {
  if (!/^(?:[a-z][a-z0-9_]{0,23})?$/.test(prefix)) {
    throw new TillgateError('CONFIG_INVALID', 'A table prefix has up to 24 lower-case letters, digits and underscores, a letter first.');
  }
  const entries = Object.entries(NAMES).map(([key, name]) => [key, `${prefix}${name}`]);
  return { ...(Object.fromEntries(entries) as Record<keyof typeof NAMES, string>), prefix };
}
