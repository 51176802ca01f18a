import {
  AssetCatalogue,
  DEFAULT_ORDER_SETTINGS,
  IdSequence,
  LIGHTNING_ASSET,
  parseUnits,
  TillEvents,
} from '../../../core/index.ts';
import type {
  AccountId,
  Asset,
  CallbackTransport,
  ChainPolicy,
  EpochMarker,
  RefundSettings,
} from '../../../core/index.ts';
import { callbackPresenter, eventPresenter } from '../../../adapters/callbacks/index.ts';
import { NOTICE_SETTINGS } from './event-log.ts';
import { FakeTokenIssuer, FakeVault, PlainDigest, SeededRandom, START } from '../../support/fakes.ts';
import { SimRandom } from '../random.ts';
import { awayNode } from './away.ts';
import { SimChain } from './chain.ts';
import type { SimTx, SimOutput } from './chain.ts';
import type { SimDatabase } from './database.ts';
import type { SimMerchant } from './image.ts';
import { Instance } from './instance.ts';
import type { Surroundings } from './instance.ts';
import { LATE_GRACE_MS } from '../rules/order-worth.ts';
import { SimLightning } from './lightning.ts';
import { SimNode } from './node.ts';
import type { Network } from './node.ts';
import { alertsTo, QUIET_LOGGER } from './quiet.ts';
import { Receivers } from './receivers.ts';

/** US dollars for one unit of each, at the start. */
const PRICES: Readonly<Record<string, string>> = {
  ETH: '2000',
  USDT: '1',
  USDC: '1',
  BTC: '50000',
  EUR: '1.1',
  JPY: '0.0065',
};
/** The height at which following begins; no reorganisation goes below it. */
export const FIRST_HEIGHT = 70;
/** The long-term cost of spending a coin. */
export const MIN_DEPOSIT = 300n;
const GWEI = 10n ** 9n;
export const ORDINARY_FEE: Readonly<Record<string, bigint>> = { ETH: 21_000n * 20n * GWEI, BTC: 1_000n };

/** The required confirmations on the simulated chains. */
export const POLICIES: Readonly<
  Record<string, Pick<ChainPolicy, 'spendableConfirmations' | 'finalityBlocks'> & { readonly confirmations: number }>
> = {
  ETH: { confirmations: 3, spendableConfirmations: 6, finalityBlocks: 64 },
  BTC: { confirmations: 2, spendableConfirmations: 4, finalityBlocks: 64 },
};

/** The time in which transactions can be mined, where they expire. */
const EXPIRY_MS = 90_000;

/** The tolerated difference of the clocks of instances from the database's. */
const MAX_SKEW_MS = 5_000;

/** An order as the simulation requested it. */
export interface SimOrder {
  readonly id: string;
  readonly merchant: number;
  readonly checkoutToken: string;
  readonly hosted: boolean;
}

/** A withdrawal that a merchant requests repeatedly with the same key until it has its answer. */
export interface SimWish {
  readonly merchant: number;
  readonly key: string;
  readonly chain: string;
  readonly currency: string;
  readonly amount: string;
  /** When it was first requested, or answered with another withdrawal. */
  askedAt: number;
  answer: string | null;
}

/** An invoice of another receiver that a merchant withdraws to. */
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

/** A signed request of a merchant, and whether it was accepted. */
export interface SimRequest {
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly target: string;
  accepted: boolean;
}

/** A copy of the database, with the merchants' knowledge at that time. */
interface Backup {
  readonly image: Uint8Array;
  readonly merchants: Pick<World, 'orders' | 'wishes' | 'invoices' | 'keys' | 'requests'>;
}

/** Everything outside the till, and the instances of the till in it. */
export class World {
  readonly driver: SimDatabase;
  readonly merchants: readonly SimMerchant[];
  readonly adminId: AccountId | null;
  readonly chains: readonly SimChain[];
  readonly nodes: readonly SimNode[];
  readonly networks = new Map<string, Network>();
  readonly assets: AssetCatalogue;
  readonly receivers: Receivers;
  readonly refunds: RefundSettings;
  orders: SimOrder[] = [];
  wishes: SimWish[] = [];
  invoices: SimInvoice[] = [];
  readonly lightning: SimLightning;
  keys: SimKey[];
  requests: SimRequest[] = [];
  /** The number of references of payout batches that were ever used. */
  references = 0;
  /** Every transaction of the till that a node ever received. */
  readonly sent = new Map<string, SimTx>();
  /** Every transaction of a payer, by its id. */
  readonly paid = new Map<string, SimTx>();
  /** The order that each payment of a payer was meant for, by transaction. */
  readonly intended = new Map<string, string>();
  /** The transactions that paid each of the till's transfers, by its id, even if its row is gone. */
  readonly payments = new Map<string, Set<string>>();
  /** The progress of the till's database, kept outside of it. */
  marker: EpochMarker | null = null;
  /** The number of restored backups. */
  restores = 0;
  /** The operator's own coins, by `chain currency`. */
  readonly float = new Map<string, bigint>();
  readonly prices = new Map(Object.entries(PRICES));
  /** Callbacks that an operator sent again. */
  readonly replayed = new Set<string>();
  /** Transfers that an operator approved. */
  readonly approved = new Set<string>();
  instances: Instance[] = [];
  /** The alerts: `subject: reason`. */
  readonly alerts = new Set<string>();
  /** When each block of each chain was first shown by its node; removed blocks are forgotten. */
  readonly shownAt = new Map<string, number[]>();
  /** Counts reorganisations and recoveries of nodes: observations of a chain before one may be invalid after it. */
  upheavals = 0;
  /** Chains of which a node has shown false blocks, from below the finality bound up. */
  readonly deeplyForked = new Set<string>();
  /** True in a step with concurrent actions, whose order is not known afterwards. */
  crowded = false;
  /** Broken rules that were seen while a step ran. */
  readonly breaches: string[] = [];
  readonly toleranceBps: number;
  /** The maximum difference of an instance's clock from the world's; 0 in most worlds. */
  readonly skewMs: number;
  readonly #skews: SimRandom;
  readonly #surroundings: Surroundings;
  readonly #events: TillEvents;
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
    this.adminId = simDatabase.adminId;
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
    // Permanent: the refusal there must not block other payments.
    if (new SimRandom(seed, 0xf07e).chance(0.5)) eth.chain.frozen.add('eth-cold');
    const held = random.chance(0.5);
    this.refunds = held
      ? { addressHoldMs: 3_600_000, lateAddress: 'approve' }
      : { addressHoldMs: 600_000, lateAddress: 'wait' };
    const eventIds = new IdSequence(now, 1_000, () => 0);
    this.#events = new TillEvents({
      ids: { next: () => eventIds.next() },
      clock: { now },
      events: { emit: () => undefined, on: () => () => undefined },
      callbacks: callbackPresenter,
      presenter: eventPresenter(this.assets),
      assets: this.assets,
      chains: new Map(this.nodes.map((node) => [node.code, node])),
      notices: NOTICE_SETTINGS,
    });
    this.#surroundings = {
      storage: simDatabase.connect().storage,
      nodes: this.nodes,
      away: awayNode(now),
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
      orders: { ...DEFAULT_ORDER_SETTINGS, toleranceBps: this.toleranceBps, lateGraceMs: LATE_GRACE_MS },
      withdrawals: {
        min: new Map(),
        max: new Map(),
        approveAbove: held
          ? new Map([
              ['ETH', '0.1'],
              ['USDT-ERC20', '50'],
            ])
          : new Map(),
        addressHoldMs: 0,
      },
      refunds: this.refunds,
      sweeps: {
        maxFeeBps: 5_000,
        cold: random.chance(0.3)
          ? new Map([
              [
                'ETH',
                {
                  address: 'eth-cold',
                  above: new Map([
                    ['ETH', '1'],
                    ['USDT-ERC20', '5'],
                  ]),
                },
              ],
            ])
          : new Map(),
      },
    };
    const several = random.chance(0.4) || simDatabase.pause !== null;
    for (let i = several ? 2 : 1; i > 0; i--) this.start();
  }

  /** A world with a newly installed till. */
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

  /** The amount of a transfer that needs no approval, in units; `null` for any. */
  approveAbove(currency: string): bigint | null {
    const most = this.#surroundings.withdrawals.approveAbove.get(currency);
    const decimals = this.assets.find(currency)?.decimals ?? 0;
    return most === undefined ? null : parseUnits(most, decimals);
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

  /** Starts an instance, or a replacement of one that is gone. */
  start(): Instance {
    this.#started += 1;
    const { storage, cut } = this.driver.connect();
    storage.dispatchTo(this.#events);
    const skewMs = this.#skews.int(-this.skewMs, this.skewMs);
    const clock = { now: () => this.#now + skewMs };
    const instance = new Instance(`till-${this.#started}`, this.#started, { ...this.#surroundings, storage, clock });
    instance.gate.onDeath = cut;
    this.instances.push(instance);
    return instance;
  }

  /** Copies the database, with its merchants' knowledge. */
  async backUp(): Promise<boolean> {
    const { backups } = this.driver;
    if (backups === null) return false;
    const { orders, wishes, invoices, keys, requests } = this;
    this.#backup = {
      image: await backups.take(),
      merchants: structuredClone({ orders, wishes, invoices, keys, requests }),
    };
    return true;
  }

  /** Records the progress of the database outside of it. */
  async note(): Promise<void> {
    const { epochs } = this.#surroundings.storage;
    const { number: epoch, tillId } = await epochs.current();
    this.marker = { tillId, epoch, ...(await epochs.progress()) };
  }

  /** Restores the backup, while no instance runs. @returns false without a backup */
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

  /** A paid invoice that neither the restored backup nor the node, which began anew, contains. */
  isForgotten(paymentHash: string): boolean {
    return this.restores > 0 && this.lightning.forgotten.has(paymentHash);
  }

  /** Kills an instance, and starts another. */
  replace(instance: Instance): void {
    instance.gate.kill();
    this.instances = this.instances.filter((each) => each !== instance);
    this.start();
  }

  /** A payer's transaction, unconfirmed at first. */
  pay(chain: SimChain, payments: readonly Omit<SimOutput, 'index'>[]): SimTx {
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

  /** The cost of a transaction of the till to its addresses in a block, by currency, fees included. */
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

  /** Adds the operator's own coins to the hot wallet. */
  endow(code: string, currency: string, units: bigint): void {
    const { chain } = this.node(code);
    chain.endow(chain.hot, currency, units);
    const key = `${code} ${currency}`;
    this.float.set(key, (this.float.get(key) ?? 0n) + units);
  }

  /** Records the blocks that the nodes show now. */
  look(): void {
    for (const { code, shown, trouble } of this.nodes) {
      const times = this.shownAt.get(code) ?? [];
      const top = trouble.down ? -1 : Math.min(shown, trouble.forkedAt === null ? shown : trouble.forkedAt - 1);
      for (let height = times.length; height <= top; height++) times.push(this.#now);
      this.shownAt.set(code, times);
    }
  }

  /** Drops what is recorded of blocks above a height, which have changed. */
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

  /** A transaction must be stored before a node receives it: otherwise it would be lost at a restart. */
  #sawBroadcast(code: string, tx: SimTx): void {
    this.sent.set(tx.txid, tx);
    const rows = this.driver.all<{ id: string | null }>(
      'SELECT t.id FROM payout_attempts a LEFT JOIN transfers t ON t.payout_id = a.payout_id WHERE a.chain = ? AND a.txid = ?',
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
    // Only the event of the signal is used.
    return {
      addEventListener: (_name: string, listener: () => void) => void listeners.add(listener),
    } as unknown as AbortSignal;
  }

  /** Nobody answers, so the deadlines of all that wait pass. */
  #passDeadlines(): void {
    setImmediate(() => setImmediate(() => [...this.#deadlines].forEach((pass) => pass())));
  }
}
