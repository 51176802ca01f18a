import { setTimeout as pause } from 'node:timers/promises';
import type { CrowdOrder, CrowdResult } from './crowd.ts';
import { Line } from './line.ts';

const STATUS = /^HTTP\/1\.1 (\d{3}) /;

/** Kept from one round to the next, as clients keep theirs: a server with much to do accepts slowly. */
const kept: Line[] = [];
let keptUrl = '';

class Round {
  readonly #order: CrowdOrder;
  readonly #latencies: number[] = [];
  readonly #statuses: Record<number, number> = {};
  #refusal: string | null = null;
  #end = 0;
  #sent = 0;

  constructor(order: CrowdOrder) {
    this.#order = order;
  }

  async run(): Promise<CrowdResult> {
    const { url, connections, seconds } = this.#order;
    if (url !== keptUrl) for (const line of kept.splice(0)) line.close();
    keptUrl = url;
    const start = performance.now();
    this.#end = start + seconds * 1000;
    await Promise.all(Array.from({ length: connections }, (_, n) => this.#client(n)));
    const sorted = this.#latencies.toSorted((a, b) => a - b);
    const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
    return {
      statuses: this.#statuses,
      answered: sorted.length,
      seconds: (performance.now() - start) / 1000,
      medianMs: at(0.5),
      p99Ms: at(0.99),
      refusal: this.#refusal,
    };
  }

  /** One connection; a broken one is replaced. */
  async #client(n: number): Promise<void> {
    const { url, requests, pauseMs = 0 } = this.#order;
    let line = (kept[n] ??= new Line(url));
    while (performance.now() < this.#end) {
      const started = performance.now();
      const reply = await line.ask(requests[this.#sent++ % requests.length] as string);
      const status = Number(STATUS.exec(reply)?.[1] ?? 0);
      this.#statuses[status] = (this.#statuses[status] ?? 0) + 1;
      if (status !== 200) this.#refusal ??= reply;
      if (status !== 0) {
        this.#latencies.push(performance.now() - started);
        if (pauseMs > 0) await pause(pauseMs);
        continue;
      }
      line.close();
      line = kept[n] = new Line(url);
    }
  }
}

process.on('message', (order: CrowdOrder) => {
  new Round(order).run().then(
    (result) => process.send?.(result),
    (error: unknown) => {
      throw error;
    },
  );
});
