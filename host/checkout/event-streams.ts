import { checkoutStateRecord } from '../../adapters/http/index.ts';
import type { HttpResponse, ReplySink } from '../../adapters/http/index.ts';
import { TillgateError } from '../../core/index.ts';
import type { Clock } from '../../core/index.ts';
import type { LiveOrders } from './order-subscriptions.ts';
import { followingOf } from './order-snapshot.ts';
import type { OrderSnapshot } from './order-snapshot.ts';

/** The maximum number of streams that are open at once. */
export interface StreamLimits {
  readonly perOrder: number;
  /** For one client address, which many payers may share. */
  readonly perClient: number;
  readonly inAll: number;
}

const DEFAULT_LIMITS: StreamLimits = { perOrder: 16, perClient: 100, inAll: 20_000 };
const HEADERS: Readonly<Record<string, string>> = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  // nginx would otherwise buffer the events.
  'X-Accel-Buffering': 'no',
};
/** The browser's wait before it reconnects. Comments are sent often enough for proxies that cut silent connections. */
const RETRY = 'retry: 3000\n\n';
const HEARTBEAT = ':\n\n';
const HEARTBEAT_MS = 20_000;
/** Each beat serves a part of the streams, so that thousands of writes do not happen at the same moment. */
const BEATS = 20;
const RETRY_AFTER_SECONDS = 5;

interface Stream {
  readonly beat: number;
  readonly sink: ReplySink;
}

/**
 * The states of orders as server-sent events (HTML standard, section 9.2): `event: state`, its data the record of
 * `GET /checkout/{token}/state`, its id the version of the page that shows it. A stream ends when the order cannot
 * change soon any more, and when the server stops; one that is opened for such an order is answered with 204, which
 * makes a browser stop reconnecting.
 */
export class EventStreams {
  readonly #live: LiveOrders;
  readonly #clock: Clock;
  readonly #limits: StreamLimits;
  readonly #open = new Set<Stream>();
  readonly #perOrder = new Tally();
  readonly #perClient = new Tally();
  #timer: NodeJS.Timeout | null = null;
  #beat = 0;
  #closed = false;

  constructor(live: LiveOrders, clock: Clock, limits: StreamLimits = DEFAULT_LIMITS) {
    this.#live = live;
    this.#clock = clock;
    this.#limits = limits;
  }

  /**
   * The reply to a request for a stream.
   *
   * @param client - the address of the client
   * @throws TillgateError `NOT_FOUND`, `RATE_LIMITED` (too many are open), `NOT_READY` (stopping)
   */
  async open(token: string, client: string, headers: Readonly<Record<string, string>>): Promise<HttpResponse> {
    if (this.#closed) throw new TillgateError('NOT_READY', 'The service is shutting down.');
    const snapshot = await this.#live.read(token);
    if (followingOf(snapshot, this.#clock.now()) !== 'stream')
      return { status: 204, headers: { ...headers, 'Cache-Control': 'no-store' }, body: '' };
    if (this.#isFull(token, client)) {
      throw new TillgateError('RATE_LIMITED', 'Too many event streams are open; poll the state instead.', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    }
    return {
      status: 200,
      headers: { ...headers, ...HEADERS },
      body: '',
      stream: (sink) => this.#begin(token, client, sink),
    };
  }

  /** Ends every stream and refuses new ones. */
  close(): void {
    this.#closed = true;
    for (const { sink } of [...this.#open]) sink.end();
  }

  #isFull(token: string, client: string): boolean {
    const { perOrder, perClient, inAll } = this.#limits;
    return this.#open.size >= inAll || this.#perOrder.of(token) >= perOrder || this.#perClient.of(client) >= perClient;
  }

  #begin(token: string, client: string, sink: ReplySink): () => void {
    // Others may have started meanwhile; the browser reconnects and is refused then.
    if (this.#closed || this.#isFull(token, client)) {
      sink.end();
      return () => undefined;
    }
    const stream: Stream = { beat: this.#open.size % BEATS, sink };
    this.#open.add(stream);
    this.#perOrder.add(token, 1);
    this.#perClient.add(client, 1);
    this.#timer ??= setInterval(() => this.#beatOnce(), HEARTBEAT_MS / BEATS).unref();
    let endWatch: (() => void) | null = null;
    let over = false;
    const watching = this.#live.watch(token, (snapshot) => this.#send(sink, snapshot));
    watching.then(
      (watch) => {
        if (over) {
          watch.end();
          return;
        }
        endWatch = () => watch.end();
        sink.write(RETRY);
        this.#send(sink, watch.snapshot);
      },
      // The browser reconnects and gets the error then.
      () => sink.end(),
    );
    return () => {
      if (over) return;
      over = true;
      endWatch?.();
      this.#open.delete(stream);
      this.#perOrder.add(token, -1);
      this.#perClient.add(client, -1);
      if (this.#open.size === 0) this.#stopTimer();
    };
  }

  #send(sink: ReplySink, snapshot: OrderSnapshot): void {
    const reading = sink.write(
      `id: ${snapshot.version}\nevent: state\ndata: ${JSON.stringify(checkoutStateRecord(snapshot.view))}\n\n`,
    );
    if (!reading || followingOf(snapshot, this.#clock.now()) !== 'stream') sink.end();
  }

  #beatOnce(): void {
    this.#beat = (this.#beat + 1) % BEATS;
    for (const { beat, sink } of [...this.#open]) if (beat === this.#beat && !sink.write(HEARTBEAT)) sink.end();
  }

  #stopTimer(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }
}

/** Counts by key; a key is removed when its count is 0. */
class Tally {
  readonly #counts = new Map<string, number>();

  of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  add(key: string, count: number): void {
    const sum = this.of(key) + count;
    if (sum > 0) this.#counts.set(key, sum);
    else this.#counts.delete(key);
  }
}
