/**
 * Withdrawals against the database's own speed, and new orders while 10,000 payments are signed.
 *
 *     npm run bench -- withdrawals             on SQLite and on PostgreSQL
 *     npm run bench -- withdrawals sqlite      on one of them
 */
import { join } from 'node:path';
import type { AccountId, PayingChain, SignRequest, TransferId } from '../../../core/index.ts';
import { postEntry, PayoutRunner } from '../../../core/index.ts';
import { MnemonicWallet } from '../../../adapters/wallet/index.ts';
import { openStorage } from '../../../adapters/storage/knex/index.ts';
import type { SqlStorage, PgConfig, SqliteConfig } from '../../../adapters/storage/knex/index.ts';
import { FakePayments } from '../../support/fake-payments.ts';
import { buildMoney } from '../../support/money.ts';
import type { MoneyDomain } from '../../support/money.ts';
import { silentLogger } from '../../support/storage.ts';
import { startDurablePostgres } from './support/durable-postgres.ts';
import { median, report, rounded } from './support/report.ts';
import { withFolder } from './support/temp-folder.ts';
import { pgRows, sqliteRows } from './support/withdrawal-rows.ts';
import type { RawRows } from './support/withdrawal-rows.ts';

const ACCOUNTS = 64;
const CLIENTS = 16;
const ROUNDS = 11;
const PER_ROUND = 400;
const WAITING = 10_000;
const ORDERS_A_SECOND = 40;
const ORDERS = 1_200;
const AT_LEAST = 0.5;
const AT_MOST_P99 = 1.5;
const WORDS = 'legal winner thank year wave sausage worth useful legal winner thank yellow';

interface Place {
  readonly config: SqliteConfig | PgConfig;
  rows(): Promise<RawRows>;
  remove(): Promise<void>;
}

const PLACES: Readonly<Record<string, (folder: string) => Promise<Place>>> = {
  sqlite: (folder) => {
    const filename = join(folder, 'till.db');
    return Promise.resolve({
      config: { client: 'sqlite', filename },
      rows: () => sqliteRows(filename, join(folder, 'yardstick.db')),
      remove: () => Promise.resolve(),
    });
  },
  pg: async () => {
    const cluster = await startDurablePostgres();
    return {
      config: { client: 'pg', connection: cluster.url, pool: { min: CLIENTS, max: CLIENTS } },
      rows: () => pgRows(cluster.url, CLIENTS),
      remove: () => cluster.stop(),
    };
  },
};

async function run(words: readonly string[]): Promise<void> {
  const wanted = Object.keys(PLACES).filter((engine) => words.includes(engine));
  for (const engine of wanted.length === 0 ? Object.keys(PLACES) : wanted) {
    await withFolder('withdrawals', (folder) => benchOn(engine, folder));
  }
}

async function benchOn(engine: string, folder: string): Promise<void> {
  const place = await (PLACES[engine] as (typeof PLACES)[string])(folder);
  const storage = await openStorage(place.config, { logger: silentLogger });
  try {
    await storage.migrate();
    const till = await buildMoney(storage, { chain: { spendableConfirmations: 1_000_000 } });
    const speed = await requests(till, storage, place);
    const calm = await newOrders(till, null);
    const busy = await newOrders(till, await waiting(till, storage));
    present(engine, speed, calm, busy);
  } finally {
    await storage.close();
    await place.remove();
  }
}

interface Speed {
  readonly till: number;
  readonly raw: number;
}

/** Withdrawals of many merchants at once, in turns with the same rows by the bare driver. */
async function requests(till: MoneyDomain, storage: SqlStorage, place: Place): Promise<Speed> {
  const accounts = await merchants(till, storage);
  till.ethPayments.fund(till.ethPayments.hotAddress, 'ETH', 10n ** 30n);
  const withdraw = (n: number): Promise<unknown> => {
    const principal = { ...till.principal, accountId: accounts[n % accounts.length] as AccountId };
    return till.withdrawal.run(principal, { chain: 'ETH', currency: 'ETH', amount: { digits: 1n, scale: 3 } });
  };
  await inParallel(PER_ROUND, withdraw);
  const raw = await place.rows();
  const rounds: Speed[] = [];
  try {
    await raw.write(PER_ROUND);
    for (let round = 0; round < ROUNDS; round++) {
      rounds.push({
        till: await rate(() => inParallel(PER_ROUND, withdraw)),
        raw: await rate(() => raw.write(PER_ROUND)),
      });
    }
  } finally {
    await raw.close();
  }
  return { till: median(rounds.map((round) => round.till)), raw: median(rounds.map((round) => round.raw)) };
}

async function rate(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return PER_ROUND / ((performance.now() - began) / 1000);
}

async function inParallel(count: number, work: (n: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const client = async (): Promise<void> => {
    for (let n = next++; n < count; n = next++) await work(n);
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
}

/** Merchants with all they need to withdraw. */
async function merchants(till: MoneyDomain, storage: SqlStorage): Promise<readonly AccountId[]> {
  const template = await storage.accounts.find(till.principal.accountId);
  if (template === null) throw new Error('the merchant of the domain is gone');
  const accounts: AccountId[] = [];
  for (let n = 0; n < ACCOUNTS; n++) {
    const id = till.ids.next() as AccountId;
    await storage.accounts.create({ ...template, id, email: `merchant-${n}@example.com` });
    const at = till.clock.now();
    await storage.transaction(async (tx) => {
      await tx.wallets.saveWithdrawalAddress({
        accountId: id,
        chain: 'ETH',
        formerAddress: null,
        address: 'eth-merchant',
        activeFrom: at,
        updatedAt: at,
      });
      await postEntry(tx, {
        id: till.ids.next() as never,
        at,
        kind: 'deposit-matured',
        reference: `bench:${id}`,
        postings: [
          { account: 'custody:ETH', currency: 'ETH', units: -(10n ** 24n) },
          { account: `merchant:${id}:available`, currency: 'ETH', units: 10n ** 24n },
        ],
      });
    });
    accounts.push(id);
  }
  return accounts;
}

/** A paying side that costs what a real signature costs, and keeps nothing. */
class SigningPayments extends FakePayments {
  readonly #wallet = new MnemonicWallet(WORDS);
  #nonce = 0;
  signed = 0;

  /** A till opens its wallet when it starts, long before it pays. */
  async open(): Promise<void> {
    await this.#wallet.signDigest("m/44'/60'/0'/0/0", new Uint8Array(32).fill(7));
  }

  override async sign(request: SignRequest) {
    await this.#wallet.signDigest("m/44'/60'/0'/0/0", new Uint8Array(32).fill(7));
    this.signed += 1;
    this.#nonce = (request.nonce ?? 0) + 1;
    return super.sign(request);
  }

  override async broadcast(): Promise<void> {
    // The node has it.
  }

  override async balance(): Promise<bigint> {
    return 10n ** 40n;
  }

  override async nextNonce(): Promise<number> {
    return this.#nonce;
  }
}

/** 10,000 waiting transfers and the runner that signs them. */
async function waiting(
  till: MoneyDomain,
  storage: SqlStorage,
): Promise<{ readonly payments: SigningPayments; step(): Promise<boolean> }> {
  const payments = new SigningPayments(till.eth, 'account');
  till.eth.payments = payments;
  await payments.open();
  const at = till.clock.now();
  for (let n = 0; n < WAITING; n += 500) {
    await storage.transaction(async (tx) => {
      for (let i = 0; i < 500; i++) {
        await tx.transfers.add({
          id: till.ids.next() as TransferId,
          kind: 'withdrawal',
          accountId: till.principal.accountId,
          orderId: null,
          chain: 'ETH',
          currency: 'ETH',
          units: 10n ** 15n,
          feeUnits: 1_000n,
          maxFeeUnits: 2_000n,
          sourceAddress: payments.hotAddress,
          sourceIndex: null,
          toAddress: 'eth-merchant',
          status: 'REQUESTED',
          payoutId: null,
          reason: null,
          createdAt: at,
          updatedAt: at,
          deferredAt: null,
          finishedAt: null,
        });
      }
    });
  }
  const { assets, rateBook: rates, stateMachine, clock, ids, events, logger, metrics } = till;
  const runner = new PayoutRunner(
    till.eth as PayingChain,
    { storage, assets, rates, stateMachine, clock, ids, events, logger, metrics },
    { maxFeeBps: 100, cold: new Map() },
  );
  const lease = await till.payoutLease();
  return { payments, step: async () => (await runner.step(lease)) === 'advanced' };
}

interface Latency {
  readonly p50: number;
  readonly p99: number;
  readonly signed: number;
  readonly seconds: number;
}

/** New orders at a steady pace, whatever the answers take; with the payments signed beside them or without. */
async function newOrders(till: MoneyDomain, payer: Awaited<ReturnType<typeof waiting>> | null): Promise<Latency> {
  let done = false;
  const signing = (async () => {
    // As the host's loop does: as long a pause as the step took.
    for (let began = performance.now(); !done && payer !== null && (await payer.step()); began = performance.now()) {
      await new Promise((resolve) => setTimeout(resolve, performance.now() - began));
    }
  })();
  const began = performance.now();
  const times: number[] = [];
  const open: Promise<void>[] = [];
  for (let n = 0; n < ORDERS; n++) {
    const due = began + (n * 1000) / ORDERS_A_SECOND;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
    open.push(till.newOrder({ currency: 'USDT-ERC20' }).then(() => void times.push(performance.now() - due)));
  }
  await Promise.all(open);
  const seconds = (performance.now() - began) / 1000;
  done = true;
  await signing;
  times.sort((a, b) => a - b);
  return {
    p50: median(times),
    p99: times[Math.floor(times.length * 0.99)] ?? NaN,
    signed: payer?.payments.signed ?? 0,
    seconds,
  };
}

function present(engine: string, { till, raw }: Speed, calm: Latency, busy: Latency): void {
  report({
    bench: `withdrawals ${engine}`,
    rows: [
      { what: 'withdrawals a second', till: rounded(till), raw: rounded(raw), ratio: rounded(till / raw) },
      {
        what: 'p99 of a new order (ms)',
        till: rounded(busy.p99),
        raw: rounded(calm.p99),
        ratio: rounded(busy.p99 / calm.p99),
      },
      {
        what: 'p50 of a new order (ms)',
        till: rounded(busy.p50),
        raw: rounded(calm.p50),
        ratio: rounded(busy.p50 / calm.p50),
      },
    ],
    checks: [
      { name: 'withdrawals against the same rows by the bare driver', value: till / raw, atLeast: AT_LEAST },
      {
        name: "a new order's p99 while payments are signed against a calm till",
        value: busy.p99 / calm.p99,
        atMost: AT_MOST_P99,
      },
    ],
    facts: {
      signed: busy.signed,
      signedPerSecond: rounded(busy.signed / busy.seconds),
      clients: CLIENTS,
      ordersPerSecond: ORDERS_A_SECOND,
    },
    notes: [
      'raw: the driver alone writing the same rows, one withdrawal a transaction; for the orders: the till without payments to sign.',
    ],
  });
}

export default { name: 'withdrawals', run };
