import { Client } from 'undici';
import { Counts } from '../../core/index.ts';
import type { Dispatcher } from 'undici';
import type { CallbackOutcome, CallbackRequest, CallbackTransport, Clock } from '../../core/index.ts';
import { failureReason } from './failure-reason.ts';
import { pinTarget } from './pinned-target.ts';
import type { PinnedTarget } from './pinned-target.ts';
import { resolveByDns, resolveBySystem } from './resolver.ts';
import type { Resolve } from './resolver.ts';
import { parseRetryAfter } from './retry-after.ts';

const MAX_HEADER_BYTES = 16 * 1024;
/** Maximum number of connections to one address, of all accounts and of one account. */
const PER_ADDRESS = 32;
const PER_ACCOUNT_AND_ADDRESS = 6;
/** Connect time of one address before the next is tried in parallel. */
const NEXT_ADDRESS_MS = 1000;

/** Settings of {@link UndiciCallbackTransport}; each has a default. */
export interface CallbackTransportOptions {
  /** Total time to resolve, connect, send and read. */
  readonly timeoutMs?: number;
  /** Bytes that are read of a reply's body; the rest is dropped. */
  readonly maxReplyBytes?: number;
  /** Allows private and local addresses: for sandboxes and private networks. */
  readonly allowPrivateNetworks?: boolean;
  /** The only hosts that are called, as in `isHostPattern`; `null` for any. */
  readonly hosts?: readonly string[] | null;
  /** Certificate authorities in PEM format, instead of the system's. */
  readonly ca?: string;
  readonly resolve?: Resolve;
}

interface Reply {
  readonly status: number;
  readonly retryAfter: string | undefined;
}

/**
 * {@link CallbackTransport} on undici. Each attempt resolves and checks its target again and opens
 * a new connection to the checked addresses: attempts are minutes apart, and a kept connection is a resource that an
 * attacker's server could hold.
 *
 * Redirects are not followed, cookies are not kept, proxies of the environment are not used. A reply that is cut off, or
 * incomplete at the deadline, is a failure even when its status has arrived.
 */
export class UndiciCallbackTransport implements CallbackTransport {
  readonly #clock: Clock;
  readonly #options: Required<Omit<CallbackTransportOptions, 'ca'>> & { readonly ca: string | undefined };
  readonly #running = new Map<AbortController, Promise<CallbackOutcome>>();
  /** Connections by address, and by address and account. */
  readonly #open = new Counts();
  #closed = false;

  constructor(clock: Clock, options: CallbackTransportOptions = {}) {
    const { timeoutMs = 15_000, maxReplyBytes = 64 * 1024, allowPrivateNetworks = false, hosts = null, ca } = options;
    const resolve = options.resolve ?? (allowPrivateNetworks ? resolveBySystem : resolveByDns());
    this.#clock = clock;
    this.#options = { timeoutMs, maxReplyBytes, allowPrivateNetworks, hosts, ca, resolve };
  }

  async send(request: CallbackRequest): Promise<CallbackOutcome> {
    if (this.#closed) return { kind: 'failed', reason: 'closed', durationMs: 0 };
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), this.#options.timeoutMs);
    const outcome = this.#attempt(request, controller.signal);
    this.#running.set(controller, outcome);
    try {
      return await outcome;
    } finally {
      clearTimeout(timer);
      this.#running.delete(controller);
    }
  }

  /** Aborts running attempts; their callbacks are retried later. */
  async close(): Promise<void> {
    this.#closed = true;
    const running = [...this.#running];
    for (const [controller] of running) controller.abort();
    await Promise.all(running.map(([, outcome]) => outcome));
  }

  async #attempt(request: CallbackRequest, signal: AbortSignal): Promise<CallbackOutcome> {
    const start = this.#clock.now();
    try {
      const target = await pinTarget(request.url, { ...this.#options, signal });
      const slots = [target.place, `${target.place} ${request.accountId}`] as const;
      if (this.#isBusy(slots)) return { kind: 'busy' };
      for (const slot of slots) this.#open.add(slot, 1);
      try {
        const { status, retryAfter } = await this.#exchange(request, target, signal);
        const now = this.#clock.now();
        const retryAfterSeconds = parseRetryAfter(retryAfter, now);
        return { kind: 'answered', status, retryAfterSeconds, durationMs: now - start };
      } finally {
        for (const slot of slots) this.#open.add(slot, -1);
      }
    } catch (error) {
      const aborted = this.#closed ? 'closed' : 'timeout';
      return {
        kind: 'failed',
        reason: signal.aborted ? aborted : failureReason(error),
        durationMs: this.#clock.now() - start,
      };
    }
  }

  /**
   * Counts by address, whatever host names lead to it, so that one account cannot use all its connections, and by
   * account, so that no account uses those of all addresses.
   */
  #isBusy([place, ofAccount]: readonly [string, string]): boolean {
    return this.#open.of(place) >= PER_ADDRESS || this.#open.of(ofAccount) >= PER_ACCOUNT_AND_ADDRESS;
  }

  async #exchange(
    { method, headers, body }: CallbackRequest,
    { url, lookup }: PinnedTarget,
    signal: AbortSignal,
  ): Promise<Reply> {
    const { timeoutMs, maxReplyBytes, ca } = this.#options;
    const client = new Client(url.origin, {
      connect: {
        lookup,
        timeout: timeoutMs,
        autoSelectFamily: true,
        autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
        ...(ca === undefined ? {} : { ca }),
      },
      // No keep-alive, and no timeouts except the deadline.
      pipelining: 0,
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: MAX_HEADER_BYTES,
    });
    try {
      const reply = await client.request({
        method,
        path: url.pathname + url.search,
        headers: { 'user-agent': 'tillgate', ...headers },
        body,
        signal,
      });
      await readAtMost(reply.body, maxReplyBytes);
      return { status: reply.statusCode, retryAfter: firstOf(reply.headers['retry-after']) };
    } finally {
      await client.destroy();
    }
  }
}

/** Reads a body to its end or to the limit, and drops it: only the status counts. */
async function readAtMost(body: Dispatcher.ResponseData['body'], maxBytes: number): Promise<void> {
  let left = maxBytes;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    left -= chunk.byteLength;
    if (left < 0) return;
  }
}

function firstOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
