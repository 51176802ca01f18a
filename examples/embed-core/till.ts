/**
 * Assembles the core's use cases on the built-in adapters. There is no HTTP, no container and no worker; the
 * application decides about those.
 *
 * In your own application the imports are `tillgate`, `tillgate/adapters/crypto`, `tillgate/plugins/sandbox` …
 */
import {
  AddressPool,
  AssetCatalogue,
  ChainFollower,
  CreateAccount,
  CreateOrder,
  DEFAULT_ORDER_SETTINGS,
  LatePayments,
  OrderStateMachine,
  OrderQueries,
  RateBook,
  present,
  rateSymbols,
  TillEvents,
} from '../../core/index.ts';
import type { ChainAdapter, EventBus, Principal } from '../../core/index.ts';
import { callbackPresenter, eventPresenter } from '../../adapters/callbacks/index.ts';
import { AesGcmVault, CryptoRandom, ScryptHasher } from '../../adapters/crypto/index.ts';
import { Eventemitter3Bus } from '../../adapters/events/index.ts';
import { PinoLogger } from '../../adapters/logging/index.ts';
import { PromMetrics } from '../../adapters/metrics/index.ts';
import { StaticSource } from '../../adapters/rates/index.ts';
import { openStorage } from '../../adapters/storage/knex/index.ts';
import { SnowflakeIds, SystemClock, deadline } from '../../adapters/system/index.ts';
import { MnemonicWallet, generateMnemonic } from '../../adapters/wallet/index.ts';
import sandbox from '../../plugins/sandbox/index.ts';

const CHAIN = 'ETH';
const LEASE_MS = 30_000;

/** The parts that the application uses. */
export interface Till {
  readonly merchant: Principal;
  readonly createOrder: CreateOrder;
  readonly queries: OrderQueries;
  readonly events: EventBus;
  /** The simulated chain, which pays and mines on request. */
  readonly chain: ChainAdapter;
  /** Reads the chain up to its head and settles what it brings. A real application calls it every few seconds. */
  follow(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens a payment processor with one merchant on a simulated Ethereum.
 *
 * @param filename - of the SQLite database; `:memory:` for one that is gone afterwards
 */
export async function openTill(filename: string): Promise<Till> {
  const logger = new PinoLogger({ level: 'warn' });
  const clock = new SystemClock({
    onJump: (jump) => logger.error('the wall clock jumped; restart to follow it', { ...jump }),
  });
  const random = new CryptoRandom();
  const ids = new SnowflakeIds(clock, 0, random);
  const events = new Eventemitter3Bus(logger);
  const metrics = new PromMetrics(logger, { processMetrics: false });
  const storage = await openStorage({ client: 'sqlite', filename }, { logger });
  await storage.migrate();

  // A plugin brings chains. Its wallet sees public keys only; a real application keeps its seed, this one forgets it.
  const chains = new Map<string, ChainAdapter>();
  const closers: (() => void | Promise<void>)[] = [];
  const wallet = new MnemonicWallet(generateMnemonic());
  await sandbox.setup({
    options: sandbox.options({ confirmations: 2 }),
    logger,
    clock,
    wallet,
    signer: wallet,
    documents: storage.documents,
    addChain: (added) => void chains.set(added.code, added),
    addLightning: () => undefined,
    addRateSource: () => undefined,
    addNotifier: () => undefined,
    onClose: (close) => void closers.push(close),
  });
  const chain = present(chains.get(CHAIN), 'the simulated chain');

  const assets = new AssetCatalogue([...chains.values()].flatMap((each) => each.assets));
  const prices = new StaticSource(clock, { ETH: '2500', USDT: '1', USDC: '1', EUR: '1.08' });
  const rates = new RateBook({ sources: [prices], symbols: rateSymbols(assets), clock, deadline, logger, metrics });
  const addresses = new AddressPool({ chains, storage });
  const settings = DEFAULT_ORDER_SETTINGS;
  const stateMachine = new OrderStateMachine({
    assets,
    events,
    metrics,
    settings,
  });
  const latePayments = new LatePayments({ rates, assets, settings });
  // Every change is reported in its own transaction: callbacks, webhook events, the audit log.
  const presenter = eventPresenter(assets);
  storage.dispatchTo(new TillEvents({ ids, clock, events, callbacks: callbackPresenter, presenter, assets, chains }));

  const vault = new AesGcmVault({ current: random.bytes(32) });
  const createAccount = new CreateAccount({ storage, hasher: new ScryptHasher(), vault, random, clock, ids });
  const account = await createAccount.run({
    email: 'shop@example.com',
    password: Buffer.from(random.bytes(16)).toString('hex'),
  });

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
  const follow = async (): Promise<void> => {
    // The lease keeps two processes from following one chain at once.
    const lease = await storage.leases.acquire(`follow:${CHAIN}`, 'example', LEASE_MS);
    if (lease === null) return;
    for (let result = await follower.step(lease); result === 'advanced';) result = await follower.step(lease);
  };
  // Following begins at the head of this moment: orders made from now on are paid in blocks that it will read.
  await follow();

  return {
    merchant: { accountId: account.id, credentialId: null, via: 'api-key' },
    createOrder: new CreateOrder({ storage, assets, rates, addresses, clock, ids, random, events, metrics, settings }),
    queries: new OrderQueries({ storage, assets, chains, clock, settings, baseUrl: 'https://shop.example.com' }),
    events,
    chain,
    follow,
    async close() {
      await addresses.release();
      for (const close of closers) await close();
      await storage.close();
    },
  };
}
