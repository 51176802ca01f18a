import { AssetCatalogue, DEFAULT_ORDER_SETTINGS, LIGHTNING_ASSET } from '../../../core/index.ts';
import type { Asset, CallbackTransport, ChainPolicy, EpochMarker } from '../../../core/index.ts';
import { FakeTokenIssuer, FakeVault, PlainDigest, SeededRandom, START } from '../../support/fakes.ts';
import { SimRandom } from '../random.ts';
import { SimChain } from './chain.ts';
import type { SimTx } from './chain.ts';
import type { SimDatabase } from './database.ts';
import type { SimMerchant } from './image.ts';
import { Instance } from './instance.ts';
import type { Surroundings } from './instance.ts';
import { SimLightning } from './lightning.ts';
import { SimNode } from './node.ts';
import type { Network } from './node.ts';
import { alertsTo, QUIET_LOGGER } from './quiet.ts';
import { Receivers } from './receivers.ts';

/** US dollars for one of each, at the start. */
const PRICES: Readonly<Record<string, string>> = {
  ETH: '2000',
  USDT: '1',
  USDC: '1',
  BTC: '50000',
  EUR: '1.1',
  JPY: '0.0065',
};
/** Where following begins; no reorganisation goes below it. */
export const FIRST_HEIGHT = 70;
/** What spending a coin costs in the long term. */
export const MIN_DEPOSIT = 300n;
const GWEI = 10n ** 9n;
export const ORDINARY_FEE: Readonly<Record<string, bigint>> = { ETH: 21_000n * 20n * GWEI, BTC: 1_000n };

/** How deep is deep enough on the simulated chains. */
export const POLICIES: Readonly<
  Record<string, Pick<ChainPolicy, 'spendableConfirmations' | 'finalityBlocks'> & { readonly confirmations: number }>
> = {
  ETH: { confirmations: 3, spendableConfirmations: 6, finalityBlocks: 64 },
  BTC: { confirmations: 2, spendableConfirmations: 4, finalityBlocks: 64 },
};

/** How long bytes can be mined, where they expire. */
const EXPIRY_MS = 90_000;

/** The clocks of instances may differ from the database's by so much and still be used. */
const MAX_SKEW_MS = 5_000;

/** An order as the simulation asked for it. */
export interface SimOrder {
  readonly id: string;
  readonly merchant: number;
  readonly checkoutToken: string;
  readonly hosted: boolean;
}

/** A withdrawal that a merchant asks for, again and again with the same key until it has its answer. */
export interface SimWish {
  readonly merchant: number;
  readonly key: string;
  readonly chain: string;
  readonly currency: string;
  readonly amount: string;
  /** When it was first asked for, or answered with another withdrawal. */
  askedAt: number;
  answer: string | null;
}

/** An invoice of a receiver elsewhere that a merchant withdraws to. */
export interface SimInvoice {
  readonly merchant: number;
  readonly paymentHash: string;
  readonly text: string;
  answer: string | null;
}

/** A key as its App's owner knows it. */
export interface SimKey {
  readonly merchant: number;
  readonly text: string;
  /** `null` while it is the active one. */
  until: number | null;
}

/** A signed request that a merchant sent, and whether it was accepted. */
export interface SimRequest {
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly target: string;
  accepted: boolean;
}

/** A copy of the database, and what the merchants knew when it was made. */
interface Backup {
  readonly image: Uint8Array;
  readonly merchants: Pick<World, 'orders' | 'wishes' | 'invoices' | 'keys' | 'requests'>;
}

/** All that is outside the till, and the instances of the till in it. */
export class World {
  readonly driver: SimDatabase;
  readonly merchants: readonly SimMerchant[];
  readonly chains: readonly SimChain[];
  readonly nodes: readonly SimNode[];
  readonly networks = new Map<string, Network>();
  readonly assets: AssetCatalogue;
  readonly receivers: Receivers;
  orders: SimOrder[] = [];
  wishes: SimWish[] = [];
  invoices: SimInvoice[] = [];
  readonly lightning: SimLightning;
  keys: SimKey[];
  requests: SimRequest[] = [];
  /** Every transaction of the till's that a node was ever given. */
  readonly sent = new Map<string, SimTx>();
  /** Every transaction of a payer's, by its id. */
  readonly paid = new Map<string, SimTx>();
  /** The order that each payment of a payer's was meant for, by transaction. */
  readonly intended = new Map<string, string>();
  /** The transactions that paid each of the till's transfers, by its id, whatever became of its row. */
  readonly payments = new Map<string, Set<string>>();
  /** How far the till's database had come, kept outside of it. */
  marker: EpochMarker | null = null;
  /** How often a backup was restored. */
  restores = 0;
  /** Coins of the operator's own, by `chain currency`. */
  readonly float = new Map<string, bigint>();
  readonly prices = new Map(Object.entries(PRICES));
  /** Callbacks that an operator sent again. */
  readonly replayed = new Set<string>();
  instances: Instance[] = [];
  /** What people were told to look at: `subject: reason`. */
  readonly alerts = new Set<string>();
  /** When each block of each chain was first shown by its node: those that are gone are forgotten. */
  readonly shownAt = new Map<string, number[]>();
  /** Counts reorganisations and heals: what was true of a chain before one may not be true after it. */
  upheavals = 0;
  /** Chains of which a node has shown blocks, from below the bound of finality up, that are not theirs. */
  readonly deeplyForked = new Set<string>();
  /** True in a step in which several act at the same time: which of them came first is not known after it. */
  crowded = false;
  /** Broken rules that were seen while a step ran. */
  readonly breaches: string[] = [];
  readonly toleranceBps: number;
  /** By how much the clock of an instance may differ from the world's; 0 in most worlds. */
  readonly skewMs: number;
  readonly #skews: SimRandom;
  readonly #surroundings: Surroundings;
  readonly #deadlines = new Set<() => void>();
  #backup: Backup | null = null;
  #now = START;
  #started = 0;
  #payments = 0;

  private constructor(seed: number, simDatabase: SimDatabase) {
    simDatabase.now = () => this.#now;
    const random = new SimRandom(seed, 0xfeed);
    this.driver = simDatabase;
    this.merchants = simDatabase.merchants;
    this.toleranceBps = random.pick([0, 0, 50, 100]) ?? 0;
    const now = (): number => this.#now;
    const catalogue = new AssetCatalogue([]);
    const asset = (currency: string): Asset => catalogue.find(currency) as Asset;
    const eth = this.#chain('ETH', 'account', [asset('ETH'), asset('USDT-ERC20')], now);
    const btc = this.#chain('BTC', 'utxo', [{ ...asset('BTC'), minDeposit: MIN_DEPOSIT }], now);
    this.chains = [eth.chain, btc.chain];
    this.nodes = [eth, btc];
    if (new SimRandom(seed, 0xe4b1).chance(0.35)) eth.payments.expireAfter(EXPIRY_MS);
    eth.chain.reverting = random.pick([0, 0, 8]) ?? 0;
    this.assets = new AssetCatalogue([...this.nodes.flatMap(({ assets }) => assets), LIGHTNING_ASSET]);
    this.lightning = new SimLightning(now);
    if (new SimRandom(seed, 0x1f10).chance(0.5)) this.lightning.endow(50_000_000n);
    if (random.chance(0.8)) this.endow('ETH', 'ETH', 10n ** 17n);
    this.receivers = new Receivers(
      () => this.#now,
      () => this.#passDeadlines(),
    );
    this.keys = simDatabase.merchants.map(({ number, appKey }) => ({ merchant: number, text: appKey, until: null }));
    const transport: CallbackTransport = { send: (request) => this.receivers.send(request) };
    this.#skews = new SimRandom(seed, 0xc10c);
    this.skewMs = this.#skews.chance(0.4) ? MAX_SKEW_MS : 0;
    const held = random.chance(0.5);
    this.#surroundings = {
      storage: simDatabase.connect().storage,
      nodes: this.nodes,
      lightning: this.lightning,
      assets: this.assets,
      clock: { now },
      rateSource: { name: 'sim', fetch: async (symbols) => symbols.flatMap((symbol) => this.#tick(symbol)) },
      transport,
      vault: new FakeVault(),
      digest: new PlainDigest(),
      random: new SeededRandom(`world ${seed}`),
      tokens: new FakeTokenIssuer(),
      logger: QUIET_LOGGER,
      events: alertsTo(({ subject, reason }) => void this.alerts.add(`${subject}: ${reason}`)),
      deadline: () => this.#deadline(),
      orders: { ...DEFAULT_ORDER_SETTINGS, toleranceBps: this.toleranceBps },
      withdrawals: {
        min: new Map(),
        max: new Map(),
        approveAbove: held ? new Map([['ETH', '0.3']]) : new Map(),
        addressHoldMs: 0,
      },
      sweeps: {
        maxFeeBps: 5_000,
        cold: random.chance(0.3)
          ? new Map([['ETH', { address: 'eth-cold', above: new Map([['ETH', '1']]) }]])
          : new Map(),
      },
    };
    const several = random.chance(0.4) || simDatabase.pause !== null;
    for (let i = several ? 2 : 1; i > 0; i--) this.start();
  }

  /** A world with a till that was just installed. */
  static async create(seed: number, simDatabase: SimDatabase): Promise<World> {
    const world = new World(seed, simDatabase);
    for (const instance of world.instances.slice(0, 1))
      for (const { code } of world.nodes) await instance.follow(code, true);
    await world.instances[0]?.followInvoices(true);
    return world;
  }

  get now(): number {
    return this.#now;
  }

  get settings(): Pick<Surroundings, 'vault' | 'digest' | 'storage'> {
    return this.#surroundings;
  }

  advance(ms: number): void {
    this.#now += ms;
    this.receivers.settleDue();
  }

  node(code: string): SimNode {
    return this.nodes.find((node) => node.code === code) as SimNode;
  }

  /** Starts an instance, or another in place of one that is gone. */
  start(): Instance {
    this.#started += 1;
    const { storage, cut } = this.driver.connect();
    const skewMs = this.#skews.int(-this.skewMs, this.skewMs);
    const clock = { now: () => this.#now + skewMs };
    const instance = new Instance(`till-${this.#started}`, this.#started, { ...this.#surroundings, storage, clock });
    instance.gate.onDeath = cut;
    this.instances.push(instance);
    return instance;
  }

  /** Copies the database, with what its merchants had of it. */
  backUp(): boolean {
    const { backups } = this.driver;
    if (backups === null) return false;
    const { orders, wishes, invoices, keys, requests } = this;
    this.#backup = { image: backups.take(), merchants: structuredClone({ orders, wishes, invoices, keys, requests }) };
    return true;
  }

  /** Writes down how far the database has come, outside of it. */
  async note(): Promise<void> {
    const { epochs } = this.#surroundings.storage;
    const { number: epoch, tillId } = await epochs.current();
    this.marker = { tillId, epoch, ...(await epochs.progress()) };
  }

  /** Puts the backup in place of the database, while no instance runs. @returns false without a backup */
  restore(): boolean {
    const { backups } = this.driver;
    if (backups === null || this.#backup === null) return false;
    for (const instance of this.instances) instance.gate.kill();
    this.instances = [];
    backups.restore(this.#backup.image);
    Object.assign(this, structuredClone(this.#backup.merchants));
    this.restores += 1;
    this.upheavals += 1;
    this.start();
    return true;
  }

  /** Ends an instance without a word, and starts another. */
  replace(instance: Instance): void {
    instance.gate.kill();
    this.instances = this.instances.filter((each) => each !== instance);
    this.start();
  }

  /** A payer's transaction: waits to be mined. */
  pay(
    chain: SimChain,
    payments: readonly { readonly to: string; readonly currency: string; readonly units: bigint }[],
  ): SimTx {
    this.#payments += 1;
    const outputs = payments.map((payment, index) => ({ ...payment, index: String(index) }));
    const source = chain.model === 'account' ? `eth-payer${this.#payments % 7}` : null;
    const tx: SimTx = {
      txid: `pay${this.#payments}`,
      own: false,
      source,
      nonce: null,
      coins: [],
      outputs,
      fee: 0n,
      change: 0n,
      expiresAt: null,
    };
    this.paid.set(tx.txid, tx);
    chain.submit(tx);
    return tx;
  }

  /** True for the hot wallet and the addresses of orders. */
  isOwn(code: string, address: string): boolean {
    return address === `${code.toLowerCase()}-hot` || /^[a-z]+\d+$/.test(address);
  }

  /** What a transaction of the till's took from its addresses in a block, by currency, fees included. */
  outflow(code: string, txid: string, block: string | undefined): ReadonlyMap<string, bigint> {
    const tx = this.sent.get(txid);
    const taken = new Map<string, bigint>();
    if (tx === undefined) return taken;
    const { chain } = this.node(code);
    taken.set(chain.native, tx.fee);
    for (const { to, currency, units } of chain.tookEffect(txid, block) ? tx.outputs : [])
      if (!this.isOwn(code, to)) taken.set(currency, (taken.get(currency) ?? 0n) + units);
    return taken;
  }

  /** Coins of the operator's own for the hot wallet. */
  endow(code: string, currency: string, units: bigint): void {
    const { chain } = this.node(code);
    chain.endow(chain.hot, currency, units);
    const key = `${code} ${currency}`;
    this.float.set(key, (this.float.get(key) ?? 0n) + units);
  }

  /** Notes which blocks the nodes show now. */
  look(): void {
    for (const { code, shown, trouble } of this.nodes) {
      const times = this.shownAt.get(code) ?? [];
      const top = trouble.down ? -1 : Math.min(shown, trouble.forkedAt === null ? shown : trouble.forkedAt - 1);
      for (let height = times.length; height <= top; height++) times.push(this.#now);
      this.shownAt.set(code, times);
    }
  }

  /** Blocks above a height are not what they were. */
  forget(code: string, height: number): void {
    this.upheavals += 1;
    this.shownAt.get(code)?.splice(height + 1);
  }

  close(): void {
    for (const instance of this.instances) instance.gate.kill();
    this.driver.close();
  }

  #chain(code: string, model: 'account' | 'utxo', assets: readonly Asset[], now: () => number): SimNode {
    const chain = new SimChain(code, model, (assets[0] as Asset).currency, now);
    const { confirmations, ...depths } = POLICIES[code] as (typeof POLICIES)[string];
    const policy: ChainPolicy = { ...depths, confirmations: () => confirmations, pollIntervalMs: 10, maxScanBlocks: 5 };
    const network = { fee: ORDINARY_FEE[code] as bigint };
    this.networks.set(code, network);
    for (let height = 1; height <= FIRST_HEIGHT; height++) chain.mine(null);
    const node = new SimNode(chain, assets, policy, network);
    node.payments.onBroadcast = (tx) => this.#sawBroadcast(code, tx);
    return node;
  }

  /** What a node is given must have been stored before: else a restart would not know that it was sent. */
  #sawBroadcast(code: string, tx: SimTx): void {
    this.sent.set(tx.txid, tx);
    const rows = this.driver.all<{ id: string | null }>(
      'SELECT t.id FROM bundle_attempts a LEFT JOIN transfers t ON t.bundle_id = a.bundle_id WHERE a.chain = ? AND a.txid = ?',
      code,
      tx.txid,
    );
    for (const { id } of rows)
      if (id !== null) this.payments.set(id, (this.payments.get(id) ?? new Set()).add(tx.txid));
    if (rows.length === 0)
      this.breaches.push(`bytes-before-commit: ${code} was given a transaction that is not stored`);
  }

  #tick(symbol: string): { symbol: string; usd: string; at: number }[] {
    const usd = this.prices.get(symbol);
    return usd === undefined ? [] : [{ symbol, usd, at: this.#now }];
  }

  #deadline(): AbortSignal {
    const listeners = new Set<() => void>();
    const pass = (): void => {
      this.#deadlines.delete(pass);
      for (const listener of listeners) listener();
    };
    this.#deadlines.add(pass);
    if (this.receivers.someHang) this.#passDeadlines();
    // Of a signal nothing is used but its event.
    return {
      addEventListener: (_name: string, listener: () => void) => void listeners.add(listener),
    } as unknown as AbortSignal;
  }

  /** Somebody does not answer: whoever waits for him with patience loses it. */
  #passDeadlines(): void {
    setImmediate(() => setImmediate(() => [...this.#deadlines].forEach((pass) => pass())));
  }
}
