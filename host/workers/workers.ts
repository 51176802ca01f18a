import type { ChainCode, ChainFollower, Lease, PayoutRunner } from '../../core/index.ts';
import {
  AGREEMENT_BEAT_MS,
  CHAIN_REPORTS_INTERVAL_MS,
  HOUR_MS,
  LIGHTNING_ASSET,
  RATE_LIMIT_SYNC_INTERVAL_MS,
  USAGE_INTERVAL_MS,
  REFUSED_ATTEMPTS_INTERVAL_MS,
  assert,
  isTillgateError,
} from '../../core/index.ts';
import { CLOCK_WATCH_INTERVAL_MS } from '../boot/clock-watch.ts';
import type { EpochKeeper } from '../boot/epoch-keeper.ts';
import { Outages } from './outages.ts';
import { Loop } from './loop.ts';
import type { LoopTools, LoopWork } from './loop.ts';
import type { LightningWork, Till } from '../boot/container.ts';

/** The till whose work the workers do, and what else they need. */
export interface WorkerDuties extends Till {
  readonly epochKeeper: EpochKeeper;
  /** Records that this instance runs, and its settings. */
  readonly agree: () => Promise<void>;
  /** Called when a newer release has migrated the database. */
  readonly onOutdated: (reason: string) => void;
  /** The time for which usage is kept, in milliseconds. */
  readonly usageRetentionMs: number;
  /** The time for which bodies of delivered callbacks are kept, in milliseconds. */
  readonly keepBodiesMs: number;
}

/**
 * `instance`: only what this process needs to answer requests (its ids, prices and cached keys); another process does
 * the rest. `all`: everything.
 */
export type WorkerScope = 'all' | 'instance';

/** The longest that an instance may work on a database that a newer release has migrated. */
const SCHEMA_WATCH_MS = 2_000;
const EXPIRE_EVERY_MS = 1000;
/** Nothing can be claimed from the expiry on; what is left is released a little later. */
const EXPIRE_PULL_PAYMENTS_EVERY_MS = 30_000;
/** The longest wait of orders that a reorganisation or a failed refund left undecided. */
const DECIDE_AGAIN_EVERY_MS = 5000;
const DELIVER_EVERY_MS = 1000;
const NOTICES_EVERY_MS = 60_000;
const REFILL_EVERY_MS = 5000;
const REFRESH_RATES_EVERY_MS = 60_000;
const NOTE_PROGRESS_EVERY_MS = 2000;
const WATCH_LEDGER_EVERY_MS = 60_000;
/** An approval wakes the loop; polling covers what waited, and batches whose payments have ended. */
const PAY_BATCHES_EVERY_MS = 5000;
const PRUNE_EVERY_MS = 600_000;
const PRUNE_BATCH = 1000;
const UNCLOSABLE =
  'a clock was far ahead, or the till was off for months: postings of these months are in the table ledger_postings_rest, so that they cannot be closed';
const HALTED_PAUSE_MS = 30_000;
/** The node pushes changes; polling covers lost notifications. */
const LIGHTNING_EVERY_MS = 1000;

/** The background work: one loop for each duty, so that none blocks another. */
export class Workers {
  readonly #loops: readonly Loop[];
  readonly #unsubscribe: readonly (() => void)[];

  constructor(duties: WorkerDuties, tools: LoopTools, scope: WorkerScope = 'all') {
    const outages = new Outages(tools);
    const loop = (work: LoopWork): Loop => new Loop(work, tools, outages);
    const deliver = loop(deliverCallbacks(duties));
    const handle = loop(handleEvents(duties));
    const notices = new Map(
      duties.deliverNotices.notifiers.map(({ name }) => [name, loop(deliverNotices(duties, name))]),
    );
    const refills = [...duties.chains.keys()].map((chain) => loop(refillPool(duties, chain)));
    const payouts = new Map([...duties.payouts].map(([chain, runner]) => [chain, loop(payOut(duties, chain, runner))]));
    const follows = new Map(
      [...duties.followers].map(([chain, follower]) => [
        chain,
        loop(followChain(duties, chain, follower, () => payouts.get(chain)?.wake())),
      ]),
    );
    const batches = loop(payBatches(duties));
    const invoices = duties.lightningWork === null ? null : loop(followInvoices(duties.lightningWork));
    if (duties.lightningWork !== null) payouts.set(LIGHTNING_ASSET.chain, loop(payInvoices(duties.lightningWork)));
    const own = [
      loop(renewWorkerId(duties, tools)),
      loop(watchClock(tools)),
      loop(watchSchema(duties)),
      loop(refreshRates(duties)),
      loop(followKeys(duties)),
      loop(noteProgress(duties)),
      loop(agreeOnSettings(duties)),
      loop(readChainReports(duties)),
      loop(noteRefusedAttempts(duties)),
      loop(recordUsage(duties)),
      ...(duties.rateLimitSync.alone ? [] : [loop(syncRateLimits(duties))]),
      ...(duties.shownBlockSync.alone ? [] : [loop(syncShownBlocks(duties))]),
    ];
    const shared = [
      ...refills,
      ...follows.values(),
      ...(invoices === null ? [] : [invoices]),
      ...payouts.values(),
      batches,
      loop(expireOrders(duties)),
      loop(expirePullPayments(duties)),
      deliver,
      handle,
      ...notices.values(),
      ...(notices.size === 0 ? [] : [loop(summarise(duties))]),
      loop(tidyNotices(duties)),
      loop(watchLedger(duties)),
      loop(prune(duties, tools)),
    ];
    this.#loops = scope === 'all' ? [...own, ...shared] : own;
    this.#unsubscribe = [
      duties.events.on('callback.queued', ({ accountId }) => (accountId === null ? handle : deliver).wake()),
      duties.events.on('notice.queued', ({ notifier }) => notices.get(notifier)?.wake()),
      duties.events.on('batch.approved', () => batches.wake()),
      duties.events.on('transfer.queued', ({ chain }) => payouts.get(chain)?.wake()),
      ...[...duties.chains].flatMap(([chain, { simulator }]) => {
        const end = simulator?.watch?.(() => [follows, payouts].forEach((loops) => loops.get(chain)?.wake()));
        return end === undefined ? [] : [end];
      }),
      ...(duties.lightningWork === null || scope !== 'all'
        ? []
        : [
            duties.lightningWork.node.watch(() =>
              [invoices, payouts.get(LIGHTNING_ASSET.chain)].forEach((each) => each?.wake()),
            ),
          ]),
    ];
  }

  start(): void {
    for (const loop of this.#loops) loop.start();
  }

  /** Waits for every running iteration to finish and releases the leases. */
  async stop(): Promise<void> {
    for (const end of this.#unsubscribe) end();
    await Promise.all(this.#loops.map((loop) => loop.stop()));
  }
}

/** @param onHead - called when blocks have been read up to the head, which payouts wait for */
function followChain(
  { chains }: WorkerDuties,
  chain: ChainCode,
  follower: ChainFollower,
  onHead: () => void,
): LoopWork {
  const pollMs = chains.get(chain)?.policy.pollIntervalMs ?? HALTED_PAUSE_MS;
  let started = false;
  let advanced = false;
  return {
    name: `follow:${chain}`,
    lease: `follow:${chain}`,
    pass: async (lease) => {
      if (!started) await follower.start();
      started = true;
      const result = await follower.step(held(lease));
      if (result === 'idle' && advanced) onHead();
      advanced = result === 'advanced';
      return result === 'advanced' ? 0 : result === 'idle' ? pollMs : HALTED_PAUSE_MS;
    },
  };
}

function followInvoices({ follower }: LightningWork): LoopWork {
  const name = `follow:${LIGHTNING_ASSET.chain}`;
  let started = false;
  return {
    name,
    lease: name,
    pass: async (lease) => {
      if (!started) await follower.start();
      started = true;
      return (await follower.step(held(lease))) ? 0 : LIGHTNING_EVERY_MS;
    },
  };
}

function payInvoices({ payer }: LightningWork): LoopWork {
  const name = `payout:${LIGHTNING_ASSET.chain}`;
  return { name, lease: name, pass: async (lease) => ((await payer.step(held(lease))) ? 0 : LIGHTNING_EVERY_MS) };
}

/**
 * Uses its own lease, so that paying and following do not wait for each other. Signing takes half of the time at most,
 * however many payouts wait: new orders come first.
 */
function payOut({ chains, clock }: WorkerDuties, chain: ChainCode, runner: PayoutRunner): LoopWork {
  const pollMs = chains.get(chain)?.policy.pollIntervalMs ?? HALTED_PAUSE_MS;
  return {
    name: `payout:${chain}`,
    lease: `payout:${chain}`,
    pass: async (lease) => {
      const began = clock.now();
      const result = await runner.step(held(lease));
      return result === 'advanced' ? Math.max(clock.now() - began, 1) : pollMs;
    },
  };
}

function payBatches({ payBatches: batches }: WorkerDuties): LoopWork {
  const name = 'pay-batches';
  return { name, lease: name, pass: async (lease) => ((await batches.step(held(lease))) ? 0 : PAY_BATCHES_EVERY_MS) };
}

function held(lease: Lease | null): Lease {
  assert(lease !== null, 'a leased loop without its lease');
  return lease;
}

function expireOrders({ expireOrders: expire, clock }: WorkerDuties): LoopWork {
  let wholeAt = -Infinity;
  return {
    name: 'expire-orders',
    lease: 'expire-orders',
    pass: async () => {
      const now = clock.now();
      const isWhole = now - wholeAt >= DECIDE_AGAIN_EVERY_MS;
      const changed = await expire.run(isWhole ? undefined : 'deadlines');
      // An iteration that changed something may have left more work of the same kind.
      if (isWhole && changed === 0) wholeAt = now;
      return changed > 0 ? 0 : EXPIRE_EVERY_MS;
    },
  };
}

function expirePullPayments({ expirePullPayments: expire }: WorkerDuties): LoopWork {
  return {
    name: 'expire-pull-payments',
    lease: 'expire-pull-payments',
    pass: async () => ((await expire.run()) > 0 ? 0 : EXPIRE_PULL_PAYMENTS_EVERY_MS),
  };
}

/** Not leased as a whole: every instance claims its own callbacks. */
function deliverCallbacks({ deliverCallbacks: deliver }: WorkerDuties): LoopWork {
  return {
    name: 'deliver-callbacks',
    lease: null,
    pass: async () => ((await deliver.run()) > 0 ? 0 : DELIVER_EVERY_MS),
  };
}

/** Not leased: every instance claims the events that it has handlers for; without any it asks nothing. */
function handleEvents({ handleEvents: handle }: WorkerDuties): LoopWork {
  return {
    name: 'handle-events',
    lease: null,
    pass: async () => ((await handle.run()) > 0 ? 0 : DELIVER_EVERY_MS),
  };
}

/** Not leased: every instance claims its own notices. One loop for each notifier, so that none waits for another. */
function deliverNotices({ deliverNotices: deliver }: WorkerDuties, name: string): LoopWork {
  return {
    name: `deliver-notices:${name}`,
    lease: null,
    pass: async () => ((await deliver.run(name)) > 0 ? 0 : DELIVER_EVERY_MS),
  };
}

function summarise({ dailySummary }: WorkerDuties): LoopWork {
  return {
    name: 'daily-summary',
    lease: 'daily-summary',
    pass: async () => {
      await dailySummary.run();
      return NOTICES_EVERY_MS;
    },
  };
}

function tidyNotices({ tidyNotices: tidy, deliverNotices: deliver }: WorkerDuties): LoopWork {
  return {
    name: 'tidy-notices',
    lease: 'tidy-notices',
    // Without a notifier there are only the notices of a removed one to delete.
    pass: async () => ((await tidy.run()) ? 0 : deliver.notifiers.length === 0 ? HOUR_MS : NOTICES_EVERY_MS),
  };
}

function watchLedger({ watchLedger: watch }: WorkerDuties): LoopWork {
  return {
    name: 'watch-ledger',
    lease: 'watch-ledger',
    pass: async () => {
      await watch.run();
      return WATCH_LEDGER_EVERY_MS;
    },
  };
}

/** Deriving addresses blocks the event loop, so it gets half of the time at most. */
function refillPool({ addressPool, clock }: WorkerDuties, chain: ChainCode): LoopWork {
  return {
    name: `refill:${chain}`,
    lease: `refill:${chain}`,
    pass: async () => {
      const began = clock.now();
      const derived = await addressPool.refill(chain);
      return derived > 0 ? Math.max(clock.now() - began, 1) : REFILL_EVERY_MS;
    },
  };
}

/** Not leased: every instance has a clock. */
function watchClock({ clockWatch }: LoopTools): LoopWork {
  return {
    name: 'watch-clock',
    lease: null,
    pass: async () => {
      await clockWatch.measure();
      return CLOCK_WATCH_INTERVAL_MS;
    },
  };
}

/** Not leased: each instance checks its own release. */
function watchSchema({ storage, onOutdated }: WorkerDuties): LoopWork {
  return {
    name: 'watch-schema',
    lease: null,
    pass: async () => {
      try {
        await storage.checkSchema?.();
      } catch (error) {
        if (!isTillgateError(error, 'CONFIG_INVALID')) throw error;
        onOutdated(error.message);
      }
      return SCHEMA_WATCH_MS;
    },
  };
}

/** Not leased: prices are kept in each instance's memory. */
function refreshRates({ rateBook }: WorkerDuties): LoopWork {
  return {
    name: 'refresh-rates',
    lease: null,
    pass: async () => {
      await rateBook.refresh();
      return REFRESH_RATES_EVERY_MS;
    },
  };
}

/** Not leased: every instance caches every App key. */
function followKeys({ keyCache }: WorkerDuties): LoopWork {
  return { name: 'follow-keys', lease: null, pass: () => keyCache.run() };
}

/** Not leased: every instance answers probes and takes orders. */
function readChainReports({ chainReports }: WorkerDuties): LoopWork {
  return {
    name: 'chain-reports',
    lease: null,
    pass: async () => {
      await chainReports.refresh();
      return CHAIN_REPORTS_INTERVAL_MS;
    },
  };
}

/** Not leased: every instance reports the usage of its Apps. */
function syncRateLimits({ rateLimitSync }: WorkerDuties): LoopWork {
  return {
    name: 'rate-limit-sync',
    lease: null,
    pass: async () => {
      await rateLimitSync.run();
      return RATE_LIMIT_SYNC_INTERVAL_MS;
    },
  };
}

/** Not leased: every instance says which blocks it answered. */
function syncShownBlocks({ shownBlockSync }: WorkerDuties): LoopWork {
  return {
    name: 'shown-block-sync',
    lease: null,
    pass: async () => {
      await shownBlockSync.run();
      return RATE_LIMIT_SYNC_INTERVAL_MS;
    },
  };
}

/** Not leased: every instance records what it counted. */
function recordUsage({ usageRecorder }: WorkerDuties): LoopWork {
  return {
    name: 'record-usage',
    lease: null,
    pass: async () => {
      await usageRecorder.run();
      return USAGE_INTERVAL_MS;
    },
  };
}

/** Not leased: every instance keeps its own marker. */
function noteProgress({ epochKeeper }: WorkerDuties): LoopWork {
  return {
    name: 'note-progress',
    lease: null,
    pass: async () => {
      await epochKeeper.note();
      return NOTE_PROGRESS_EVERY_MS;
    },
  };
}

/** Not leased: every instance records that it runs. */
function agreeOnSettings({ agree }: WorkerDuties): LoopWork {
  return {
    name: 'agree-on-settings',
    lease: null,
    pass: async () => {
      await agree();
      return AGREEMENT_BEAT_MS;
    },
  };
}

function prune({ storage, clock, usageRetentionMs, keepBodiesMs }: WorkerDuties, { logger }: LoopTools): LoopWork {
  return {
    name: 'prune',
    lease: 'prune',
    pass: async () => {
      const now = clock.now();
      const claims = await storage.orders.pruneIdempotency(now, PRUNE_BATCH);
      const signatures = await storage.accounts.pruneSignatures(now, PRUNE_BATCH);
      const usage = await storage.usage.prune(now - usageRetentionMs, PRUNE_BATCH);
      const bodies = await storage.callbacks.dropBodies(now - keepBodiesMs, PRUNE_BATCH);
      const months = await storage.ledger.makePostingMonths(now);
      if (months.length > 0) logger.warn(UNCLOSABLE, { months });
      return Math.max(claims, signatures, usage, bodies) >= PRUNE_BATCH ? 0 : PRUNE_EVERY_MS;
    },
  };
}

/** Not leased: each instance counts its own attempts. */
function noteRefusedAttempts({ refusedAttempts }: WorkerDuties): LoopWork {
  return {
    name: 'refused-attempts',
    lease: null,
    pass: async () => {
      await refusedAttempts.flush();
      return REFUSED_ATTEMPTS_INTERVAL_MS;
    },
  };
}

function renewWorkerId({ workerId }: WorkerDuties, { leaseTtlMs }: LoopTools): LoopWork {
  return {
    name: 'worker-id',
    lease: null,
    pass: async () => {
      await workerId.renew();
      return leaseTtlMs / 3;
    },
  };
}
