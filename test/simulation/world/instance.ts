import {
  AddressPool,
  AppKeys,
  Authenticate,
  ChainFollower,
  ChainReports,
  CheckBatch,
  ChoosePayment,
  ClaimPullPayment,
  CreateOrder,
  CreatePullPayment,
  DecideClaim,
  DeliverCallbacks,
  ExpireOrders,
  DEFAULT_LIGHTNING_FEES,
  ManageBatches,
  PayBatches,
  ExpirePullPayments,
  PayoutFeeEstimator,
  IdSequence,
  InvoiceFollower,
  InvoicePayer,
  Invoices,
  LatePayments,
  ManagePullPayments,
  OrderAdminActions,
  OrderStateMachine,
  PayoutRunner,
  RateBook,
  rateSymbols,
  RequestLightningPayment,
  RequestRefund,
  RequestWithdrawal,
  SecondFactor,
  WithdrawalAddresses,
} from '../../../core/index.ts';
import type {
  AssetCatalogue,
  CallbackTransport,
  ChainAdapter,
  Clock,
  Digest,
  EventBus,
  IdGenerator,
  Lease,
  LightningNode,
  Logger,
  OrderSettings,
  PayingChain,
  Random,
  RateSource,
  RefundSettings,
  Storage,
  SweepSettings,
  TokenIssuer,
  Vault,
  WithdrawalSettings,
} from '../../../core/index.ts';
import { QUIET_METRICS } from './quiet.ts';
import { Gate } from './gate.ts';
import type { SimNode } from './node.ts';

/** The environment of every instance of the till. */
export interface Surroundings {
  readonly storage: Storage;
  readonly nodes: readonly SimNode[];
  /** The node of a configured chain that was never reachable. */
  readonly away: SimNode;
  readonly lightning: LightningNode;
  readonly assets: AssetCatalogue;
  readonly clock: Clock;
  readonly rateSource: RateSource;
  readonly transport: CallbackTransport;
  readonly vault: Vault;
  readonly digest: Digest;
  readonly random: Random;
  readonly tokens: TokenIssuer;
  readonly logger: Logger;
  readonly events: EventBus;
  /** A deadline that passes when nothing else can happen. */
  readonly deadline: (ms: number) => AbortSignal;
  readonly orders: OrderSettings;
  readonly withdrawals: WithdrawalSettings;
  readonly refunds: RefundSettings;
  readonly sweeps: SweepSettings;
}

/** The time for which a silent holder keeps its lease. */
export const LEASE_MS = 15_000;
export const CALLBACK_TIMEOUT_MS = 15_000;
const SCHEDULE_MS = [5_000, 30_000, 120_000, 600_000, 3_600_000];
/** How long a claim waits that nobody but its account has approved. */
const CLAIM_HOLD_MS = 1_800_000;
const RENEW_MS = LEASE_MS / 3;

/** Nothing waits for an outcome: the simulator steps the payer. */
const noPatience = (): AbortSignal =>
  ({
    addEventListener: (_name: string, listener: () => void) => void setImmediate(listener),
    removeEventListener: () => undefined,
  }) as unknown as AbortSignal;

interface Held {
  lease: Lease;
  at: number;
}

/** One process of the till: the domain as assembled by the host, each port behind a {@link Gate}. */
export class Instance {
  readonly name: string;
  readonly gate = new Gate();
  readonly storage: Storage;
  readonly createOrder: CreateOrder;
  readonly choosePayment: ChoosePayment;
  readonly orderAdminActions: OrderAdminActions;
  readonly withdrawal: RequestWithdrawal;
  readonly refund: RequestRefund;
  readonly batches: ManageBatches;
  readonly claims: ClaimPullPayment;
  readonly pullPayments: ManagePullPayments;
  readonly lightningPayment: RequestLightningPayment;
  readonly authenticate: Authenticate;
  readonly appKeys: AppKeys;
  readonly chains: ReadonlyMap<string, ChainAdapter>;
  readonly ids: IdGenerator;
  readonly payouts: { readonly stateMachine: OrderStateMachine };
  readonly #clock: Clock;
  readonly #addresses: AddressPool;
  readonly #expire: ExpireOrders;
  readonly #expirePulls: ExpirePullPayments;
  readonly #deliver: DeliverCallbacks;
  readonly #followers = new Map<string, ChainFollower>();
  readonly #runners = new Map<string, PayoutRunner>();
  readonly #reports: ChainReports;
  readonly #invoiceFollower: InvoiceFollower;
  readonly #invoicePayer: InvoicePayer;
  readonly #payBatches: PayBatches;
  readonly #started = new Set<string>();
  readonly #leases = new Map<string, Held>();

  /** @param number - counts all instances ever started; no two make the same ids */
  constructor(name: string, number: number, world: Surroundings) {
    this.name = name;
    const { clock, assets, vault, digest, random, logger, events, deadline } = world;
    this.#clock = clock;
    const sequence = new IdSequence(
      () => clock.now(),
      number % 1_024,
      () => 0,
    );
    this.ids = { next: () => sequence.next() };
    const ids = this.ids;
    this.storage = this.gate.storage(world.storage);
    const { storage } = this;
    const chains = new Map(world.nodes.map((node) => [node.code, this.gate.node<ChainAdapter>(node)]));
    this.chains = chains;
    const metrics = QUIET_METRICS;
    const rateSource: RateSource = {
      name: world.rateSource.name,
      fetch: (symbols, signal) => this.gate.call('node', () => world.rateSource.fetch(symbols, signal)),
    };
    const rates = new RateBook({
      sources: [rateSource],
      clock,
      deadline,
      logger,
      metrics,
      symbols: rateSymbols(assets),
    });
    const stateMachine = new OrderStateMachine({
      assets,
      events,
      metrics,
      settings: world.orders,
    });
    const latePayments = new LatePayments({ rates, assets, settings: world.orders });
    this.payouts = { stateMachine };
    const addresses = new AddressPool({
      chains,
      storage,
      settings: { batch: 4, largestBatch: 4, lowWater: 8, refill: 8 },
    });
    this.#addresses = addresses;
    const lightning = this.gate.node(world.lightning);
    const invoices = new Invoices({ node: lightning, storage, clock });
    this.createOrder = new CreateOrder({
      storage,
      assets,
      rates,
      addresses,
      invoices,
      clock,
      ids,
      random,
      events,
      metrics,
      settings: world.orders,
    });
    this.choosePayment = new ChoosePayment({ storage, assets, chains, rates, addresses, clock });
    this.orderAdminActions = new OrderAdminActions({ storage, stateMachine, clock });
    const fees = new PayoutFeeEstimator({ storage, rates, clock });
    const secondFactor = new SecondFactor({ storage, vault, random, digest, clock, ids, issuer: 'Simulation' });
    this.withdrawal = new RequestWithdrawal({
      storage,
      assets,
      chains,
      fees,
      secondFactor,
      clock,
      ids,
      events,
      metrics,
      logger,
      settings: world.withdrawals,
    });
    const paying = {
      storage,
      assets,
      chains,
      fees,
      clock,
      ids,
      events,
      metrics,
      logger,
      withdrawals: world.withdrawals,
    };
    this.batches = new ManageBatches({
      ...{ ...paying, vault, secondFactor, pageMax: 100, approverHoldMs: 0 },
      checks: new CheckBatch({ ...paying, rates, lightning: null, lightningFees: DEFAULT_LIGHTNING_FEES }),
    });
    this.#payBatches = new PayBatches({ ...paying, lightning: null });
    this.refund = new RequestRefund({
      storage,
      assets,
      chains,
      fees,
      rates,
      clock,
      ids,
      events,
      metrics,
      logger,
      secondFactor,
      settings: world.refunds,
      withdrawals: world.withdrawals,
    });
    const claimDeps = {
      ...{ storage, assets, chains, fees, clock, ids, events, metrics, logger, rates, secondFactor },
      settings: { ...world.withdrawals, addressHoldMs: CLAIM_HOLD_MS },
      approverHoldMs: 0,
    };
    this.claims = new ClaimPullPayment({
      ...claimDeps,
      addresses: new WithdrawalAddresses({ ...claimDeps, addressHoldMs: CLAIM_HOLD_MS }),
    });
    this.pullPayments = new ManagePullPayments({
      ...claimDeps,
      vault,
      pageMax: 100,
      createPullPayment: new CreatePullPayment({ ...claimDeps, random }),
      decideClaim: new DecideClaim(claimDeps),
      urls: { claimUrl: ({ token }) => token },
    });
    this.#expirePulls = new ExpirePullPayments({ storage, clock, ids });
    const lightningDeps = { node: lightning, storage, stateMachine, latePayments, clock, ids, events, logger, metrics };
    this.#invoiceFollower = new InvoiceFollower(lightningDeps);
    this.#invoicePayer = new InvoicePayer(lightningDeps);
    const routing = { maxFeeBps: 100, minFeeSats: 10 };
    this.lightningPayment = new RequestLightningPayment({
      ...lightningDeps,
      secondFactor,
      deadline: noPatience,
      settings: world.withdrawals,
      fees: routing,
    });
    this.authenticate = new Authenticate({ storage, vault, digest, tokens: world.tokens, clock, clockSkewMs: 300_000 });
    this.appKeys = new AppKeys({ storage, vault, random, ids, clock });
    this.#expire = new ExpireOrders({ storage, stateMachine, clock, logger });
    const transport: CallbackTransport = {
      send: (request) => this.gate.call('node', () => world.transport.send(request)),
    };
    const settings = { scheduleMs: SCHEDULE_MS, timeoutMs: CALLBACK_TIMEOUT_MS, allowPrivateNetworks: true };
    this.#deliver = new DeliverCallbacks({
      storage,
      transport,
      vault,
      digest,
      random,
      clock,
      deadline,
      logger,
      metrics,
      settings,
    });
    const payoutDeps = { storage, assets, rates, stateMachine, clock, ids, events, logger, metrics };
    const away = this.gate.node<ChainAdapter>(world.away);
    const watched = new Map([...chains, [away.code, away] as const]);
    this.#reports = new ChainReports({ storage, chains: watched, lightning, clock, events, logger, metrics });
    const followDeps = { storage, stateMachine, latePayments, clock, ids, events, logger, metrics };
    this.#followers.set(away.code, new ChainFollower(away, followDeps));
    for (const [code, chain] of chains) {
      this.#followers.set(code, new ChainFollower(chain, followDeps));
      this.#runners.set(code, new PayoutRunner(chain as PayingChain, payoutDeps, world.sweeps));
    }
  }

  /** One pass of following a chain. */
  follow(code: string, renew: boolean): Promise<string> {
    return this.#leased(`follow:${code}`, renew, async (lease) => {
      const follower = this.#followers.get(code) as ChainFollower;
      if (!this.#started.has(code)) await follower.start();
      this.#started.add(code);
      return follower.step(lease);
    });
  }

  /** One check of each chain's progress. */
  async watchChains(): Promise<void> {
    await this.#reports.refresh();
  }

  /** One pass of paying on a chain. */
  payOut(code: string, renew: boolean): Promise<string> {
    return this.#leased(`payout:${code}`, renew, (lease) => (this.#runners.get(code) as PayoutRunner).step(lease));
  }

  /** One pass of following the node's invoices. */
  followInvoices(renew: boolean): Promise<string> {
    return this.#leased('follow:BLN', renew, async (lease) => {
      if (!this.#started.has('BLN')) await this.#invoiceFollower.start();
      this.#started.add('BLN');
      return (await this.#invoiceFollower.step(lease)) ? 'advanced' : 'idle';
    });
  }

  /** One pass of paying invoices. */
  payInvoices(renew: boolean): Promise<string> {
    return this.#leased('payout:BLN', renew, async (lease) =>
      (await this.#invoicePayer.step(lease)) ? 'advanced' : 'idle',
    );
  }

  /** One pass of making the rows of payout batches transfers. */
  payBatches(renew: boolean): Promise<string> {
    return this.#leased('pay-batches', renew, async (lease) =>
      (await this.#payBatches.step(lease)) ? 'advanced' : 'idle',
    );
  }

  expire(renew: boolean): Promise<string> {
    return this.#leased('expire-orders', renew, async () => String(await this.#expire.run()));
  }

  async expirePullPayments(): Promise<string> {
    return String(await this.#expirePulls.run());
  }

  async deliver(): Promise<string> {
    return String(await this.#deliver.run());
  }

  async refill(code: string): Promise<string> {
    return String(await this.#addresses.refill(code));
  }

  async #leased(name: string, renew: boolean, pass: (lease: Lease) => Promise<string>): Promise<string> {
    const lease = await this.#lease(name, renew);
    if (lease === null) return 'held by another';
    try {
      return await pass(lease);
    } catch (error) {
      // Like the host's loops: after a lost lease it is requested again, after a failure the work continues under it.
      if (error instanceof Error && 'code' in error && error.code === 'LEASE_LOST') this.#leases.delete(name);
      throw error;
    }
  }

  /** The host renews its leases by a timer; a suspended machine does not until it resumes (`renew` false). */
  async #lease(name: string, renew: boolean): Promise<Lease | null> {
    const held = this.#leases.get(name);
    const now = this.#clock.now();
    if (held !== undefined && (!renew || now - held.at < RENEW_MS)) return held.lease;
    const lease = await this.storage.leases.acquire(name, this.name, LEASE_MS);
    if (lease === null) this.#leases.delete(name);
    else this.#leases.set(name, { lease, at: now });
    return lease;
  }
}
