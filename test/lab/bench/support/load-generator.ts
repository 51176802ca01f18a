import { randomUUID } from 'node:crypto';
import { CryptoDigest } from '../../../../adapters/crypto/index.ts';
import { signRequest } from '../../../../core/index.ts';
import { HEAD_END, Line } from './line.ts';
import type { LoadOrder, LoadResult } from './load.ts';

const PATH = '/api/order/pay-info';
const DIFFERENT_BODIES = 500;
const KEPT_FAILURES = 5;

/** A signed request but for its `Idempotency-Key`, which no signature covers. */
interface Prepared {
  readonly head: string;
  readonly body: string;
}

/**
 * What a shop sends. Signed ahead, since the generator shares the machine with what it measures: a signature covers the
 * body and a date of whole seconds, and the till verifies each one anew.
 */
function prepare({ url, apiToken, signingSecret, coin }: LoadOrder): readonly Prepared[] {
  const digest = new CryptoDigest();
  const now = Date.now();
  return Array.from({ length: DIFFERENT_BODIES }, (_, n) => {
    const body = JSON.stringify({
      ...coin,
      vs_currency: 'EUR',
      vs_price: (1000 + n) / 100,
      succeed_url: `https://shop.example/orders/${n}/thanks`,
      callback_url: `https://shop.example/callbacks/till?order=${n}`,
      timeout_callback: `https://shop.example/callbacks/till?order=${n}`,
      enable_post_callback: true,
    });
    const signed = signRequest(
      { method: 'POST', target: PATH, body: Buffer.from(body) },
      { apiToken, secret: signingSecret },
      digest,
      now,
    );
    const headers = {
      Host: new URL(url).host,
      'Content-Type': 'application/json',
      'Content-Length': String(body.length),
      ...signed,
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    return { head: `POST ${PATH} HTTP/1.1\r\n${lines.join('')}`, body };
  });
}

class Round {
  readonly #prepared: readonly Prepared[];
  readonly #name = randomUUID();
  readonly #latencies: number[] = [];
  readonly #failures: string[] = [];
  #end = 0;
  #sent = 0;

  constructor(order: LoadOrder) {
    this.#prepared = prepare(order);
  }

  async run({ url, connections, seconds }: LoadOrder): Promise<LoadResult> {
    const lines = Array.from({ length: connections }, () => new Line(url));
    const start = performance.now();
    this.#end = start + seconds * 1000;
    await Promise.all(lines.map((line) => this.#customers(line)));
    const took = (performance.now() - start) / 1000;
    for (const line of lines) line.close();
    const sorted = this.#latencies.toSorted((a, b) => a - b);
    const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
    return { acknowledged: sorted.length, seconds: took, medianMs: at(0.5), p99Ms: at(0.99), failures: this.#failures };
  }

  /** One customer after another, each when the one before has an answer. */
  async #customers(line: Line): Promise<void> {
    while (performance.now() < this.#end && this.#failures.length < KEPT_FAILURES) {
      const n = this.#sent++;
      const started = performance.now();
      const { head, body } = this.#prepared[n % DIFFERENT_BODIES] as Prepared;
      const reply = await line.ask(`${head}Idempotency-Key: ${this.#name}-${n}${HEAD_END}${body}`);
      if (reply.startsWith('HTTP/1.1 200 ') && reply.includes(`${HEAD_END}{"code":0,`))
        this.#latencies.push(performance.now() - started);
      else this.#failures.push(reply);
    }
  }
}

process.on('message', (order: LoadOrder) => {
  new Round(order).run(order).then(
    (result) => process.send?.(result),
    (error: unknown) => {
      throw error;
    },
  );
});
