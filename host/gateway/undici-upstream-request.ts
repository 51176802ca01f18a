import type { Dispatcher, Pool } from 'undici';
import type { UpstreamHealth } from '../../core/index.ts';
import { failureReason } from './failure-reasons.ts';
import { MAX_CONNECTIONS, UpstreamRequest } from './upstream-request.ts';
import type { OutgoingRequest, UpstreamResponseHandler } from './upstream-request.ts';

/** Any other byte in a field value would end its line. */
const BREAKS_LINE = /[^\t\x20-\x7e\x80-\xff]/;

/**
 * A request by undici's pool. It implements undici's older handler interface (`onHeaders`, `onData`), which passes the
 * header bytes on as received; the newer one parses them into an object for each response first.
 */
export class UndiciUpstreamRequest extends UpstreamRequest implements Dispatcher.DispatchHandler {
  readonly #pool: Pool;
  #abort: ((error?: Error) => void) | null = null;
  #resume: (() => void) | null = null;

  constructor(pool: Pool, health: UpstreamHealth, handler: UpstreamResponseHandler) {
    super(health, handler);
    this.#pool = pool;
  }

  start({ path, method, headers, body, contentLength }: OutgoingRequest): void {
    const length =
      body !== null && !Buffer.isBuffer(body) && contentLength !== null
        ? ['content-length', String(contentLength)]
        : [];
    this.#pool.dispatch({ path, method, headers: [...headers, ...length], body }, this);
  }

  get requestSent(): boolean {
    return this.#abort !== null;
  }

  protected get queued(): boolean {
    return this.#pool.stats.connected >= MAX_CONNECTIONS;
  }

  resume(): void {
    this.#resume?.();
  }

  onConnect(abort: (error?: Error) => void): void {
    // Throwing, unlike aborting, keeps the unused connection in the pool. A request is written only once.
    if (this.over || this.#abort !== null) throw new Error('The request has ended.');
    this.#abort = abort;
    this.handler.onUpstreamConnect();
  }

  onHeaders(status: number, rawHeaders: Buffer[], resume: () => void): boolean {
    if (status < 200 || this.over) return true;
    this.#resume = resume;
    const fields = rawHeaders.map((part) => part.toString('latin1'));
    if (fields.some((field) => BREAKS_LINE.test(field))) throw new Error('A header of the response is malformed.');
    const lengthAt = fields.findIndex((field, at) => at % 2 === 0 && field.toLowerCase() === 'content-length');
    const [, length = null] = lengthAt < 0 ? [] : fields.splice(lengthAt, 2);
    this.begin(status, fields, length);
    process.nextTick(reportIdle, this);
    return true;
  }

  onData(chunk: Buffer): boolean {
    return this.over || this.handler.onResponseData(chunk);
  }

  onComplete(): void {
    this.complete();
  }

  onError(error: Error): void {
    this.fail(failureReason(error));
  }

  /** Undici does not report when it has passed on all received bytes; by the next tick it has. */
  reportIdle(): void {
    if (!this.over) this.handler.onResponseIdle();
  }

  protected abort(): void {
    this.#abort?.();
  }
}

function reportIdle(request: UndiciUpstreamRequest): void {
  request.reportIdle();
}
