import { TillgateError } from '../../../core/index.ts';

const NAMES = {
  accounts: 'accounts',
  credentials: 'credentials',
  callbackCredentials: 'callback_credentials',
  usedSignatures: 'used_signatures',
  counters: 'account_counters',
  orders: 'orders',
  orderSums: 'order_sums',
  addresses: 'order_addresses',
  history: 'order_history',
  idempotency: 'idempotency_claims',
  deposits: 'deposits',
  unconfirmedPayments: 'unconfirmed_payments',
  transactions: 'transactions',
  entries: 'ledger_entries',
  postings: 'ledger_postings',
  balances: 'ledger_balances',
  unchecked: 'ledger_unchecked',
  checkpoint: 'ledger_checkpoint',
  checkpointSums: 'ledger_checkpoint_sums',
  closings: 'ledger_closings',
  closingSums: 'ledger_closing_sums',
  callbacks: 'callbacks',
  callbackSums: 'callback_sums',
  attempts: 'callback_attempts',
  webhooks: 'webhook_endpoints',
  links: 'payment_links',
  shopOrders: 'order_shop_data',
  alerts: 'alerts',
  notices: 'notices',
  branding: 'branding',
  brandNames: 'brand_names',
  noticeHours: 'notice_hours',
  noticePreferences: 'notice_preferences',
  chainStates: 'chain_states',
  blocks: 'chain_blocks',
  walletIndexes: 'wallet_indexes',
  addressPool: 'address_pool',
  leases: 'leases',
  writeProbes: 'write_probes',
  documents: 'documents',
  epochs: 'epochs',
  apps: 'apps',
  appKeys: 'app_keys',
  routes: 'gateway_routes',
  cordons: 'gateway_cordons',
  feed: 'gateway_feed',
  changes: 'gateway_changes',
  instances: 'gateway_instances',
  uses: 'gateway_uses',
  shownBlocks: 'gateway_shown_blocks',
  answers: 'gateway_answers',
  usage: 'gateway_usage',
  usageDays: 'gateway_usage_days',
  usageBatches: 'gateway_usage_batches',
  prepaidUnits: 'prepaid_units',
  purchases: 'prepaid_purchases',
  gateOffers: 'gate_offers',
  profiles: 'account_profiles',
  security: 'account_security',
  sessions: 'manage_sessions',
  loginNetworks: 'login_networks',
  passkeys: 'passkeys',
  passkeyChallenges: 'passkey_challenges',
  audit: 'audit_trail',
  auditHead: 'audit_head',
  transfers: 'transfers',
  transferApprovals: 'transfer_approvals',
  pullPayments: 'pull_payments',
  claims: 'claims',
  payouts: 'payouts',
  payoutAttempts: 'payout_attempts',
  batches: 'payout_batches',
  batchRows: 'payout_batch_rows',
  payees: 'payees',
  holdings: 'holdings',
  gasBalances: 'gas_balances',
  comparisons: 'balance_comparisons',
  payerNonces: 'payer_nonces',
  withdrawalAddresses: 'withdrawal_addresses',
  watchAddresses: 'watch_addresses',
  withdrawalFreezes: 'withdrawal_freezes',
  payoutStops: 'payout_stops',
  currencyStops: 'currency_stops',
  lightningPayments: 'lightning_payments',
  lightningAttempts: 'lightning_attempts',
  lightningLives: 'lightning_lives',
  migrations: 'schema_migrations',
} as const;

/** Table names as statements use them: with their schema where there is one. */
export type Tables = Readonly<Record<keyof typeof NAMES, string>> & { readonly prefix: string };

/** The table names of one installation. */
export interface Namespace {
  readonly tables: Tables;
  /** Names without the schema, for indexes, triggers and functions, which are created in the schema of their table. */
  readonly bare: Tables;
  /** `null` for the search path of the connection. */
  readonly schema: string | null;
}

const PLAIN_NAME = /^[a-z][a-z0-9_]*$/;
/** PostgreSQL truncates names at 63 bytes; the longest one, of an index, must fit. */
const MAX_PREFIX = 24;
/** With the longest prefix it must still fit into the name of a notification channel. */
const MAX_SCHEMA = 23;

/**
 * Table names with a prefix, for a database shared with another application.
 *
 * @throws TillgateError `CONFIG_INVALID` for a prefix that is not a plain lower-case name
 */
export function tablesOf(prefix: string): Tables {
  if (prefix !== '' && !isPlain(prefix, MAX_PREFIX)) {
    throw new TillgateError(
      'CONFIG_INVALID',
      `A table prefix has up to ${MAX_PREFIX} lower-case letters, digits and underscores, a letter first.`,
    );
  }
  return named(prefix);
}

/**
 * Table names with a prefix, in a PostgreSQL schema.
 *
 * @throws TillgateError `CONFIG_INVALID` for a prefix or schema that is not a plain lower-case name
 */
export function namespaceOf(prefix: string, schema: string | null): Namespace {
  const bare = tablesOf(prefix);
  if (schema === null) return { tables: bare, bare, schema };
  if (!isPlain(schema, MAX_SCHEMA) || schema.startsWith('pg_')) {
    throw new TillgateError(
      'CONFIG_INVALID',
      `A schema has up to ${MAX_SCHEMA} lower-case letters, digits and underscores, a letter first, and does not begin with pg_.`,
    );
  }
  return { tables: named(`${schema}.${prefix}`), bare, schema };
}

const isPlain = (name: string, longest: number): boolean => PLAIN_NAME.test(name) && name.length <= longest;

function named(prefix: string): Tables {
  const entries = Object.entries(NAMES).map(([key, name]) => [key, `${prefix}${name}`]);
  return { ...(Object.fromEntries(entries) as Record<keyof typeof NAMES, string>), prefix };
}
