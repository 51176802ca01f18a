/** Limits of concurrent sends. */
export interface SlotLimits {
  /** Concurrent sends to all hosts. */
  readonly total: number;
  /** Concurrent sends to one host, so that a host that never answers does not use up the total. */
  readonly perHost: number;
  /** Sends that wait for one host. */
  readonly waitingPerHost: number;
  /** Running and waiting sends together. */
  readonly held: number;
}

type Job = () => Promise<void>;

/** Runs jobs concurrently, limited in total and per host. Hosts take turns, so that a slow one delays only itself. */
export class SendSlots {
  readonly #limits: SlotLimits;
  readonly #waiting = new Map<string, Job[]>();
  readonly #active = new Map<string, number>();
  #activeTotal = 0;
  #held = 0;
  #whenIdle: (() => void)[] = [];

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  /** How many jobs may be offered now. */
  room(): number {
    return this.#limits.held - this.#held;
  }

  /** Starts the job or queues it; false when its host's queue is full. */
  offer(host: string, job: Job): boolean {
    const queue = this.#waiting.get(host) ?? [];
    const free = this.#limits.perHost - (this.#active.get(host) ?? 0);
    if (queue.length >= this.#limits.waitingPerHost + Math.max(free, 0) || this.room() <= 0) return false;
    this.#waiting.set(host, queue);
    queue.push(job);
    this.#held += 1;
    this.#startReady();
    return true;
  }

  /** Resolves when no job is running or waiting. */
  async idle(): Promise<void> {
    if (this.#held > 0) await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
  }

  #startReady(): void {
    for (const [host, queue] of this.#waiting) {
      while (queue.length > 0 && this.#mayStart(host)) this.#start(host, queue.shift() as Job);
      if (queue.length === 0) this.#waiting.delete(host);
    }
  }

  #mayStart(host: string): boolean {
    return this.#activeTotal < this.#limits.total && (this.#active.get(host) ?? 0) < this.#limits.perHost;
  }

  #start(host: string, job: Job): void {
    this.#active.set(host, (this.#active.get(host) ?? 0) + 1);
    this.#activeTotal += 1;
    const ended = (): void => this.#end(host);
    job().then(ended, ended);
  }

  #end(host: string): void {
    const active = (this.#active.get(host) ?? 0) - 1;
    if (active === 0) this.#active.delete(host);
    else this.#active.set(host, active);
    this.#activeTotal -= 1;
    this.#held -= 1;
    this.#startReady();
    if (this.#held > 0) return;
    const resolves = this.#whenIdle;
    this.#whenIdle = [];
    for (const resolve of resolves) resolve();
  }
}
