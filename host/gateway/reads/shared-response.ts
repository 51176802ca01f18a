import type { UpstreamFailure, UpstreamResponseHandler } from '../upstream-request.ts';
import type { Upstream } from '../upstream.ts';
import { codingOf } from './decode-body.ts';
import type { SharedRead } from './shared-reads.ts';

/** Passes a response on to its own request, and keeps it for the equal ones that wait. */
export class SharedResponse implements UpstreamResponseHandler {
  readonly #handler: UpstreamResponseHandler;
  readonly #lead: SharedRead;
  readonly #upstream: Upstream;
  #kept = false;
  #coding = '';

  constructor(handler: UpstreamResponseHandler, lead: SharedRead, upstream: Upstream) {
    this.#upstream = upstream;
    this.#handler = handler;
    this.#lead = lead;
  }

  onUpstreamConnect(): void {
    this.#handler.onUpstreamConnect();
  }

  onResponseHeaders(status: number, fields: readonly string[], length: string | null): void {
    // After any other status another upstream may be tried.
    if (status === 200) {
      this.#kept = this.#lead.close();
      this.#coding = codingOf(fields);
    }
    this.#handler.onResponseHeaders(status, fields, length);
  }

  onResponseData(chunk: Buffer): boolean {
    if (this.#kept) this.#lead.keep(chunk);
    const ready = this.#handler.onResponseData(chunk);
    // A client that reads slowly must not delay the others.
    if (!ready && this.#kept) this.#lead.end();
    return ready;
  }

  onResponseIdle(): void {
    this.#handler.onResponseIdle();
  }

  get retainsChunks(): boolean {
    return this.#handler.retainsChunks;
  }

  onResponseEnd(): void {
    if (this.#kept) this.#lead.complete(this.#coding, this.#upstream);
    this.#handler.onResponseEnd();
  }

  onResponseError(failure: UpstreamFailure): void {
    this.#handler.onResponseError(failure);
  }
}
