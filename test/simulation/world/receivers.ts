import type { CallbackOutcome, CallbackRequest } from '../../../core/index.ts';
import { CALLBACK_TIMEOUT_MS } from './instance.ts';

/** The behaviour of a merchant's server. */
export type Manner = 'ok' | 'error' | 'gone' | 'redirect' | 'later' | 'refuses' | 'hangs';

/** A callback as a merchant's server saw it. */
export interface Received {
  readonly orderId: string;
  readonly event: string;
  readonly webhookId: string;
  readonly at: number;
  readonly taken: boolean;
  readonly content: string;
}

const ANSWERS: Readonly<
  Record<Exclude<Manner, 'hangs' | 'refuses'>, readonly [status: number, retryAfter: number | null]>
> = {
  ok: [200, null],
  error: [500, null],
  gone: [410, null],
  redirect: [302, null],
  later: [429, 60],
};

/** The merchants' servers. */
export class Receivers {
  manner: Manner = 'ok';
  readonly received: Received[] = [];
  readonly #hanging: { readonly until: number; readonly end: () => void }[] = [];
  readonly #now: () => number;
  readonly #stuck: () => void;

  /** @param stuck - called when one does not answer */
  constructor(now: () => number, stuck: () => void) {
    this.#now = now;
    this.#stuck = stuck;
  }

  /** True while somebody waits for an answer that does not come. */
  get someHang(): boolean {
    return this.#hanging.length > 0;
  }

  async send(request: CallbackRequest): Promise<CallbackOutcome> {
    const { manner } = this;
    if (manner === 'refuses') return { kind: 'failed', reason: 'connection refused', durationMs: 1 };
    this.#note(request, manner === 'ok');
    if (manner === 'hangs') {
      this.#stuck();
      await new Promise<void>((resolve) =>
        this.#hanging.push({ until: this.#now() + CALLBACK_TIMEOUT_MS, end: resolve }),
      );
      return { kind: 'failed', reason: 'timed out', durationMs: CALLBACK_TIMEOUT_MS };
    }
    const [status, retryAfterSeconds] = ANSWERS[manner];
    return { kind: 'answered', status, retryAfterSeconds, durationMs: 1 };
  }

  /** Ends the waits whose time is over. */
  settleDue(): void {
    const now = this.#now();
    for (const wait of this.#hanging.filter(({ until }) => until <= now)) {
      this.#hanging.splice(this.#hanging.indexOf(wait), 1);
      wait.end();
    }
  }

  #note({ url, headers, body }: CallbackRequest, taken: boolean): void {
    const query = new URL(url).searchParams;
    const record = body === null ? null : (JSON.parse(body) as { order_id: string });
    const orderId = record?.order_id ?? query.get('order_id') ?? '';
    const event = query.get('event') ?? new URL(url).pathname.slice(1);
    this.received.push({
      orderId,
      event,
      webhookId: headers['webhook-id'] ?? '',
      at: this.#now(),
      taken,
      content: body ?? url,
    });
  }
}
