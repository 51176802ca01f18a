import type { CollectedMetrics, MetricsOfProcesses } from '../../adapters/metrics/index.ts';

/** The longest that a scrape waits for a busy process. */
const WAIT_MS = 2_000;

interface Round {
  readonly missing: Set<number>;
  readonly done: () => void;
}

/** Collects the metrics of every process and merges them. */
export class MetricsGathering {
  readonly #ask: (id: number) => readonly number[];
  readonly #rounds = new Map<number, Round>();
  #all: Promise<MetricsOfProcesses> | null = null;
  #asked = 0;

  /** @param ask - asks all processes that serve; returns their ids */
  constructor(ask: (id: number) => readonly number[]) {
    this.#ask = ask;
  }

  /** The metrics of the processes that answered within two seconds. */
  async text(): Promise<string> {
    const id = this.#asked++;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, WAIT_MS);
      const done = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const missing = new Set(this.#ask(id));
      this.#rounds.set(id, { missing, done });
      if (missing.size === 0) done();
    });
    this.#rounds.delete(id);
    return (await this.#metrics()).text();
  }

  async answered(process: number, id: number, metrics: CollectedMetrics): Promise<void> {
    (await this.#metrics()).note(process, metrics);
    this.#without(process, id);
  }

  async ended(process: number): Promise<void> {
    if (this.#all !== null) await (await this.#all).end(process);
    for (const id of this.#rounds.keys()) this.#without(process, id);
  }

  #without(process: number, id: number): void {
    const round = this.#rounds.get(id);
    if (round?.missing.delete(process) === true && round.missing.size === 0) round.done();
  }

  /** Loaded by the first scrape, so that a primary that is never scraped uses less memory. */
  #metrics(): Promise<MetricsOfProcesses> {
    this.#all ??= import('../../adapters/metrics/index.ts').then(({ MetricsOfProcesses: All }) => new All());
    return this.#all;
  }
}
