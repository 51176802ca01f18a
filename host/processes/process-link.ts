import cluster from 'node:cluster';
import type { Logger } from '../../core/index.ts';
import type { CollectedMetrics } from '../../adapters/metrics/index.ts';
import { placeInEnvironment } from '../settings/config.ts';
import type { Reloaded } from '../boot/reloading.ts';
import { sentError, unwrapped, wrapped } from './messages.ts';
import type { FromProcess, ToProcess } from './messages.ts';
import type { ProcessPlace } from './process-count.ts';

/** The number of this process among those of its server; `null` for the only one, or the one that starts the others. */
export function placeOfThisProcess(): ProcessPlace | null {
  // Another cluster, such as a process manager's, may have started this program.
  return cluster.isWorker ? placeInEnvironment() : null;
}

/** The connection of one of several processes to the primary. When the primary dies, Node ends this process at once. */
export class ProcessLink {
  readonly #logger: Logger;
  readonly #waiting = new Map<number, (text: string) => void>();
  #asked = 0;
  #collect: (() => Promise<CollectedMetrics>) | null = null;
  #reload: (() => Promise<Reloaded>) | null = null;

  constructor(logger: Logger) {
    this.#logger = logger;
    process.on('message', (received: unknown) => {
      const message = unwrapped<ToProcess>(received);
      if (message?.kind === 'collect') void this.#answer(message.id);
      if (message?.kind === 'reload') void this.#reloaded(message.id);
      if (message?.kind !== 'scraped') return;
      this.#waiting.get(message.id)?.(message.text);
      this.#waiting.delete(message.id);
    });
  }

  /** @param collect - returns the metrics of this process */
  measures(collect: () => Promise<CollectedMetrics>): void {
    this.#collect = collect;
  }

  /** @param reload - reads the settings of this process again */
  reloads(reload: () => Promise<Reloaded>): void {
    this.#reload = reload;
  }

  /** The metrics of all processes together, in Prometheus' text format. */
  scrape(): Promise<string> {
    const id = this.#asked++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, resolve);
      this.send({ kind: 'scrape', id }).catch(reject);
    });
  }

  failed(error: unknown): Promise<void> {
    return this.send({ kind: 'failed', error: sentError(error) });
  }

  /** Resolves once the message is sent: an exit before that would lose it. */
  send(message: FromProcess): Promise<void> {
    return new Promise((resolve, reject) => {
      process.send?.(wrapped(message), undefined, {}, (error: Error | null) => (error ? reject(error) : resolve()));
    });
  }

  async #reloaded(id: number): Promise<void> {
    if (this.#reload === null) return;
    await this.send({ kind: 'reloaded', id, answer: await this.#reload() });
  }

  async #answer(id: number): Promise<void> {
    if (this.#collect === null) return;
    // A process that cannot answer is counted with its last metrics.
    try {
      await this.send({ kind: 'collected', id, metrics: await this.#collect() });
    } catch (error) {
      this.#logger.warn('the metrics of this process did not reach the primary', { error });
    }
  }
}
