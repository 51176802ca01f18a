import assert from 'node:assert/strict';
import {
  AddressPool,
  AssetCatalogue,
  ChainFollower,
  checkLedger,
  ChoosePayment,
  CreateOrder,
  DEFAULT_ORDER_SETTINGS,
  ExpireOrders,
  Invoices,
  LatePayments,
  LIGHTNING_ASSET,
  OrderAdminActions,
  OrderStateMachine,
  OrderQueries,
  OrderQuota,
  RateBook,
  rateSymbols,
  readDecimal,
  TillEvents,
} from '../../core/index.ts';
import type {
  Account,
  AccountId,
  ChainAdapter,
  Lease,
  LightningNode,
  Order,
  OrderSettings,
  CoinOrderInput,
  Principal,
  Storage,
} from '../../core/index.ts';
import { eventPresenter } from '../../adapters/http/event-data.ts';
import { callbackPresenter } from '../../adapters/http/operations/order-record.ts';
import { FakeChain } from './fake-chain.ts';
import type { FakeChainOptions } from './fake-chain.ts';
import {
  FakeClock,
  FakeDeadlines,
  FakeIds,
  FakeRateSource,
  MemoryEventBus,
  MemoryLogger,
  MemoryMetrics,
  SeededRandom,
} from './fakes.ts';
import { presentedQueries } from './presented.ts';
import type { PresentedQueries } from './presented.ts';

const catalogue = new AssetCatalogue([]);
const pick = (currency: string) => {
  const asset = catalogue.find(currency);
  assert(asset !== null);
  return asset;
};

/** US dollars for one unit of each. */
export const PRICES = { ETH: '2000', USDT: '1', USDC: '1', BTC: '50000', EUR: '1.1', JPY: '0.0065' };

/** The whole domain on a real storage, with two scripted chains (`ETH` with ETH and USDT-ERC20, `BTC`). */
export interface Domain {
  readonly storage: Storage;
  readonly clock: FakeClock;
  readonly ids: FakeIds;
  readonly events: MemoryEventBus;
  readonly logger: MemoryLogger;
  readonly metrics: MemoryMetrics;
  readonly rates: FakeRateSource;
  readonly eth: FakeChain;
  readonly btc: FakeChain;
  readonly assets: AssetCatalogue;
  readonly rateBook: RateBook;
  readonly stateMachine: OrderStateMachine;
  readonly latePayments: LatePayments;
  readonly addresses: AddressPool;
  readonly createOrder: CreateOrder;
  readonly choosePayment: ChoosePayment;
  readonly queries: PresentedQueries;
  readonly expireOrders: ExpireOrders;
  readonly orderAdminActions: OrderAdminActions;
  readonly principal: Principal;
  /** Runs the follower of a chain until it is idle or halted. */
  follow(chain?: FakeChain): Promise<'idle' | 'halted'>;
  /** A follower of another instance of the till, with only the stored state. */
  newFollower(chain?: ChainAdapter): ChainFollower;
  lease(chain?: FakeChain): Promise<Lease>;
  /** Expires due orders, after the chains were read up to now. */
  expire(): Promise<number>;
  newOrder(input?: Partial<Omit<CoinOrderInput, 'vsPrice'>> & { price?: string }): Promise<Order>;
  order(id: string): Promise<Order>;
  balance(part: 'available' | 'pending' | 'claims' | 'reserved', currency: string): Promise<bigint>;
  /** Fails when an invariant of the ledger is broken. */
  checkBooks(): Promise<void>;
}

export interface DomainOptions {
  /** The chain `ETH` on a real node, in place of the fake one. */
  readonly eth?: ChainAdapter;
  readonly chain?: FakeChainOptions;
  readonly orders?: Partial<OrderSettings>;
  /** The time for which a refund is refused to an address that was left after a payment. */
  readonly refundHoldMs?: number;
  /** A Lightning node, made with the domain's clock. */
  readonly lightning?: (now: () => number) => LightningNode;
  /** The smallest deposit of BTC that is worth spending, in units. */
  readonly btcMinDeposit?: bigint;
}

/** Builds a {@link Domain} with one merchant. */
export async function buildDomain(storage: Storage, options: DomainOptions = {}): Promise<Domain> {
  const clock = new FakeClock();
  const [ids, events, logger, metrics] = [
    new FakeIds(clock),
    new MemoryEventBus(),
    new MemoryLogger(),
    new MemoryMetrics(),
  ];
  const now = (): number => clock.now();
  const eth = (options.eth ?? new FakeChain([pick('ETH'), pick('USDT-ERC20')], now, options.chain)) as FakeChain;
  const { btcMinDeposit } = options;
  const bitcoin = { ...pick('BTC'), ...(btcMinDeposit === undefined ? {} : { minDeposit: btcMinDeposit }) };
  const btc = new FakeChain([bitcoin], now, options.chain);
  const chains = new Map([eth, btc].map((chain) => [chain.code, chain]));
  const lightning = options.lightning?.(now) ?? null;
  const invoices = lightning === null ? null : new Invoices({ node: lightning, storage, clock });
  const assets = new AssetCatalogue([...eth.assets, ...btc.assets, ...(lightning === null ? [] : [LIGHTNING_ASSET])]);
  const rateSource = new FakeRateSource('fake', PRICES, clock);
  const settings = { ...DEFAULT_ORDER_SETTINGS, ...options.orders };
  const rates = new RateBook({
    spreadBps: settings.spreadBps,
    sources: [rateSource],
    clock,
    deadline: new FakeDeadlines().after,
    logger,
    metrics,
    symbols: rateSymbols(assets),
  });
  const stateMachine = new OrderStateMachine({
    assets,
    events,
    metrics,
    settings,
  });
  const latePayments = new LatePayments({ rates, assets, settings });
  const addresses = new AddressPool({
    chains,
    storage,
    settings: { batch: 4, largestBatch: 4, lowWater: 8, refill: 8 },
  });
  const quota = new OrderQuota({ storage, clock, settings });
  storage.dispatchTo(
    new TillEvents({
      ids,
      clock,
      events,
      callbacks: callbackPresenter,
      presenter: eventPresenter(assets),
      assets,
      chains,
    }),
  );
  const createOrder = new CreateOrder({
    storage,
    quota,
    assets,
    rates,
    addresses,
    invoices,
    clock,
    ids,
    random: new SeededRandom(),
    events,
    metrics,
    settings,
  });
  const expireOrders = new ExpireOrders({ storage, stateMachine, clock, logger });
  const accountId = ids.next() as AccountId;
  await storage.accounts.create(accountRecord(accountId, clock.now()));
  const principal: Principal = { accountId, credentialId: null, via: 'api-key' };
  const followers = new Map<FakeChain, ChainFollower>();
  const newFollower = (chain: ChainAdapter = eth): ChainFollower =>
    new ChainFollower(chain, { storage, stateMachine, latePayments, clock, ids, events, logger, metrics });
  const lease = async (chain = eth): Promise<Lease> => {
    const held = await storage.leases.acquire(`follow:${chain.code}`, 'test', 60_000);
    assert(held !== null, 'the lease is held by another');
    return held;
  };
  const followerOf = async (chain: FakeChain): Promise<ChainFollower> => {
    let follower = followers.get(chain);
    if (follower === undefined) {
      followers.set(chain, (follower = newFollower(chain)));
      await follower.start();
    }
    return follower;
  };
  const follow = async (chain = eth): Promise<'idle' | 'halted'> => {
    const follower = await followerOf(chain);
    const held = await lease(chain);
    for (let steps = 0; steps < 500; steps++) {
      const result = await follower.step(held);
      if (result !== 'advanced') return result;
    }
    throw new Error('the follower never came to rest');
  };
  await follow(eth);
  await follow(btc);
  return {
    storage,
    clock,
    ids,
    events,
    logger,
    metrics,
    rates: rateSource,
    eth,
    btc,
    assets,
    rateBook: rates,
    stateMachine,
    latePayments,
    addresses,
    createOrder,
    choosePayment: new ChoosePayment({ storage, assets, chains, rates, addresses, invoices, quota, clock }),
    queries: presentedQueries(
      new OrderQueries({
        ...{ storage, assets, chains, clock, settings, baseUrl: 'https://till.example' },
        refundHoldMs: options.refundHoldMs ?? 0,
      }),
    ),
    expireOrders,
    orderAdminActions: new OrderAdminActions({ storage, stateMachine, clock }),
    principal,
    follow,
    newFollower,
    lease,
    async expire() {
      await follow(eth);
      await follow(btc);
      return expireOrders.run();
    },
    newOrder({ price = '10', ...input } = {}) {
      const vsPrice = readDecimal(price);
      assert(vsPrice !== null);
      const defaults = { chain: 'ETH', currency: 'USDT-ERC20', vsCurrency: 'USD' };
      return createOrder.inCoin(principal, { ...defaults, ...input, vsPrice });
    },
    async order(id) {
      const order = await storage.orders.find(id as Order['id']);
      assert(order !== null, `order ${id}`);
      return order;
    },
    async balance(part, currency) {
      const balances = await storage.ledger.balances(`merchant:${accountId}:${part}`);
      return balances.find((balance) => balance.currency === currency)?.units ?? 0n;
    },
    async checkBooks() {
      assert.deepEqual(await checkLedger(storage), []);
    },
  };
}

/** An active account. */
export function accountRecord(id: AccountId, now: number): Account {
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
