import { TillgateError } from '../../core/index.ts';

/** How much of the process one account may have, in units of {@link costOf}. */
export interface TurnLimits {
  /** Handled at once, while no other account asks. */
  readonly alone: number;
  /** Handled at once, while another one asks. */
  readonly shared: number;
  /** How far one account may get ahead of another that asks as well. */
  readonly lead: number;
  /** How much further, for each tick in which that other one is silent: a dear request waits, and nobody waits for long. */
  readonly leadOfTick: number;
  /** How much an account loses of what it is behind, for each tick in which it has no request: it asked for nothing. */
  readonly lossOfTick: number;
  /** So many requests of an account, under way or waiting, make each further one count once more. */
  readonly crowd: number;
  /** An account asks until it has been silent for so many ticks. */
  readonly silentTicks: number;
  /** Requests that wait for their turn. */
  readonly waiting: number;
}

/** Measured with `npm run bench -- fairness` (decision 0034). */
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

/** A body or a reply of so many bytes takes about as long as a small request. */
const UNIT_BYTES = 2048;

/** How often a request of a large crowd counts. */
const MOST_WEIGHT = 3;

/** What a request costs, in units: 1, and more for a large body or reply. */
export function costOf(bytes: number): number {
  return 1 + Math.floor(bytes / UNIT_BYTES);
}

/** A request that is being handled. */
export interface Turn {
  /** Says that its reply is made, once. @param bytes - of its body and its reply */
  end(bytes: number): void;
}

/** Calls back when the client has left; returns how to stop listening. */
export type OnGone = (listener: () => void) => () => void;

/** When things are looked at again; tests replace it. */
export interface TurnTime {
  /** Once what has come in meanwhile was read: the next turn of the event loop. */
  soon(run: () => void): void;
  /** A millisecond later, or longer where the event loop is busy: never before it has read what came in. */
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

/** What one account has of the process. */
interface Share {
  readonly waiting: Set<Start>;
  /** Units that are being handled. */
  running: number;
  requests: number;
  /** Units so far, counted on from where the others are. */
  used: number;
  /** What its last request cost: what the next one is taken for until it has ended. */
  expected: number;
  /** The tick in which a request of it last came or ended. */
  askedAt: number;
}

/**
 * Lets each account have its turn: an account that asks for more than its share waits, in the order in which it asked, until
 * the others have had as much (decision 0034). There is no limit of all accounts together, so that one whose requests wait for
 * a slow node delays only itself.
 */
export class FairTurns {
  readonly #limits: TurnLimits;
  readonly #time: TurnTime;
  readonly #shares = new Map<string, Share>();
  /** Where a newcomer begins to count: where the latest request began. */
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
   * Waits for a turn; whoever gets one has to end it.
   *
   * @param name - whose request it is
   * @param onGone - tells when the client has left; the request then waits no longer, and `left` is what it fails with
   * @throws TillgateError `RATE_LIMITED` when too many requests of this name wait
   */
  take(name: string, onGone: OnGone, left: () => Error): Turn | Promise<Turn> {
    const share = this.#ask(name);
    if (share.waiting.size === 0 && this.#mayStart(share, this.#bound())) return this.#start(share);
    if (share.waiting.size >= this.#limits.waiting)
      throw new TillgateError('RATE_LIMITED', 'Too many requests at once; try again in 1 s.', { retryAfterSeconds: 1 });
    return this.#wait(share, onGone, left);
  }

  /** How many requests wait, of all accounts, and how many accounts are known. */
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

  /** How much an account may have used, because of the one that asks and had the least. */
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

  /** The more an account asks for at once, the more each request counts: whoever asks for less gets more of it. */
  #weightOf({ requests, waiting }: Share): number {
    return Math.min(MOST_WEIGHT, 1 + (requests + waiting.size) / this.#limits.crowd);
  }

  /** What a request took counts until the event loop has turned: others' requests are read only then. */
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

  /** Ticks while a request waits, for an account that may have fallen silent, and until the silent ones are forgotten. */
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

  /** How many accounts without a request are still remembered. */
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
