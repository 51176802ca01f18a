import type { CollectedMetrics, MetricsOfProcesses } from '../../adapters/metrics/index.ts';

/** How long a scrape waits for a process that is busy. */
const WAIT_MS = 2_000;

interface Round {
  readonly missing: Set<number>;
  readonly done: () => void;
}

/** Asks every process for what it has measured, and puts it together. */
export class MetricsGathering {
  readonly #ask: (id: number) => readonly number[];
  readonly #rounds = new Map<number, Round>();
  #all: Promise<MetricsOfProcesses> | null = null;
  #asked = 0;

  /** @param ask - asks all processes that serve; answers with their ids */
  constructor(ask: (id: number) => readonly number[]) {
    this.#ask = ask;
  }

  /** What is known after every process has answered, or after two seconds. */
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

  /** The first scrape loads it: a primary that nobody scrapes stays small. */
  #metrics(): Promise<MetricsOfProcesses> {
    this.#all ??= import('../../adapters/metrics/index.ts').then(({ MetricsOfProcesses: All }) => new All());
    return this.#all;
  }
}
