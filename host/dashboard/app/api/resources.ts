/** The paging of a list of the API. */
export type Paging = 'page' | 'cursor' | 'whole';

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
  orders: { path: 'orders', id: 'order_id', paging: 'cursor' },
  transactions: { path: 'transactions', id: 'tx_id', paging: 'cursor' },
  ledger: { path: 'ledger', id: ['entry_id', 'line'], paging: 'cursor' },
  wallets: { path: 'wallets', id: 'currency', paging: 'whole' },
  withdrawals: { path: 'withdrawals', id: 'id', paging: 'page' },
  'withdrawal-addresses': { path: 'withdrawal-addresses', id: 'chain', paging: 'page' },
  credentials: { path: 'credentials', id: 'id', paging: 'page' },
  callbacks: { path: 'callbacks', id: 'id', paging: 'cursor' },
  links: { path: 'links', id: 'id', paging: 'cursor', versioned: true },
  webhooks: { path: 'webhooks', id: 'id', paging: 'page' },
  apps: { path: 'apps', id: 'id', paging: 'page', versioned: true },
  accounts: { path: 'accounts', id: 'id', paging: 'page' },
  transfers: { path: 'withdrawals', id: 'id', paging: 'page' },
  deposits: { path: 'deposits', id: 'id', paging: 'page' },
  gateways: { path: 'gateways', id: 'id', paging: 'page' },
  alerts: { path: 'alerts', id: 'id', paging: 'page' },
  audit: { path: 'audit', id: 'id', paging: 'page' },
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
