/** The paging of a list of the API. */
export type Paging = 'cursor' | 'whole';

/** One kind of records of the API. */
export interface ResourceSpec {
  readonly path: string;
  /** The field or fields that identify a record. */
  readonly id: string | readonly string[];
  readonly paging: Paging;
  /** PATCH requires the record's `version` in `If-Match`. */
  readonly versioned?: true;
}

/** Every kind of records that the dashboard lists or shows, by its name in the application. */
export const RESOURCES = {
  orders: { path: 'orders', id: 'id', paging: 'cursor' },
  transactions: { path: 'transactions', id: 'id', paging: 'cursor' },
  ledger: { path: 'ledger', id: ['entry', 'line'], paging: 'cursor' },
  wallets: { path: 'wallets', id: 'coin', paging: 'whole' },
  withdrawals: { path: 'payouts', id: 'id', paging: 'cursor' },
  'withdrawal-addresses': { path: 'payout-addresses', id: 'chain', paging: 'cursor' },
  'payout-batches': { path: 'payout-batches', id: 'id', paging: 'cursor' },
  payees: { path: 'payees', id: 'id', paging: 'cursor' },
  credentials: { path: 'credentials', id: 'id', paging: 'cursor' },
  callbacks: { path: 'callbacks', id: 'id', paging: 'cursor' },
  links: { path: 'links', id: 'id', paging: 'cursor', versioned: true },
  'pull-payments': { path: 'pull-payments', id: 'id', paging: 'cursor' },
  claims: { path: 'claims', id: 'id', paging: 'cursor' },
  webhooks: { path: 'webhooks', id: 'id', paging: 'cursor' },
  apps: { path: 'apps', id: 'id', paging: 'cursor', versioned: true },
  accounts: { path: 'accounts', id: 'id', paging: 'cursor' },
  transfers: { path: 'payouts', id: 'id', paging: 'cursor' },
  deposits: { path: 'deposits', id: 'id', paging: 'cursor' },
  gateways: { path: 'gateways', id: 'id', paging: 'cursor' },
  alerts: { path: 'alerts', id: 'id', paging: 'cursor' },
  audit: { path: 'audit', id: 'id', paging: 'cursor' },
  sessions: { path: 'sessions', id: 'id', paging: 'whole' },
} as const satisfies Readonly<Record<string, ResourceSpec>>;

export type ResourceName = keyof typeof RESOURCES;

/** @throws Error for a name that is not in the table */
export function resourceOf(name: string): ResourceSpec {
  if (!Object.hasOwn(RESOURCES, name)) throw new Error(`There is no resource ${name}.`);
  return RESOURCES[name as ResourceName];
}

/** Ids are digits or words: any other text in a link could lead to another operation of the API. */
const ID = /^[\w-]{1,128}$/;

export const isRecordId = (value: unknown): boolean => ID.test(String(value));
