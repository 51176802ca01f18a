/**
 * Another merchant's sale beside thousands of tiny payments to one order.
 *
 *     npm run bench -- spray                   10,000 of them, on SQLite and on PostgreSQL
 *     npm run bench -- spray sqlite            on one of them
 *     npm run bench -- spray --payments 1000   fewer, for a look
 *
 * The core runs in this process, on a chain in memory: what is measured is the till's own work and the database's. The flooded merchant
 * has a webhook endpoint for every event of a deposit.
 */
import { join } from 'node:path';
import { checkLedger } from '../../../core/index.ts';
import type { AccountId, ChainFollower, Lease, Order, Principal } from '../../../core/index.ts';
import { openStorage } from '../../../adapters/storage/knex/index.ts';
import type { SqlStorage, PgConfig, SqliteConfig } from '../../../adapters/storage/knex/index.ts';
import { buildDomain } from '../../support/domain.ts';
import type { Domain } from '../../support/domain.ts';
import type { FakePayment } from '../../support/fake-chain.ts';
import { silentLogger } from '../../support/storage.ts';
import { subscribe } from '../../support/subscribe.ts';
import { startDurablePostgres } from './support/durable-postgres.ts';
import { report, rounded } from './support/report.ts';
import { withFolder } from './support/temp-folder.ts';

const PAYMENTS = 10_000;
const PER_BLOCK = 1_000;
/** More than enough for a sale after each step. */
const SALES = 400;
const AT_MOST_MS = 5_000;

interface Place {
  readonly config: SqliteConfig | PgConfig;
  remove(): Promise<void>;
}

const PLACES: Readonly<Record<string, (folder: string) => Promise<Place>>> = {
  sqlite: (folder) =>
    Promise.resolve({
      config: { client: 'sqlite', filename: join(folder, 'till.db') },
      remove: () => Promise.resolve(),
    }),
  pg: async () => {
    const cluster = await startDurablePostgres();
    return { config: { client: 'pg', connection: cluster.url }, remove: () => cluster.stop() };
  },
};

interface Measured {
  /** From the begin of the step in which a sale is mined deep enough until it is a SUCCESS. */
  readonly delays: readonly number[];
  readonly steps: readonly number[];
  readonly totalMs: number;
  readonly events: number;
  readonly problems: readonly string[];
}

async function run(words: readonly string[]): Promise<void> {
  const payments = words.includes('--payments') ? Number(words[words.indexOf('--payments') + 1]) : PAYMENTS;
  const wanted = Object.keys(PLACES).filter((engine) => words.includes(engine));
  for (const engine of wanted.length === 0 ? Object.keys(PLACES) : wanted)
    await withFolder('spray', (folder) => benchOn(engine, folder, payments));
}

async function benchOn(engine: string, folder: string, payments: number): Promise<void> {
  const place = await (PLACES[engine] as (typeof PLACES)[string])(folder);
  const storage = await openStorage(place.config, { logger: silentLogger });
  try {
    await storage.migrate();
    const domain = await buildDomain(storage, { chain: { confirmations: 3, spendableConfirmations: 6 } });
    await subscribe(storage, domain.principal.accountId, { events: ['deposit.*'] });
    present(engine, payments, await measure(domain, storage, payments));
  } finally {
    await storage.close();
    await place.remove();
  }
}

async function measure(domain: Domain, storage: SqlStorage, payments: number): Promise<Measured> {
  const sales = await salesOf(domain, storage);
  const flooded = await domain.newOrder({ price: '50' });
  const follower = domain.newFollower();
  await follower.start();
  await toRest(follower, await domain.lease());
  for (let from = 0; from < payments; from += PER_BLOCK)
    domain.eth.mine(...crumbs(flooded, from, Math.min(PER_BLOCK, payments - from)));
  domain.eth.mineEmpty(domain.eth.policy.spendableConfirmations);
  const [delays, steps]: [number[], number[]] = [[], []];
  const began = performance.now();
  // A step ends by the clock, so it goes on here as in a server.
  const from = domain.clock.now();
  domain.clock.now = () => from + Math.round(performance.now() - began);
  let waiting: { readonly order: Order; readonly since: number } | null = null;
  // It is emitted after the commit of the transaction, which also holds the callback.
  domain.events.on('order.status', ({ orderId, to }) => {
    if (orderId !== waiting?.order.id || to !== 'SUCCESS') return;
    delays.push(performance.now() - waiting.since);
    waiting = null;
  });
  for (let result = 'advanced'; result === 'advanced' || waiting !== null;) {
    const stepBegan = performance.now();
    result = await follower.step(await domain.lease());
    steps.push(performance.now() - stepBegan);
    if (waiting !== null || result !== 'advanced') continue;
    // At worst it is paid just after the step has asked for the head.
    const order = sales.pop();
    if (order === undefined) continue;
    domain.eth.mine(pay(order, order.payment?.units ?? 0n, `sale${order.id}`));
    domain.eth.mineEmpty(2);
    waiting = { order, since: stepBegan };
  }
  const totalMs = performance.now() - began;
  const search = {
    accountId: domain.principal.accountId,
    status: null,
    endpointId: null,
    before: null,
    limit: 10 * payments,
  };
  const events = (await storage.callbacks.list(search)).length;
  const received = (await domain.order(flooded.id)).received;
  const problems = [...(await checkLedger(storage))].map(String);
  if (received !== BigInt(payments)) problems.push(`the flooded order has received ${received}`);
  return { delays, steps, totalMs, events, problems };
}

/** Orders of another merchant. */
async function salesOf(domain: Domain, storage: SqlStorage): Promise<Order[]> {
  const template = await storage.accounts.find(domain.principal.accountId);
  if (template === null) throw new Error('the merchant of the domain is gone');
  const accountId = domain.ids.next() as AccountId;
  await storage.accounts.create({ ...template, id: accountId, email: 'another@example.com' });
  const principal: Principal = { ...domain.principal, accountId };
  const orders: Order[] = [];
  for (let n = 0; n < SALES; n++)
    orders.push(
      await domain.createOrder.inCoin(principal, {
        chain: 'ETH',
        currency: 'USDT-ERC20',
        vsCurrency: 'USD',
        vsPrice: { digits: 100n, scale: 0 },
      }),
    );
  return orders;
}

async function toRest(follower: ChainFollower, lease: Lease): Promise<void> {
  while ((await follower.step(lease)) === 'advanced');
}

const pay = (order: Order, units: bigint, txid: string): FakePayment => ({
  to: order.payment?.address ?? '',
  currency: order.payment?.currency ?? '',
  units,
  txid,
  index: '0',
});
const crumbs = (order: Order, from: number, count: number): readonly FakePayment[] =>
  Array.from({ length: count }, (_, n) => pay(order, 1n, `crumb${from + n}`));

function present(engine: string, payments: number, { delays, steps, totalMs, events, problems }: Measured): void {
  if (problems.length > 0) throw new Error(`the books are wrong: ${problems.join('; ')}`);
  const worst = Math.max(...delays);
  report({
    bench: 'spray',
    rows: [
      {
        engine,
        payments,
        'worst delay ms': rounded(worst),
        'longest step ms': rounded(Math.max(...steps)),
        steps: steps.length,
        sales: delays.length,
        'all settled ms': rounded(totalMs),
        events,
      },
    ],
    checks: [
      {
        name: `milliseconds that a sale waits beside ${payments} tiny payments on ${engine}`,
        value: worst,
        atMost: AT_MOST_MS,
      },
    ],
    facts: { engine, payments, steps: steps.length, totalMs: rounded(totalMs) },
    notes: [
      'A sale is mined three blocks deep at once, in the longest way at the begin of a step that does not see it any more.',
    ],
  });
}

export default { name: 'spray', run };
