import { createHash } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { readSharedAnswer, writeSharedAnswer } from '../../../core/index.ts';
import type { CacheStore, Logger, StoredAnswer } from '../../../core/index.ts';
import type { GatewayMetrics } from '../gateway-metrics.ts';
import type { Upstream } from '../upstream.ts';
import { blockHashOf } from '../upstream-rpc.ts';
import type { CoalescibleRead, KeptBy } from './coalescible-read.ts';
import type { FinalBlock } from './final-block.ts';
import type { ResponseCache } from './response-cache.ts';
import { StoreCircuit } from './store-circuit.ts';

export interface SharedAnswersDeps {
  readonly store: CacheStore;
  /** Where the answers that are found go. */
  readonly cache: ResponseCache;
  readonly logger: Logger;
  readonly metrics: GatewayMetrics;
}

/** An answer that waits until its branch was confirmed once more. */
interface Waiting {
  readonly key: string;
  readonly answer: string;
  readonly block: number;
  readonly upstream: Upstream;
  readonly final: FinalBlock;
  readonly generation: number;
  /** The last round of checks that had begun when it came. */
  readonly round: number;
}

/** A request waits this long for the store; without an answer by then it goes to a node. */
const WAIT_MS = 50;
/** A batch asks for at most this many of its calls. */
const MOST_KEYS = 500;
const KEEP_MS = 24 * 3_600_000;
const FLUSH_MS = 500;
const MOST_WAITING = 2_000;
const MOST_WAITING_SIZE = 16 * 1024 * 1024;
/** One write has at most this size, in characters. */
const WRITE_SIZE = 2 * 1024 * 1024;
/** A write that takes longer counts as failed. */
const WRITE_MS = 5_000;
const HASH_MS = 5_000;

/**
 * The second level of the cache: answers that the gateways of an installation share (core/decisions/gateway-reads.md).
 *
 * An answer is stored with a checkpoint of the branch that it is from, once a check that began after the answer came has
 * found that branch in place. It is used only where this instance's own upstreams have the same checkpoint.
 */
export class SharedAnswers {
  readonly #deps: SharedAnswersDeps;
  readonly #circuit: StoreCircuit;
  readonly #timer = setInterval(() => this.#flush(), FLUSH_MS).unref();
  #waiting: Waiting[] = [];
  #waitingSize = 0;
  #writing = false;

  constructor(deps: SharedAnswersDeps) {
    this.#deps = deps;
    this.#circuit = new StoreCircuit((open) => {
      if (open) deps.logger.warn('the shared cache does not answer, and is left alone for some seconds', {});
      else deps.logger.info('the shared cache answers again', {});
    });
  }

  /** Brings answers into memory that other instances have got. `null` where there is nothing to wait for. */
  find(reads: readonly CoalescibleRead[]): Promise<void> | null {
    const wanted = reads.filter(({ kept }) => kept !== null && kept.final.checkpoint !== null).slice(0, MOST_KEYS);
    if (wanted.length === 0 || !this.#circuit.mayAsk(performance.now())) return null;
    return this.#find(wanted);
  }

  /** Shares an answer about a block, which is final. */
  keep({ key, kept }: CoalescibleRead, answer: string, block: number, upstream: Upstream): void {
    if (kept === null || this.#waitingSize + answer.length > MOST_WAITING_SIZE) return;
    const { final, generation } = kept;
    // Those that have to wait for the next checkpoint leave room for the others.
    const most = block <= (final.checkpoint?.number ?? -1) ? MOST_WAITING : MOST_WAITING / 2;
    if (this.#waiting.length >= most) return;
    this.#waitingSize += answer.length;
    this.#waiting.push({ key: storeKey(key, kept), answer, block, upstream, final, generation, round: final.begun });
  }

  close(): void {
    clearInterval(this.#timer);
    this.#waiting = [];
  }

  async #find(reads: readonly CoalescibleRead[]): Promise<void> {
    const { store, metrics } = this.#deps;
    const keys = reads.map(({ key, kept }) => storeKey(key, kept as KeptBy));
    const found = await within(WAIT_MS, () => store.find([...new Set(keys)]));
    if (found === null) this.#circuit.failed(performance.now());
    else this.#circuit.succeeded();
    for (const [index, read] of reads.entries()) {
      const text = found?.get(keys[index] as string) ?? null;
      const outcome = found === null ? 'failed' : text !== null && this.#use(read, text) ? 'hit' : 'miss';
      metrics.sharedCacheRead(read.route, outcome);
    }
  }

  /** @returns whether the answer is in memory now */
  #use({ key, kept }: CoalescibleRead, text: string): boolean {
    if (kept === null || kept.generation !== kept.final.generation) return false;
    const { final, generation } = kept;
    const shared = readSharedAnswer(text, kept.method, kept.params);
    if (shared === null) return false;
    const { answer, block, checkpoint } = shared;
    const hash = final.hashOf(checkpoint.number);
    if (hash === null) {
      // The next one that asks will know it.
      this.#learn(final, checkpoint.number);
      return false;
    }
    if (hash !== checkpoint.hash) return false;
    this.#deps.cache.put(key, { answer, block, final, generation });
    return true;
  }

  #learn(final: FinalBlock, checkpoint: number): void {
    const signal = AbortSignal.timeout(HASH_MS);
    void final.learn(checkpoint, (upstream, block) => blockHashOf(upstream, block, signal));
  }

  /** Stores what was confirmed, and drops what is of a branch that is gone. */
  #flush(): void {
    if (this.#writing || this.#waiting.length === 0) return;
    const ready: StoredAnswer[] = [];
    let size = 0;
    const left = this.#waiting.filter(({ key, answer, block, upstream, final, generation, round }) => {
      if (generation !== final.generation) return false;
      const { checkpoint } = final;
      if (final.confirmed <= round || checkpoint === null || block > checkpoint.number || size >= WRITE_SIZE)
        return true;
      if (!final.has(upstream)) return false;
      size += answer.length;
      ready.push({ key, value: writeSharedAnswer({ answer, block, checkpoint }) });
      return false;
    });
    this.#waiting = left;
    this.#waitingSize = left.reduce((sum, { answer }) => sum + answer.length, 0);
    if (ready.length > 0 && this.#circuit.mayAsk(performance.now())) void this.#write(ready);
  }

  async #write(ready: readonly StoredAnswer[]): Promise<void> {
    this.#writing = true;
    const done = await within(WRITE_MS, () => this.#deps.store.put(ready, KEEP_MS).then(() => true));
    if (done === null) this.#circuit.failed(performance.now());
    else this.#circuit.succeeded();
    this.#writing = false;
  }
}

/** The store never sees what a client sent, which may hold secrets in its headers. */
function storeKey(key: string, { chain, network }: KeptBy): string {
  return createHash('sha256')
    .update(JSON.stringify([chain, network, key]))
    .digest('hex');
}

/** `null` where it fails or takes longer. */
function within<T>(ms: number, work: () => Promise<T>): Promise<T | null> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(null), ms).unref();
    const end = (value: T | null): void => {
      clearTimeout(timer);
      resolve(value);
    };
    try {
      work().then(end, () => end(null));
    } catch {
      end(null);
    }
  });
}
