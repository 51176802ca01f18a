import type { Refusal } from '../../../core/index.ts';
import type { BodyLimits, ClientRequestHandler, GatewayClient, ReplyHeaders } from '../gateway-client.ts';
import { HeaderList } from '../header-list.ts';
import type { RequestContext } from '../request-context.ts';

const CACHING: ReadonlySet<string> = new Set(['cache-control', 'expires']);

/** The client of a paid request: its reply has more headers, and its body may have been read already. */
export class PaidClient implements GatewayClient {
  readonly #client: GatewayClient;
  readonly #headers: readonly string[];
  readonly #body: Buffer | null;
  #handler: ClientRequestHandler | null = null;

  /** @param body - `null` if it was not read yet */
  constructor(client: GatewayClient, headers: readonly string[], body: Buffer | null) {
    this.#client = client;
    this.#headers = headers;
    this.#body = body;
  }

  get peer(): string {
    return this.#client.peer;
  }

  get needsDrain(): boolean {
    return this.#client.needsDrain;
  }

  get retainsChunks(): boolean {
    return this.#client.retainsChunks;
  }

  setHandler(handler: ClientRequestHandler | null): void {
    this.#handler = handler;
    this.#client.setHandler(handler);
  }

  writeContinue(): void {
    if (this.#body === null) this.#client.writeContinue();
  }

  readBody(limits: BodyLimits): void {
    const [body, handler] = [this.#body, this.#handler];
    if (body === null) this.#client.readBody(limits);
    else if (handler?.onRequestData(body.length) === true) handler.onRequestEnd(body);
  }

  respond(status: number, headers: ReplyHeaders, body: readonly Buffer[], size: number, idleMs: number): void {
    this.#client.respond(status, this.#more(headers), body, size, idleMs);
  }

  writeHead(status: number, headers: ReplyHeaders, hasLength: boolean): boolean {
    return this.#client.writeHead(status, this.#more(headers), hasLength);
  }

  write(chunk: Buffer): boolean {
    return this.#client.write(chunk);
  }

  end(idleMs: number): void {
    this.#client.end(idleMs);
  }

  refuse(refusal: Refusal, context: RequestContext): void {
    this.#client.refuse({ ...refusal, headers: [...refusal.headers, ...this.#headers] }, context);
  }

  /** Forbids caching, whatever the node allows: the reply contains the key. */
  #more({ common: { pairs }, own }: ReplyHeaders): ReplyHeaders {
    const kept = pairs.filter((_, at) => !CACHING.has(pairs[at - (at % 2)]?.toLowerCase() ?? ''));
    return { common: new HeaderList(kept), own: [...own, 'Cache-Control', 'no-store', ...this.#headers] };
  }

  destroy(): void {
    this.#client.destroy();
  }
}
