import assert from 'node:assert/strict';
import {
  AddressPool,
  AssetCatalogue,
  ChainFollower,
  checkLedger,
  CreateOrder,
  DEFAULT_ORDER_SETTINGS,
  LatePayments,
  ExpireOrders,
  OrderStateMachine,
  RateBook,
  rateSymbols,
  readDecimal,
  TillEvents,
} from '../../core/index.ts';
import type {
  AccountId,
  ChainAdapter,
  Deposit,
  Order,
  OrderPayment,
  UnconfirmedPayment,
  Storage,
} from '../../core/index.ts';
import { eventPresenter } from '../../adapters/http/event-data.ts';
import { callbackPresenter } from '../../adapters/http/operations/order-record.ts';
import {
  FakeClock,
  FakeDeadlines,
  FakeIds,
  FakeRateSource,
  MemoryEventBus,
  MemoryLogger,
  MemoryMetrics,
  SeededRandom,
} from '../support/fakes.ts';

const PRICES = { BTC: '50000', LTC: '100', EUR: '1.1' };
const MAX_STEPS = 500;

/** Orders, deposits and the ledger over one real chain. */
export interface UtxoTill {
  /** An order of so many US dollars, with what its payer is told. */
  order(price: string): Promise<{ readonly order: Order; readonly payment: OrderPayment }>;
  /** Reads the chain until there is nothing more to read. */
  follow(): Promise<'idle' | 'halted'>;
  status(order: Order): Promise<Order['status']>;
  deposits(order: Order): Promise<readonly Deposit[]>;
  /** What waits to be mined, and pays to the order. */
  unconfirmedPayments(order: Order): Promise<readonly UnconfirmedPayment[]>;
  readonly clock: FakeClock;
  readonly accountId: AccountId;
  readonly assets: AssetCatalogue;
  readonly rates: RateBook;
  readonly stateMachine: OrderStateMachine;
  readonly ids: FakeIds;
  readonly events: MemoryEventBus;
  readonly logger: MemoryLogger;
  readonly metrics: MemoryMetrics;
  /** Reads the chain, and ends what is due. */
  expire(): Promise<number>;
  balance(part: 'available' | 'pending'): Promise<bigint>;
  /** Fails when any invariant of the books is broken. */
  checkBooks(): Promise<void>;
}

/** Builds a {@link UtxoTill} with one merchant on an empty storage. */
export async function buildTill(storage: Storage, chain: ChainAdapter): Promise<UtxoTill> {
  // Blocks carry the time of the machine.
  const clock = new FakeClock(Date.now());
  const [ids, events, logger, metrics] = [
    new FakeIds(clock),
    new MemoryEventBus(),
    new MemoryLogger(),
    new MemoryMetrics(),
  ];
  const chains = new Map([[chain.code, chain]]);
  const assets = new AssetCatalogue(chain.assets);
  const sources = [new FakeRateSource('fake', PRICES, clock)];
  const rates = new RateBook({
    sources,
    clock,
    deadline: new FakeDeadlines().after,
    logger,
    metrics,
    symbols: rateSymbols(assets),
  });
  const settings = DEFAULT_ORDER_SETTINGS;
  const stateMachine = new OrderStateMachine({
    assets,
    events,
    metrics,
    settings,
  });
  const latePayments = new LatePayments({ rates, assets, settings });
  const presenter = eventPresenter(assets);
  storage.dispatchTo(new TillEvents({ ids, clock, events, callbacks: callbackPresenter, presenter, assets, chains }));
  const addresses = new AddressPool({
    chains,
    storage,
    settings: { batch: 4, largestBatch: 4, lowWater: 8, refill: 8 },
  });
  const createOrder = new CreateOrder({
    storage,
    assets,
    rates,
    addresses,
    clock,
    ids,
    random: new SeededRandom(),
    events,
    metrics,
    settings,
  });
  const accountId = ids.next() as AccountId;
  await storage.accounts.create(merchant(accountId, clock.now()));
  const follower = new ChainFollower(chain, {
    storage,
    stateMachine,
    latePayments,
    clock,
    ids,
    events,
    logger,
    metrics,
  });
  await follower.start();
  const expireOrders = new ExpireOrders({ storage, stateMachine, clock, logger });
  const currency = chain.assets[0]?.currency ?? '';
  const follow = async (): Promise<'idle' | 'halted'> => {
    const lease = await storage.leases.acquire(`follow:${chain.code}`, 'test', 60_000);
    assert(lease !== null);
    for (let steps = 0; steps < MAX_STEPS; steps++) {
      const result = await follower.step(lease);
      if (result !== 'advanced') return result;
    }
    throw new Error('the follower never came to rest');
  };
  return {
    clock,
    accountId,
    assets,
    rates,
    stateMachine,
    ids,
    events,
    logger,
    metrics,
    follow,
    async expire() {
      await follow();
      return expireOrders.run();
    },
    async order(price) {
      const vsPrice = readDecimal(price);
      assert(vsPrice !== null);
      const input = { chain: chain.code, currency, vsCurrency: 'USD', vsPrice };
      const order = await createOrder.inCoin({ accountId, credentialId: null, via: 'api-key' }, input);
      assert(order.payment !== null);
      return { order, payment: order.payment };
    },
    status: async ({ id }) => (await storage.orders.find(id))?.status ?? 'PENDING',
    deposits: ({ id }) => storage.deposits.byOrder(id),
    unconfirmedPayments: ({ id }) => storage.unconfirmedPayments.live([id]),
    async balance(part) {
      const balances = await storage.ledger.balances(`merchant:${accountId}:${part}`);
      return balances.find((balance) => balance.currency === currency)?.units ?? 0n;
    },
    async checkBooks() {
      assert.deepEqual(await checkLedger(storage), []);
    },
  };
}

function merchant(id: AccountId, now: number): Parameters<Storage['accounts']['create']>[0] {
  return {
    id,
    email: `merchant-${id}@example.com`,
    name: null,
    role: 'user',
    status: 'active',
    adminSince: null,
    passwordHash: 'none',
    passwordExpiresAt: null,
    authVersion: 1,
    dataSecurity: false,
    dataSecurityOffAt: null,
    callbackApiKey: 'order',
    verifiedCurrencies: [],
    createdAt: now,
    modifiedAt: now,
  };
}
