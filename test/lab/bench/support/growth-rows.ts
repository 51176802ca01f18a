import { randomBytes } from 'node:crypto';
import pg from 'pg';

/** A row as the database gave it: numbers of 64 bits as text. */
export type Row = Readonly<Record<string, string | number | boolean | null>>;

/** The rows of one order that the product wrote, by table, in an order that foreign keys allow. */
export type OrderRows = ReadonlyMap<string, readonly Row[]>;

/** Where the rows of an order are found; each may use those found before. */
const ROWS_OF: readonly (readonly [table: string, where: string])[] = [
  ['orders', 'id = $1'],
  ['order_addresses', 'order_id = $1'],
  ['order_history', 'order_id = $1'],
  ['deposits', 'order_id = $1'],
  ['transactions', 'order_id = $1'],
  ['holdings', `ref IN (SELECT txid || ':' || tx_index FROM deposits WHERE order_id = $1)`],
  ['callbacks', 'order_id = $1'],
  ['callback_attempts', 'callback_id IN (SELECT id FROM callbacks WHERE order_id = $1)'],
  ['ledger_entries', `split_part(reference, ':', 2) IN (SELECT id FROM deposits WHERE order_id = $1)`],
  [
    'ledger_postings',
    `entry_id IN (SELECT id FROM ledger_entries WHERE split_part(reference, ':', 2) IN (SELECT id FROM deposits WHERE order_id = $1))`,
  ],
];

/** Tables that orders fill. */
export const ORDER_TABLES: readonly string[] = ROWS_OF.map(([table]) => table);

/** Numbered by the database. */
const IDENTITIES = new Set(['order_history', 'callback_attempts', 'holdings']);
/** Ids below those of this century's second decade, which the till itself gives: so many for each order. */
const FIRST_ID = 1_000_000_000_000_000_000n;
const IDS_AN_ORDER = 16;
/** Hot indexes are filled as a busy till fills them: by several writers, each with a batch a transaction. */
const WRITERS = 2;
const BATCH = 10_000;
const DAY_MS = 24 * 3600 * 1000;
const YEAR_MS = 365 * DAY_MS;
/** As the till removes them (`callbacks.keepBodiesDays`). */
const BODIES_KEPT_MS = 90 * DAY_MS;
/** The share of payments, the newest, whose coins are still at the address that was paid. */
const UNSWEPT = 0.01;
/** Of 100 orders so many are paid: the rest is never. */
const PAID_OF_100 = 76;

/** What {@link fillOrders} makes. */
export interface Filling {
  readonly url: string;
  readonly orders: number;
  readonly paid: OrderRows;
  readonly unpaid: OrderRows;
  /** Who has them, in turns. */
  readonly accounts: readonly string[];
  /** The end of the year that they are spread over. */
  readonly until: number;
}

/** The id of an order that was filled in; order n has a payment when `n % 100 < 76`. */
export const filledOrderId = (n: number): string => String(FIRST_ID + BigInt(n * IDS_AN_ORDER));

/** Rows of one statement. */
export type Query = (sql: string, values?: readonly unknown[]) => Promise<readonly Row[]>;

/** Reads the rows that the product wrote for an order. */
export async function rowsOfOrder(query: Query, id: string): Promise<OrderRows> {
  const found = new Map<string, readonly Row[]>();
  for (const [table, where] of ROWS_OF) found.set(table, await query(`SELECT * FROM ${table} WHERE ${where}`, [id]));
  return found;
}

/**
 * Copies the rows of a paid and of an unpaid order until there are as many as wanted: ids, hashes, addresses and tokens are of each
 * copy's own wherever the sample has its own, in the text of a callback's body too. Every index stays in place; foreign keys and
 * triggers are checked for orders and callbacks, whose daily sums are kept by triggers.
 */
export async function fillOrders(filling: Filling): Promise<void> {
  const { orders, url } = filling;
  let next = 1;
  const started = performance.now();
  const writer = async (): Promise<void> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      const statements = statementsOf(filling);
      while (next <= orders) {
        const [from, to] = [next, Math.min(orders, next + BATCH - 1)];
        next = to + 1;
        await client.query('BEGIN');
        for (const { sql, checked } of statements) {
          await client.query(`SET LOCAL session_replication_role = ${checked ? 'origin' : 'replica'}`);
          await client.query(sql, [from, to]);
        }
        await client.query('COMMIT');
        if (to % (BATCH * 10) < BATCH) tell(to, orders, started);
      }
    } finally {
      await client.end();
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, writer));
}

function tell(done: number, orders: number, started: number): void {
  const seconds = (performance.now() - started) / 1000;
  console.log(`${done} of ${orders} orders after ${Math.round(seconds)} s (${Math.round(done / seconds)} a second)`);
}

function statementsOf(filling: Filling): readonly { sql: string; checked: boolean }[] {
  const made = [
    [filling.paid, `n % 100 < ${PAID_OF_100}`],
    [filling.unpaid, `n % 100 >= ${PAID_OF_100}`],
  ] as const;
  return made.flatMap(([sample, which]) => {
    const copy = copier(sample, filling);
    const old = oldOrders(filling);
    return ORDER_TABLES.flatMap((table) =>
      (sample.get(table) ?? []).map((row) => {
        const columns = Object.keys(row).filter((name) => !(name === 'id' && IDENTITIES.has(table)));
        const values = columns.map(
          (name) => old.get(`${table}.${name}`)?.(copy(name, row[name])) ?? copy(name, row[name]),
        );
        return {
          sql: `INSERT INTO ${table} (${columns.join(', ')}) SELECT ${values.join(', ')}
            FROM generate_series($1::bigint, $2::bigint) AS n WHERE ${which}`,
          checked: table === 'orders' || table === 'callbacks',
        };
      }),
    );
  });
}

/** What time has made of the rows of an old order, by column: the SQL of its value, from that of a new one's. */
function oldOrders({ orders }: Filling): ReadonlyMap<string, (value: string) => string> {
  const swept = Math.floor(orders * (1 - UNSWEPT));
  const bodiless = Math.floor(orders * (1 - BODIES_KEPT_MS / YEAR_MS));
  return new Map([
    ['holdings.status', (value) => `CASE WHEN n <= ${swept} THEN 'SPENT' ELSE ${value} END`],
    ['holdings.payout_id', (value) => `CASE WHEN n <= ${swept} THEN 'filled' ELSE ${value} END`],
    ['callbacks.body', (value) => `CASE WHEN n > ${bodiless} THEN ${value} END`],
  ]);
}

/** The SQL of a column's value in copy n of a sample. */
function copier(sample: OrderRows, filling: Filling): (name: string, value: Row[string] | undefined) => string {
  const order = sample.get('orders')?.[0] ?? {};
  const own = tokens(sample, filling);
  const later = `(${filling.until - YEAR_MS} + n * ${YEAR_MS} / ${filling.orders} - ${String(order['created_at'])})`;
  return (name, value) => {
    if (value === null || value === undefined) return 'NULL';
    if (/(?:_at|_until|_time)$/.test(name) && /^\d{13}$/.test(String(value))) return `${String(value)} + ${later}`;
    if (name === 'number') return `1000000 + n`;
    if (name === 'address_index') return 'n';
    if (name === 'wallet_id') return `'filled'`;
    // Below whatever a chain of the sandbox still looks at.
    if (name === 'block_height') return '0';
    if (typeof value === 'boolean') return String(value);
    return replaced(String(value), own);
  };
}

/** What of a sample every copy has its own of, and the SQL of it. */
function tokens(sample: OrderRows, { accounts }: Filling): ReadonlyMap<string, string> {
  const [order] = sample.get('orders') ?? [];
  const found = new Map<string, string>();
  const add = (value: unknown, sql: string): unknown => typeof value === 'string' && found.set(value, sql);
  const ids = ['orders', 'deposits', 'transactions', 'callbacks', 'ledger_entries'].flatMap((table) =>
    (sample.get(table) ?? []).map(({ id }) => String(id)),
  );
  for (const [at, id] of [...new Set(ids)].entries()) add(id, `(${FIRST_ID + BigInt(at)} + n * ${IDS_AN_ORDER})::text`);
  add(order?.['account_id'], `(ARRAY[${accounts.map((id) => `'${id}'`).join(', ')}])[1 + n % ${accounts.length}]`);
  add(order?.['checkout_token'], hash('token', 32));
  add(order?.['merchant_reference'], `'copy-' || n`);
  for (const { address, watch_key: key } of sample.get('order_addresses') ?? []) {
    add(address, `'0x' || ${hash('address', 40)}`);
    add(key, hash('address', 40));
  }
  for (const { txid, block_hash: block, from_address: from } of sample.get('deposits') ?? []) {
    add(txid, `'0x' || ${hash('txid', 64)}`);
    add(block, `'0x' || ${hash('block', 64)}`);
    add(from, `'0x' || ${hash('from', 40)}`);
  }
  return found;
}

/** Each fill has hashes of its own, spread over their whole range. */
const SALT = randomBytes(4).toString('hex');
const hash = (what: string, digits: number): string =>
  `substr(md5('${SALT}${what}' || n) || md5('${SALT}${what}.' || n), 1, ${digits})`;

function replaced(text: string, own: ReadonlyMap<string, string>): string {
  const parts = own.size === 0 ? [text] : text.split(new RegExp(`(${[...own.keys()].join('|')})`));
  const sql = parts.filter((part) => part !== '').map((part) => own.get(part) ?? `'${part.replaceAll("'", "''")}'`);
  return sql.length === 0 ? "''" : sql.map((part) => `(${part})`).join(' || ');
}

/** What is kept of all rows, once they are there: balances, counters, and what the planner knows. */
export async function settle(query: Query): Promise<void> {
  await query(`INSERT INTO ledger_balances AS b (account, currency, units)
    SELECT account, currency, sum(units) FROM ledger_postings GROUP BY account, currency
    ON CONFLICT (account, currency) DO UPDATE SET units = excluded.units`);
  for (const [counter, table] of [
    ['orders', 'orders'],
    ['transactions', 'transactions'],
  ])
    await query(
      `INSERT INTO account_counters (account_id, counter, last) SELECT account_id, $1, max(number) FROM ${table} GROUP BY account_id
       ON CONFLICT (account_id, counter) DO UPDATE SET last = excluded.last`,
      [counter],
    );
  await query('VACUUM ANALYZE');
  await query('CHECKPOINT');
}
