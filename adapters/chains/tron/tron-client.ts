import { isLosslessNumber, parse } from 'lossless-json';
import { TillgateError, isTillgateError } from '../../../core/index.ts';
import type { Logger } from '../../../core/index.ts';
import { HttpEndpoint, TransportFailure } from '../http-endpoint.ts';
import { asObject, asWords } from './tron-values.ts';

/** One node, called by path: `/wallet/getnowblock`. */
export interface TronNode {
  /** `name:port`, the only part of its URL that may be shown. */
  readonly host: string;
  /**
   * The parsed answer. Numbers beyond 2^53 are not exact in it, so it is for blocks and logs, whose amounts are
   * hexadecimal.
   * @throws TransportFailure when the node does not serve
   */
  ask(path: string, body: object): Promise<unknown>;
  /** The parsed answer with every number as text, for amounts. */
  askExactly(path: string, body: object): Promise<unknown>;
}

/** The URLs and limits for reaching the nodes of the chain. */
export interface TronClientOptions {
  /** Tried in order; they may contain keys, so only their host is ever printed. */
  readonly urls: readonly string[];
  /** The URLs at which the nodes serve `/walletsolidity/…`, in the same order; the same URLs when left out. */
  readonly solidityUrls?: readonly string[];
  /** Sent as `TRON-PRO-API-KEY`. */
  readonly apiKey?: string | null;
  readonly logger: Logger;
  /** The time limit of one request, in milliseconds. */
  readonly timeoutMs?: number;
  /** The largest reply that is read. */
  readonly maxBytes?: number;
  /** Called before a node's first request, and again after it failed: an error excludes the node. */
  readonly admit?: (node: TronNode) => Promise<void>;
}

const DEFAULT_TIMEOUT_MS = 20_000;
const DEFAULT_MAX_BYTES = 64 * 1024 * 1024;
const SOLIDITY = '/walletsolidity/';

/**
 * The HTTP API of Tron's full nodes over several URLs: the next one is tried when the connection, the time, the HTTP
 * status or the form of the answer fails, or when a node says that it cannot serve.
 *
 * Its errors are `NODE_FAILED` and name the host only.
 */
export class TronClient {
  readonly #nodes: readonly HttpNode[];
  readonly #logger: Logger;
  readonly #admit: TronClientOptions['admit'];
  readonly #admitted = new WeakSet<HttpNode>();
  #preferred = 0;

  /** @throws TillgateError `CONFIG_INVALID` for an invalid URL */
  constructor(options: TronClientOptions) {
    const { urls, solidityUrls = urls } = options;
    if (urls.length === 0) throw new TillgateError('CONFIG_INVALID', 'At least one node URL is needed.');
    if (solidityUrls.length !== urls.length)
      throw new TillgateError('CONFIG_INVALID', 'Each node URL needs its own solidity URL.');
    this.#nodes = urls.map((url, at) => new HttpNode(url, solidityUrls[at] as string, options));
    this.#logger = options.logger;
    this.#admit = options.admit;
  }

  async ask(path: string, body: object): Promise<unknown> {
    return this.withNode((node) => node.ask(path, body));
  }

  async askExactly(path: string, body: object): Promise<unknown> {
    return this.withNode((node) => node.askExactly(path, body));
  }

  /**
   * Several requests to the same node; all of them are repeated at the next node when it does not serve.
   * @throws TillgateError `NODE_FAILED` when none does; any other error of `work`
   */
  async withNode<T>(work: (node: TronNode) => Promise<T>): Promise<T> {
    const failures: unknown[] = [];
    const first = this.#preferred;
    for (let step = 0; step < this.#nodes.length; step++) {
      const at = (first + step) % this.#nodes.length;
      const node = this.#nodes[at] as HttpNode;
      try {
        await this.#ensureAdmitted(node);
        const result = await work(node);
        if (step > 0 && this.#preferred === first) this.#preferred = at;
        return result;
      } catch (error) {
        if (!(error instanceof TransportFailure) && !isTillgateError(error, 'CHAIN_HALTED')) throw error;
        this.#admitted.delete(node);
        failures.push(error);
        // Another node's answer to the same request would be as large.
        if (error instanceof TransportFailure && error.tooLarge) break;
        if (this.#nodes.length > 1)
          this.#logger.warn('a node failed to answer; the next one is asked', {
            host: node.host,
            reason: (error as Error).message,
          });
      }
    }
    throw summarise(failures);
  }

  /** The same request to every node. @throws TillgateError `NODE_FAILED` when one of them does not answer */
  async withEveryNode<T>(work: (node: TronNode) => Promise<T>): Promise<readonly T[]> {
    const outcomes = await Promise.allSettled(
      this.#nodes.map(async (node) => {
        await this.#ensureAdmitted(node);
        return work(node);
      }),
    );
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed === undefined) return outcomes.map((outcome) => (outcome as PromiseFulfilledResult<T>).value);
    if (failed.reason instanceof TransportFailure) throw summarise([failed.reason]);
    throw failed.reason;
  }

  /** The host that is currently tried first. */
  get host(): string {
    return this.#nodes[this.#preferred]?.host ?? '';
  }

  /** Tries another node first from now on, because this one lags or contradicts itself. */
  distrust(): void {
    this.#preferred = (this.#preferred + 1) % this.#nodes.length;
  }

  async close(): Promise<void> {
    await Promise.all(this.#nodes.map((node) => node.close()));
  }

  async #ensureAdmitted(node: HttpNode): Promise<void> {
    if (this.#admit === undefined || this.#admitted.has(node)) return;
    await this.#admit(node);
    this.#admitted.add(node);
  }
}

class HttpNode implements TronNode {
  readonly #full: HttpEndpoint;
  readonly #solidity: HttpEndpoint;

  constructor(
    url: string,
    solidityUrl: string,
    { apiKey, timeoutMs = DEFAULT_TIMEOUT_MS, maxBytes = DEFAULT_MAX_BYTES }: TronClientOptions,
  ) {
    const headers: Record<string, string> = apiKey == null ? {} : { 'TRON-PRO-API-KEY': apiKey };
    this.#full = new HttpEndpoint(url, timeoutMs, maxBytes, headers);
    this.#solidity = solidityUrl === url ? this.#full : new HttpEndpoint(solidityUrl, timeoutMs, maxBytes, headers);
  }

  get host(): string {
    return this.#full.host;
  }

  async ask(path: string, body: object): Promise<unknown> {
    return this.#ask(path, body, (text) => JSON.parse(text) as unknown);
  }

  async askExactly(path: string, body: object): Promise<unknown> {
    return this.#ask(path, body, (text) => parse(text));
  }

  async close(): Promise<void> {
    await this.#full.close();
    if (this.#solidity !== this.#full) await this.#solidity.close();
  }

  async #ask(path: string, body: object, read: (text: string) => unknown): Promise<unknown> {
    const endpoint = path.startsWith(SOLIDITY) ? this.#solidity : this.#full;
    const text = await endpoint.post(JSON.stringify(body), path);
    let answer: unknown;
    try {
      answer = read(text);
    } catch {
      throw new TransportFailure(`${endpoint.host}: the answer to ${path} is not JSON`);
    }
    // A reply that is not an object comes from a load balancer or a captive portal.
    if (typeof answer !== 'object' || answer === null || isLosslessNumber(answer)) {
      throw new TransportFailure(`${endpoint.host}: the answer to ${path} is not a node's`);
    }
    const problem: unknown = Array.isArray(answer) ? undefined : asObject(answer, path)['Error'];
    // The requests are valid, so an error is the node's own: another one may answer.
    if (problem !== undefined)
      throw new TransportFailure(`${endpoint.host} refused ${path}: ${endpoint.redact(asWords(problem, 4_000))}`);
    return answer;
  }
}

/**
 * The failure of one node unchanged, several as one sentence. A wrong chain halts only when no node failed otherwise.
 */
function summarise(failures: readonly unknown[]): unknown {
  if (failures.every((failure) => isTillgateError(failure, 'CHAIN_HALTED'))) return failures[0];
  const reasons = failures.map((failure) => (failure as Error).message);
  const tooLarge = failures.some((failure) => failure instanceof TransportFailure && failure.tooLarge);
  return new TillgateError('NODE_FAILED', `No node answers: ${reasons.join('; ')}`, { tooLarge });
}
