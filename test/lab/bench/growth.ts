/**
 * The work of a till on PostgreSQL over the orders of years against the same work on an empty database, in turns.
 *
 *     npm run bench -- growth                        10,000,000 orders
 *     npm run bench -- growth --orders 100000        fewer, for a look
 *
 * The orders are filled in by SQL as copies of rows that the product wrote. The database lies in the system's temporary folder: about
 * 7 kB an order, which TMPDIR puts elsewhere.
 */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { OrderQueries, checkpointLedger } from '../../../core/index.ts';
import type { AccountId, CallbackId, CallbackSearch, ChainCode } from '../../../core/index.ts';
import { openStorage } from '../../../adapters/storage/knex/index.ts';
import type { SqlStorage } from '../../../adapters/storage/knex/index.ts';
import { silentLogger } from '../../support/storage.ts';
import { startDurablePostgres } from './support/durable-postgres.ts';
import { filledOrderId, fillOrders, ORDER_TABLES, rowsOfOrder, settle } from './support/growth-rows.ts';
import type { Query, Row } from './support/growth-rows.ts';
import { GROWTH_SETTINGS, startGrowthTill } from './support/growth-till.ts';
import type { GrowthTill } from './support/growth-till.ts';
import { familyCpuMicros } from './support/process-cost.ts';
import { median, report, rounded } from './support/report.ts';
import { withFolder } from './support/temp-folder.ts';
import { startTill } from './support/till-process.ts';

const ORDERS = 10_000_000;
/** What a server with years of orders is given, in place of 128 MB and 1 GB. */
const SERVER = { shared_buffers: '2GB', max_wal_size: '4GB' };
const AT_MOST = 1.3;
const ROUNDS = 6;
const REPEATED = 40;
/** Orders that are paid, lapse or are delivered in one pass. */
const AT_ONCE = 10;
const ACCOUNTS = 21;
const PAGE = 20;
const STARTS = 3;
/** Orders that are paid between two checks of the ledger. */
const CHECKED = 200;
const IDLE_MS = 10_000;

/** A paid order, and by what it is searched for. */
interface Sample {
  readonly id: string;
  readonly accountId: AccountId;
  readonly reference: string;
  readonly hash: string;
}

const SAMPLE = `SELECT o.id, o.account_id AS "accountId", o.merchant_reference AS reference, d.txid AS hash
  FROM orders o JOIN deposits d ON d.order_id = o.id`;

/** One of the two databases with all that works on it. */
interface Place {
  readonly name: 'empty' | 'filled';
  readonly url: string;
  readonly query: Query;
  readonly storage: SqlStorage;
  readonly growth: GrowthTill;
  readonly queries: OrderQueries;
  /** Whose lists are read. */
  readonly account: AccountId;
  /** A paid order at random. */
  sample(): Promise<Sample>;
  close(): Promise<void>;
}

/** Milliseconds of each repetition, by what was done. */
type Times = Map<string, number[]>;

async function run(words: readonly string[]): Promise<void> {
  const orders = Number(words[words.indexOf('--orders') + 1] ?? ORDERS);
  await withFolder('growth', async (folder) => {
    const cluster = await startDurablePostgres(SERVER);
    const masterKey = randomBytes(32);
    writeFileSync(join(folder, 'master.key'), masterKey.toString('base64'), { mode: 0o600 });
    const places: Place[] = [];
    try {
      await cluster.query('CREATE DATABASE empty');
      const url = (name: string): string => cluster.url.replace(/till$/, name);
      for (const [name, database] of [
        ['empty', 'empty'],
        ['filled', 'till'],
      ] as const)
        places.push(await open(name, url(database), masterKey, name === 'filled' ? orders : 0));
      const [empty, filled] = places as [Place, Place];
      const bytes = await fill(filled, orders);
      // The rows of a year in minutes would keep it at work through all rounds; they are vacuumed and analysed.
      await cluster.query('ALTER SYSTEM SET autovacuum = off');
      await cluster.query('SELECT pg_reload_conf()');
      const times = { empty: new Map(), filled: new Map() };
      for (let round = 0; round <= ROUNDS; round++)
        for (const place of round % 2 === 0 ? [empty, filled] : [filled, empty])
          await measure(place, round === 0 ? new Map() : times[place.name]);
      const checks = await check(filled);
      for (const place of places.splice(0)) await place.close();
      for (let start = 0; start < STARTS; start++)
        for (const name of ['empty', 'till'] as const)
          await startAndIdle(
            { folder, url: url(name), server: cluster.pid },
            times[name === 'till' ? 'filled' : 'empty'],
          );
      present(orders, times, bytes, checks);
    } finally {
      for (const place of places) await place.close();
      await cluster.stop();
    }
  });
}

async function open(name: Place['name'], url: string, masterKey: Uint8Array, orders: number): Promise<Place> {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  const query: Query = async (sql, values = []) => (await pool.query(sql, [...values])).rows as Row[];
  const storage = await openStorage({ client: 'pg', connection: url }, { logger: silentLogger });
  await storage.migrate();
  const growth = await startGrowthTill(storage, masterKey, name);
  const { till } = growth.till;
  const queries = new OrderQueries({
    storage,
    assets: till.assets,
    chains: till.chains,
    clock: till.clock,
    settings: { pageMax: 100 },
    baseUrl: 'https://till.example',
  });
  return {
    name,
    url,
    query,
    storage,
    growth,
    queries,
    account: growth.till.merchant.account.id,
    sample: async () => {
      // The first account's, and paid; in the empty database there are a few.
      const n = 1050 + Math.floor((Math.random() * (orders - 1050)) / 2100) * 2100;
      const found =
        orders > 0
          ? await query(`${SAMPLE} WHERE o.id = $1`, [filledOrderId(n)])
          : await query(`${SAMPLE} ORDER BY random() LIMIT 1`);
      return found[0] as unknown as Sample;
    },
    close: async () => {
      await growth.close();
      await storage.close();
      await pool.end();
    },
  };
}

/** @returns the bytes of each table's rows and of its indexes for one order */
async function fill({ url, query, growth, account }: Place, orders: number): Promise<readonly object[]> {
  const paid = await growth.order();
  await growth.pay(paid);
  await growth.till.work();
  await growth.pay(await growth.order());
  await growth.till.work();
  const unpaid = await growth.order();
  growth.lapse();
  await growth.till.work();
  const samples = { paid: await rowsOfOrder(query, paid), unpaid: await rowsOfOrder(query, unpaid) };
  const others: AccountId[] = [];
  for (let n = 1; n < ACCOUNTS; n++) others.push((await growth.till.newMerchant()).account.id);
  await fillOrders({ url, orders, ...samples, accounts: [account, ...others], until: Date.now() });
  await settle(query);
  return bytesOf(query, orders);
}

async function bytesOf(query: Query, orders: number): Promise<readonly object[]> {
  const rows = await query(
    `SELECT relname AS table, sum(pg_table_size(part)) AS heap, sum(pg_indexes_size(part)) AS indexes
     FROM pg_class, LATERAL (SELECT oid AS part UNION ALL SELECT inhrelid FROM pg_inherits WHERE inhparent = pg_class.oid) AS parts
     WHERE relkind IN ('r', 'p') AND relname = ANY($1) GROUP BY relname ORDER BY sum(pg_total_relation_size(part)) DESC`,
    [ORDER_TABLES],
  );
  const line = (table: unknown, heap: number, indexes: number): object => ({
    table,
    rows: Math.round(heap / orders),
    indexes: Math.round(indexes / orders),
    together: Math.round((heap + indexes) / orders),
  });
  const sum = (name: string): number => rows.reduce((total, row) => total + Number(row[name]), 0);
  return [
    ...rows.map((row) => line(row['table'], Number(row['heap']), Number(row['indexes']))),
    line('together', sum('heap'), sum('indexes')),
  ];
}

/** One round of everything on one database. */
async function measure(place: Place, times: Times): Promise<void> {
  const { growth, storage, queries, account } = place;
  const { till, clock } = growth.till;
  const timed = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const start = performance.now();
    const result = await work();
    times.set(name, [...(times.get(name) ?? []), performance.now() - start]);
    return result;
  };
  const repeated = async (name: string, work: () => Promise<unknown>): Promise<void> => {
    for (let n = 0; n < REPEATED; n++) await timed(name, work);
  };
  // Real time goes on; the pool of addresses is kept as the till's worker would.
  clock.set(Math.max(clock.now(), Date.now()));
  const open = await Promise.all(Array.from({ length: AT_ONCE }, () => growth.order()));
  for (const id of open) await growth.pay(id);
  await timed('follow, credit and call back 10 payments', () => growth.till.work());
  await growth.till.work();
  await repeated('create an order', () => growth.order());
  const samples: Sample[] = [];
  for (let n = 0; n < REPEATED; n++) samples.push(await place.sample());
  const page = { limit: PAGE, after: null };
  const callbacks = (search: Partial<CallbackSearch>): Promise<unknown> =>
    storage.callbacks.list({
      accountId: account,
      status: null,
      endpointId: null,
      before: null,
      limit: PAGE,
      ...search,
    });
  let at = 0;
  const next = (): Sample => samples[at++ % REPEATED] as Sample;
  await repeated("an order's detail", () => growth.detail(next().id));
  // Of a large database the first look waits for pages that no cache has.
  for (const look of ['', ', again'])
    await repeated(`an order with its history${look}`, () => queries.history(next().id));
  await repeated("a merchant's numbered list", () => growth.list(1, PAGE));
  await repeated('a list by status', () => queries.search(account, { status: 'SUCCESS' }, page));
  await repeated("an operator's list by status", () => queries.search(null, { status: 'OVERDUE' }, page));
  await repeated('a search by hash', () => queries.search(null, { q: next().hash }, page));
  for (const look of ['', ', again'])
    await repeated(`a search by reference${look}`, () => queries.search(null, { q: next().reference }, page));
  await repeated('the list of callbacks', () => callbacks({}));
  await repeated('the list of callbacks by status', () => callbacks({ status: 'DELIVERED' }));
  await repeated("an operator's list of dead callbacks", () => callbacks({ accountId: null, status: 'DEAD' }));
  await claims(place, repeated);
  growth.lapse();
  const chains = new Map<ChainCode, number>([['ETH', clock.now()]]);
  await repeated('the look for expired orders', () => storage.orders.dueForExpiry(clock.now(), chains, 100, null));
  await timed('expire 40 orders', () => growth.till.work());
  await repeated('a pass with nothing to do', () => growth.till.work());
  void till;
}

/** Due callbacks are claimed for no time, so that they can be again. */
async function claims(
  { storage, query, growth, account }: Place,
  repeated: (name: string, work: () => Promise<unknown>) => Promise<void>,
): Promise<void> {
  const now = growth.till.clock.now();
  const rows = await query(`SELECT id FROM callbacks WHERE account_id = $1 ORDER BY id DESC LIMIT ${AT_ONCE}`, [
    account,
  ]);
  for (const { id } of rows) await storage.callbacks.replay(id as CallbackId, now);
  await repeated('the claim of 10 due callbacks', () => storage.callbacks.claimDue(now, 0, AT_ONCE));
  await repeated('when a callback is due next', () => storage.callbacks.nextDueAt());
}

/** How long checks of the ledger take: the first, one after the orders of the rounds, and of everything. */
async function check({ storage, growth }: Place): Promise<readonly object[]> {
  const rows: object[] = [];
  const one = async (name: string, full: boolean): Promise<void> => {
    const start = performance.now();
    const { breaches, postings } = await checkpointLedger(storage, { full });
    const seconds = rounded((performance.now() - start) / 1000);
    rows.push({ check: name, postings, seconds, breaches: breaches.length });
  };
  await one('the first', false);
  const made = await Promise.all(Array.from({ length: CHECKED }, () => growth.order()));
  for (const id of made) await growth.pay(id);
  await growth.till.work();
  await one('the next', false);
  await one('everything', true);
  return rows;
}

/** A till in a process of its own: its start, and what it costs the database while it has nothing to do. */
async function startAndIdle(
  { folder, url, server }: { readonly folder: string; readonly url: string; readonly server: number },
  times: Times,
): Promise<void> {
  const add = (name: string, value: number): unknown => times.set(name, [...(times.get(name) ?? []), value]);
  const start = performance.now();
  const till = await startTill({
    folder,
    settings: { ...GROWTH_SETTINGS, masterKeyFile: 'master.key', database: { client: 'pg', connection: url } },
  });
  add('the start of a till', performance.now() - start);
  try {
    // What a start does first is not idle work.
    await pause(IDLE_MS / 2);
    const before = familyCpuMicros(server);
    await pause(IDLE_MS);
    add("ten idle seconds, CPU of the database's processes", (familyCpuMicros(server) - before) / 1000);
  } finally {
    await till.stop();
  }
}

function present(
  orders: number,
  times: Readonly<Record<Place['name'], Times>>,
  bytes: readonly object[],
  checks: readonly object[],
): void {
  console.table(bytes);
  console.table(checks);
  const rows = [...times.empty].map(([what, values]) => {
    const [empty, filled] = [median(values), median(times.filled.get(what) ?? [])];
    return { what, empty, filled, ratio: filled / empty };
  });
  report({
    bench: 'growth',
    rows: rows.map(({ what, empty, filled, ratio }) => ({
      what,
      'empty, ms': rounded(empty),
      'filled, ms': rounded(filled),
      ratio: rounded(ratio),
    })),
    checks: rows.map(({ what, ratio }) => ({
      name: `${what} over ${orders} orders, as a multiple of the empty database`,
      value: ratio,
      atMost: AT_MOST,
    })),
    facts: { orders, bytes, checks },
    notes: [
      'Medians; both databases lie in one cluster and are measured in turns. All indexes were in place while it was filled.',
    ],
  });
}

export default { name: 'growth', run };
