import { TillgateError } from '../../core/index.ts';

/** The share of the process that one account may use, in units of {@link costOf}. */
export interface TurnLimits {
  /** Units handled at once while no other account sends requests. */
  readonly alone: number;
  /** Units handled at once while another account sends requests. */
  readonly shared: number;
  /** Units by which one account may get ahead of another that sends requests too. */
  readonly lead: number;
  /**
   * Further units for each tick in which the other account is silent. An expensive request has to wait, but no request
   * waits for long.
   */
  readonly leadOfTick: number;
  /** Units that an account loses of what it is behind, for each tick without a request of it. */
  readonly lossOfTick: number;
  /** This many requests of an account, running or waiting, add 1 to the weight of each further one. */
  readonly crowd: number;
  /** An account counts as active until it was silent for this many ticks. */
  readonly silentTicks: number;
  /** The most requests of an account that may wait for their turn. */
  readonly waiting: number;
}

/** Measured with `npm run bench -- fairness` (core/decisions/fair-turns.md). */
export const TURN_LIMITS: TurnLimits = {
  alone: 64,
  shared: 16,
  lead: 12,
  leadOfTick: 1,
  lossOfTick: 2,
  crowd: 8,
  silentTicks: 16,
  waiting: 1000,
};

/** Handling a body or a reply of this many bytes takes about as long as a small request. */
const UNIT_BYTES = 2048;

/** The largest weight of a request when its account has many at once. */
const MOST_WEIGHT = 3;

/** The cost of a request in units: 1, and more for a large body or reply. */
export function costOf(bytes: number): number {
  return 1 + Math.floor(bytes / UNIT_BYTES);
}

/** A request that is being handled. */
export interface Turn {
  /** Ends the turn; call it once, when the reply is made. @param bytes - the size of the body and the reply */
  end(bytes: number): void;
}

/** Calls the listener when the client has left; returns a function that removes the listener. */
export type OnGone = (listener: () => void) => () => void;

/** Schedules the next look at waiting requests; tests replace it. */
export interface TurnTime {
  /** Runs in the next turn of the event loop, once everything that arrived meanwhile was read. */
  soon(run: () => void): void;
  /** Runs a millisecond later, or longer when the event loop is busy, but never before it has read what arrived. */
  tick(run: () => void): void;
}

const REAL_TIME: TurnTime = {
  soon: (run) => void setImmediate(run),
  tick: (run) => void setTimeout(run, 1).unref(),
};

type Start = (turn: Turn) => void;

/** A request that has ended in this turn of the event loop. */
interface Ended {
  readonly share: Share;
  readonly expected: number;
}

/** The use that one account makes of the process. */
interface Share {
  readonly waiting: Set<Start>;
  /** Units that are being handled. */
  running: number;
  requests: number;
  /** Units so far, counted from where the other accounts were when this one began. */
  used: number;
  /** The cost of its last request, which is assumed for the next one until that has ended. */
  expected: number;
  /** The tick in which a request of the account last arrived or ended. */
  askedAt: number;
}

/**
 * Shares the process fairly among accounts: an account that sends more than its share waits, in the order of its
 * requests, until the other accounts have had as much (core/decisions/fair-turns.md). There is no limit for all accounts together, so
 * an account whose requests wait for a slow node delays only itself.
 */
export class FairTurns {
  readonly #limits: TurnLimits;
  readonly #time: TurnTime;
  readonly #shares = new Map<string, Share>();
  /** The used units at which a new account begins: those of the account whose request began last. */
  #begin = 0;
  #waiting = 0;
  #ticks = 0;
  #ticking = false;
  #ended: Ended[] = [];

  constructor(limits: TurnLimits = TURN_LIMITS, time: TurnTime = REAL_TIME) {
    this.#limits = limits;
    this.#time = time;
  }

  /**
   * Waits for a turn. The caller must end the turn it gets.
   *
   * @param name - the account of the request
   * @param onGone - reports that the client has left; the request then stops waiting and fails with the error of `left`
   * @throws TillgateError `RATE_LIMITED` when too many requests of this name wait
   */
  take(name: string, onGone: OnGone, left: () => Error): Turn | Promise<Turn> {
    const share = this.#ask(name);
    if (share.waiting.size === 0 && this.#mayStart(share, this.#bound())) return this.#start(share);
    if (share.waiting.size >= this.#limits.waiting)
      throw new TillgateError('RATE_LIMITED', 'Too many requests at once; try again in 1 s.', { retryAfterSeconds: 1 });
    return this.#wait(share, onGone, left);
  }

  /** The number of waiting requests of all accounts, and of accounts that are remembered. */
  get held(): { readonly waiting: number; readonly accounts: number } {
    return { waiting: this.#waiting, accounts: this.#shares.size };
  }

  #ask(name: string): Share {
    let share = this.#shares.get(name);
    if (share === undefined) {
      share = { waiting: new Set(), running: 0, requests: 0, used: this.#begin, expected: 1, askedAt: this.#ticks };
      this.#shares.set(name, share);
    }
    if (isIdle(share)) {
      const behind = Math.max(0, this.#begin - share.used);
      share.used += Math.min(behind, (this.#ticks - share.askedAt) * this.#limits.lossOfTick);
    }
    share.askedAt = this.#ticks;
    return share;
  }

  #wait(share: Share, onGone: OnGone, left: () => Error): Promise<Turn> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        if (share.waiting.delete(start)) this.#waiting -= 1;
        reject(left());
      };
      const start: Start = (turn) => {
        stopListening();
        resolve(turn);
      };
      share.waiting.add(start);
      this.#waiting += 1;
      const stopListening = onGone(leave);
      this.#tick();
    });
  }

  #mayStart(share: Share, bound: number): boolean {
    if (this.#shares.size === 1) return share.running < this.#limits.alone;
    return share.running < this.#limits.shared && share.used <= bound;
  }

  /** The most units that an account may have used: set by the active account that used the fewest. */
  #bound(): number {
    if (this.#shares.size === 1) return Infinity;
    const { lead, leadOfTick, silentTicks } = this.#limits;
    let bound = Infinity;
    for (const { used, askedAt } of this.#shares.values()) {
      const silent = this.#ticks - askedAt;
      if (silent < silentTicks) bound = Math.min(bound, used + lead + silent * leadOfTick);
    }
    return bound;
  }

  #start(share: Share): Turn {
    const { expected } = share;
    const weight = this.#weightOf(share);
    this.#begin = share.used;
    share.used += weight * expected;
    share.running += expected;
    share.requests += 1;
    return {
      end: (bytes) => {
        const cost = costOf(bytes);
        share.used += weight * (cost - expected);
        this.#end(share, expected, cost);
      },
    };
  }

  /** The more requests an account has at once, the more each counts, so accounts with few requests are preferred. */
  #weightOf({ requests, waiting }: Share): number {
    return Math.min(MOST_WEIGHT, 1 + (requests + waiting.size) / this.#limits.crowd);
  }

  /**
   * The cost of a request counts as running until the next turn of the event loop, when the requests of others are
   * read.
   */
  #end(share: Share, expected: number, cost: number): void {
    share.expected = cost;
    share.askedAt = this.#ticks;
    if (this.#ended.push({ share, expected }) === 1) this.#time.soon(() => this.#release());
  }

  #release(): void {
    const ended = this.#ended;
    this.#ended = [];
    for (const { share, expected } of ended) {
      share.running -= expected;
      share.requests -= 1;
    }
    if (this.#waiting > 0) this.#startReady();
    this.#tick();
  }

  #startReady(): void {
    const bound = this.#bound();
    for (const share of this.#shares.values()) {
      for (const start of share.waiting) {
        if (!this.#mayStart(share, bound)) break;
        share.waiting.delete(start);
        this.#waiting -= 1;
        start(this.#start(share));
      }
    }
  }

  /**
   * Ticks while a request waits, since the account it waits for may have become silent, and until silent accounts are
   * forgotten.
   */
  #tick(): void {
    if (this.#ticking) return;
    this.#ticking = true;
    this.#time.tick(() => {
      this.#ticking = false;
      this.#ticks += 1;
      const idle = this.#forgetSilent();
      if (this.#waiting > 0) this.#startReady();
      if (this.#waiting + idle > 0) this.#tick();
    });
  }

  /** Forgets silent accounts. @returns how many accounts without a request are still remembered */
  #forgetSilent(): number {
    let idle = 0;
    for (const [name, share] of this.#shares) {
      if (!isIdle(share)) continue;
      if (this.#ticks - share.askedAt >= this.#limits.silentTicks) this.#shares.delete(name);
      else idle += 1;
    }
    return idle;
  }
}

function isIdle({ requests, waiting }: Share): boolean {
  return requests === 0 && waiting.size === 0;
}
