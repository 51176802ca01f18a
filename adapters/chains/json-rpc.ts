import { TillgateError, isTillgateError } from '../../core/index.ts';
import type { Logger } from '../../core/index.ts';
import { HttpEndpoint, TransportFailure } from './http-endpoint.ts';
import { readReplies } from './json-rpc-replies.ts';
import type { RpcReply } from './json-rpc-replies.ts';

/** One call of a batch. */
export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** A call to a fixed endpoint, for {@link JsonRpcOptions.admit}. */
export type RpcCaller = (method: string, params: readonly unknown[]) => Promise<unknown>;

/** The URLs and limits for reaching the nodes of one chain. */
export interface JsonRpcOptions {
  /** Tried in order; they may contain keys, so only their host is ever printed. */
  readonly urls: readonly string[];
  readonly logger: Logger;
  /** The whole of one request, in milliseconds. */
  readonly timeoutMs?: number;
  /** The largest reply that is read. */
  readonly maxBytes?: number;
  /** Calls in one HTTP request; longer batches are sent in parts. */
  readonly maxBatch?: number;
  /**
   * Called before an endpoint's first call, and again after it failed: an error excludes the endpoint, so that a
   * fallback URL of another network is never used.
   */
  readonly admit?: (call: RpcCaller, host: string) => Promise<void>;
  /** Reads a reply's text; `JSON.parse` by default, which makes doubles of all numbers. */
  readonly parse?: (text: string) => unknown;
}

const DEFAULT_TIMEOUT_MS = 20_000;
const DEFAULT_MAX_BYTES = 64 * 1024 * 1024;
const DEFAULT_MAX_BATCH = 100;
/** Concurrent parts of one long batch. */
const PARALLEL_PARTS = 4;

/**
 * A JSON-RPC 2.0 client over several URLs of one service: the next one is tried when the connection, the time, the HTTP
 * status or the form of the answer fails; an error that the node itself states is an answer.
 *
 * Its errors are `NODE_FAILED` and name the host only.
 */
export class JsonRpcClient {
  readonly #endpoints: readonly HttpEndpoint[];
  readonly #logger: Logger;
  readonly #maxBatch: number;
  readonly #admit: JsonRpcOptions['admit'];
  readonly #parse: JsonRpcOptions['parse'];
  readonly #admitted = new WeakSet<HttpEndpoint>();
  /** The accepted batch size of an endpoint that refused a larger one. */
  readonly #batchLimits = new WeakMap<HttpEndpoint, number>();
  #preferred = 0;
  #nextId = 1;

  /** @throws TillgateError `CONFIG_INVALID` for an invalid URL */
  constructor(options: JsonRpcOptions) {
    const { urls, timeoutMs = DEFAULT_TIMEOUT_MS, maxBytes = DEFAULT_MAX_BYTES } = options;
    if (urls.length === 0) throw new TillgateError('CONFIG_INVALID', 'At least one node URL is needed.');
    this.#endpoints = urls.map((url) => new HttpEndpoint(url, timeoutMs, maxBytes));
    this.#logger = options.logger;
    this.#maxBatch = options.maxBatch ?? DEFAULT_MAX_BATCH;
    this.#admit = options.admit;
    this.#parse = options.parse;
  }

  /** The result of one call. @throws TillgateError `NODE_FAILED`; with `details.rpcCode` when the node refused it */
  async call(method: string, params: readonly unknown[]): Promise<unknown> {
    return this.#withEndpoint((endpoint) => this.#callOn(endpoint, method, params));
  }

  /** Each call's own outcome, in the order of the calls. @throws TillgateError `NODE_FAILED` when no node answers */
  async batch(calls: readonly RpcCall[]): Promise<readonly RpcReply[]> {
    const parts: (readonly RpcCall[])[] = [];
    for (let at = 0; at < calls.length; at += this.#maxBatch) parts.push(calls.slice(at, at + this.#maxBatch));
    const replies: RpcReply[] = [];
    for (let at = 0; at < parts.length; at += PARALLEL_PARTS) {
      const answered = await Promise.all(
        parts
          .slice(at, at + PARALLEL_PARTS)
          .map((part) => this.#withEndpoint((endpoint) => this.#batchOn(endpoint, part))),
      );
      for (const part of answered) replies.push(...part);
    }
    return replies;
  }

  /** Like {@link batch}, but throws the first refusal of the node. */
  async batchResults(calls: readonly RpcCall[]): Promise<readonly unknown[]> {
    const replies = await this.batch(calls);
    return replies.map((reply, at) => {
      if (reply.problem !== null) throw refusal(calls[at]?.method ?? '', reply.problem, this.host);
      return reply.result;
    });
  }

  /** The host that is currently tried first. */
  get host(): string {
    return this.#endpoints[this.#preferred]?.host ?? '';
  }

  /** Tries another endpoint first from now on, because this one lags or contradicts itself. */
  distrust(): void {
    this.#preferred = (this.#preferred + 1) % this.#endpoints.length;
  }

  async close(): Promise<void> {
    await Promise.all(this.#endpoints.map((endpoint) => endpoint.close()));
  }

  async #withEndpoint<T>(work: (endpoint: HttpEndpoint) => Promise<T>): Promise<T> {
    const failures: unknown[] = [];
    const first = this.#preferred;
    for (let step = 0; step < this.#endpoints.length; step++) {
      const at = (first + step) % this.#endpoints.length;
      const endpoint = this.#endpoints[at] as HttpEndpoint;
      try {
        await this.#ensureAdmitted(endpoint);
        const result = await work(endpoint);
        if (step > 0 && this.#preferred === first) this.#preferred = at;
        return result;
      } catch (error) {
        if (!(error instanceof TransportFailure) && !isTillgateError(error, 'CHAIN_HALTED')) throw error;
        this.#admitted.delete(endpoint);
        failures.push(error);
        // Another node's answer to the same question is as large.
        if (error instanceof TransportFailure && error.tooLarge) break;
        if (this.#endpoints.length > 1)
          this.#logger.warn('a node failed to answer; the next one is asked', {
            host: endpoint.host,
            reason: (error as Error).message,
          });
      }
    }
    throw summarise(failures);
  }

  async #ensureAdmitted(endpoint: HttpEndpoint): Promise<void> {
    if (this.#admit === undefined || this.#admitted.has(endpoint)) return;
    await this.#admit((method, params) => this.#callOn(endpoint, method, params), endpoint.host);
    this.#admitted.add(endpoint);
  }

  async #callOn(endpoint: HttpEndpoint, method: string, params: readonly unknown[]): Promise<unknown> {
    const id = this.#nextId++;
    const text = await endpoint.post(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    const reply = readReplies(text, [id], endpoint, this.#parse)[0] as RpcReply;
    if (reply.problem !== null) throw refusal(method, reply.problem, endpoint.host);
    return reply.result;
  }

  async #batchOn(endpoint: HttpEndpoint, calls: readonly RpcCall[]): Promise<readonly RpcReply[]> {
    const limit = this.#batchLimits.get(endpoint) ?? this.#maxBatch;
    const replies: RpcReply[] = [];
    for (let at = 0; at < calls.length; at += limit) {
      const part = calls.slice(at, at + limit);
      const answered = await this.#partOn(endpoint, part);
      if (part.length > 1 && answered.every((reply) => reply.problem !== null && reply === answered[0])) {
        // The batch as a whole was refused: too long for this node, or it takes none at all.
        this.#batchLimits.set(endpoint, Math.max(1, part.length >> 1));
        return [...replies, ...(await this.#batchOn(endpoint, calls.slice(at)))];
      }
      replies.push(...answered);
    }
    return replies;
  }

  async #partOn(endpoint: HttpEndpoint, calls: readonly RpcCall[]): Promise<readonly RpcReply[]> {
    const requests = calls.map(({ method, params }) => ({ jsonrpc: '2.0', id: this.#nextId++, method, params }));
    // A single call is sent without a batch: every node accepts that.
    const body = JSON.stringify(requests.length === 1 ? requests[0] : requests);
    const ids = requests.map(({ id }) => id);
    return readReplies(await endpoint.post(body), ids, endpoint, this.#parse);
  }
}

/** The node's own refusal as the error of one call. */
export function refusal(
  method: string,
  problem: { readonly code: number; readonly message: string },
  host: string,
): TillgateError {
  return new TillgateError(
    'NODE_FAILED',
    `The node at ${host} refused ${method}: ${problem.message} (${problem.code}).`,
    {
      host,
      method,
      rpcCode: problem.code,
    },
  );
}

/** One endpoint's failure unchanged, several as one sentence. A wrong chain halts only when no endpoint failed otherwise. */
function summarise(failures: readonly unknown[]): unknown {
  if (failures.every((failure) => isTillgateError(failure, 'CHAIN_HALTED'))) return failures[0];
  const reasons = failures.map((failure) => (failure as Error).message);
  const tooLarge = failures.some((failure) => failure instanceof TransportFailure && failure.tooLarge);
  return new TillgateError('NODE_FAILED', `No node answers: ${reasons.join('; ')}`, { tooLarge });
}
