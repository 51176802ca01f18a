import { TillgateError } from '../../../core/index.ts';
import type { Logger, Settlement } from '../../../core/index.ts';
import type { Reply } from '../replies.ts';
import type { LndClient } from './lnd-client.ts';
import { retry } from '../retry.ts';

/** A connection without data for so long may be dead. */
const IDLE_MS = 300_000;
/** Buffered settlements before the stream is paused. */
const MOST_WAITING = 2_000;
const PAGE = 1_000;
const STREAM = '/v1/invoices/subscribe';
const WHAT = 'its settled invoices';
/** Earlier settlements arrive at once: after this long without a message there are no more. */
const QUIET_MS = 1_000;
/** How long a list of invoices without a settlement is believed while the stream reports none: the list grows forever. */
const LIST_EVERY_MS = 30_000;

interface Indexed {
  readonly index: bigint;
  readonly settlement: Settlement;
}

/**
 * Settled invoices in the order of lnd's settle index.
 *
 * lnd reports them only by a stream, without a marker between past and new ones: arrivals are buffered here until they are
 * fetched. A broken stream is reopened after the last index that arrived.
 */
export class LndSettlements {
  readonly #client: LndClient;
  readonly #logger: Logger;
  readonly #changed: () => void;
  #waiting: Indexed[] = [];
  /** Everything settled after this index has arrived or will; `null` before the first cursor, when arrivals are only hints. */
  #from: bigint | null = null;
  #reading: AbortController | null = null;
  #closed = false;
  #room: (() => void) | null = null;
  /** Until then, by `performance.now()`, nothing was ever settled as far as is known. */
  #noneUntil = 0;
  /** The number of settlements that arrived and of streams that ended: a list that was read meanwhile proves nothing. */
  #news = 0;
  /** Whether the stream has brought a message, and so reports what is settled from now on. */
  #live = false;

  constructor(client: LndClient, logger: Logger, changed: () => void) {
    this.#client = client;
    this.#logger = logger;
    this.#changed = changed;
  }

  /** @throws TillgateError `NODE_FAILED` */
  async after(cursor: string | null, limit: number): Promise<readonly Settlement[]> {
    if (cursor === null) return this.#firstEver();
    const { index } = placeOf(cursor);
    if (this.#from === null || index < this.#from) {
      this.#waiting = [];
      this.#from = index;
      this.#restart();
    } else {
      this.#waiting = this.#waiting.filter((one) => one.index > index);
      this.#from = index;
    }
    this.follow();
    this.#room?.();
    return this.#waiting.slice(0, limit).map(({ settlement }) => settlement);
  }

  /**
   * Opens a separate stream that begins with the last known settlement: once that one has arrived, so have all earlier
   * ones.
   *
   * @throws TillgateError `NODE_FAILED`
   */
  async has(cursor: string | null): Promise<boolean> {
    const last = cursor === null ? 0n : placeOf(cursor).index;
    // A stream cannot begin at 0.
    if (last < 2n) return (await this.#lowest(last)) !== null;
    const leaving = new AbortController();
    const request = { method: 'GET', path: `${STREAM}?settle_index=${last - 1n}` } as const;
    let known = false;
    try {
      for await (const { reply, problem } of this.#client.stream(WHAT, request, leaving.signal, QUIET_MS)) {
        if (problem !== null) throw this.#client.refusal('to stream settled invoices', problem);
        const index = settlementOf(reply)?.index ?? null;
        if (index !== null && index > last) return true;
        // An update of an unsettled invoice is about a new invoice, which comes after all earlier settlements.
        if (index === null && known) return false;
        known ||= index === last;
      }
    } finally {
      leaving.abort();
    }
    if (known) return false;
    throw new TillgateError('NODE_FAILED', `The Lightning node did not show its settlement ${last} again.`);
  }

  /** Reads the stream until {@link close}. */
  follow(): void {
    if (this.#closed || this.#reading !== null) return;
    const reading = new AbortController();
    this.#reading = reading;
    retry(
      (alive) => this.#read(reading.signal, alive),
      reading.signal,
      (error) => {
        this.#logger.warn('invoice stream failed, retrying', { reason: error.message });
        this.#changed();
      },
    );
  }

  close(): void {
    this.#closed = true;
    this.#restart();
  }

  #restart(): void {
    this.#reading?.abort();
    this.#reading = null;
    this.#room?.();
  }

  async #read(signal: AbortSignal, alive: () => void): Promise<void> {
    const last = this.#waiting.at(-1)?.index ?? this.#from;
    const path = `${STREAM}${last === null ? '' : `?settle_index=${last}`}`;
    try {
      for await (const { reply, problem } of this.#client.stream(WHAT, { method: 'GET', path }, signal, IDLE_MS)) {
        if (signal.aborted) return;
        if (problem !== null) throw this.#client.refusal('to stream settled invoices', problem);
        alive();
        this.#live = true;
        const settled = settlementOf(reply);
        // The stream reports each new invoice as well.
        if (settled !== null) this.#arrived(settled);
        while (this.#waiting.length >= MOST_WAITING && !signal.aborted)
          await new Promise<void>((resolve) => (this.#room = resolve));
      }
    } finally {
      this.#live = false;
      this.#heard();
    }
  }

  #arrived(one: Indexed): void {
    const last = this.#waiting.at(-1)?.index ?? this.#from;
    // A known index arrives twice: once from the past, once as new.
    if (last !== null && one.index > last) this.#waiting.push(one);
    this.#heard();
    this.#changed();
  }

  #heard(): void {
    this.#news += 1;
    this.#noneUntil = 0;
  }

  async #firstEver(): Promise<readonly Settlement[]> {
    const began = performance.now();
    if (began < this.#noneUntil) return [];
    const [live, news] = [this.#live, this.#news];
    const found = await this.#first();
    if (found.length === 0 && live && news === this.#news) this.#noneUntil = began + LIST_EVERY_MS;
    return found;
  }

  /**
   * The very first settlement. The stream cannot start at 0, and the list is in the order of creation: an invoice may be
   * settled in a part that was read already. Such an invoice has a smaller index than the found one, and is in the list
   * when it is read again.
   */
  async #first(): Promise<readonly Settlement[]> {
    let found = await this.#lowest();
    while (found !== null && found.index > 1n) {
      const again = await this.#lowest();
      if (again === null || again.index >= found.index) break;
      found = again;
    }
    return found === null ? [] : [found.settlement];
  }

  async #lowest(above = 0n): Promise<Indexed | null> {
    let lowest: Indexed | null = null;
    for (let offset = 0n; ;) {
      const page = await this.#client.get('its invoices', {
        method: 'GET',
        path: `/v1/invoices?index_offset=${offset}&num_max_invoices=${PAGE}`,
      });
      const invoices = page.list('invoices');
      for (const one of invoices.map(settlementOf))
        if (one !== null && one.index > above && (lowest === null || one.index < lowest.index)) lowest = one;
      if (invoices.length < PAGE) return lowest;
      offset = page.count('last_index_offset');
    }
  }
}

/** `null` for an invoice that is not settled, or is an AMP invoice, which stays open and is not the till's. */
export function settlementOf(invoice: Reply): Indexed | null {
  if (invoice.text('state') !== 'SETTLED') return null;
  const index = invoice.count('settle_index');
  const paymentHash = Buffer.from(invoice.text('r_hash'), 'base64').toString('hex');
  const settlement = {
    paymentHash,
    msat: invoice.count('amt_paid_msat'),
    settledAt: Number(invoice.count('settle_date')) * 1000,
    cursor: `${index} ${paymentHash}`,
  };
  return { index, settlement };
}

/**
 * The settlement that a cursor names: its settle index, which a node that lost its data gives to another settlement,
 * and its payment hash.
 */
export function placeOf(cursor: string): { readonly index: bigint; readonly paymentHash: string } {
  const [index = '', paymentHash = ''] = cursor.split(' ');
  return { index: BigInt(index), paymentHash };
}
