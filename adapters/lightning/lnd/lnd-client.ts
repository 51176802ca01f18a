import { LightningRestClient } from '../lightning-rest-client.ts';
import type { RestReply, RestRequest } from '../lightning-rest-client.ts';
import { Reply, part } from '../replies.ts';

export interface LndAccess {
  readonly restUrl: string;
  /** The macaroon in hexadecimal digits. */
  readonly macaroon: string;
  readonly certificate: string | null;
}

/** An error of lnd: gRPC code and message; the code is -1 when something other than lnd has answered. */
export interface LndProblem {
  readonly code: number;
  readonly message: string;
}

/** gRPC codes that leave open what the node did: cancelled, deadline exceeded, unavailable. */
const UNCLEAR_CODES: ReadonlySet<number> = new Set([-1, 1, 4, 14]);

/** Whether the node itself refused a request: a proxy between till and node answers with errors too. */
export function isRefusal({ code }: LndProblem): boolean {
  return !UNCLEAR_CODES.has(code);
}

export type LndAnswer =
  { readonly reply: Reply; readonly problem: null } | { readonly reply: null; readonly problem: LndProblem };

/** lnd's REST interface: separates results from errors, in single replies and in streams. */
export class LndClient {
  readonly #client: LightningRestClient;

  constructor({ restUrl, macaroon, certificate }: LndAccess) {
    this.#client = new LightningRestClient({
      url: restUrl,
      headers: { 'grpc-metadata-macaroon': macaroon },
      certificate,
    });
  }

  /** @throws TillgateError `NODE_FAILED` when there is no valid reply */
  async ask(what: string, request: RestRequest): Promise<LndAnswer> {
    return this.#answer(what, await this.#client.request(request));
  }

  /** Like {@link ask}, for requests whose errors are not handled. @throws TillgateError `NODE_FAILED` */
  async get(what: string, request: RestRequest): Promise<Reply> {
    const { reply, problem } = await this.ask(what, request);
    if (problem !== null) throw this.refusal(what, problem);
    return reply;
  }

  /** The messages of a stream. @throws TillgateError `NODE_FAILED` when it is cut off */
  async *stream(what: string, request: RestRequest, signal: AbortSignal, idleMs: number): AsyncGenerator<LndAnswer> {
    for await (const message of this.#client.stream(request, signal, idleMs))
      yield this.#answer(what, message, 'result');
  }

  refusal(what: string, problem: LndProblem): Error {
    return this.#client.refusal(what, problem.message);
  }

  shown({ message }: LndProblem): string {
    return this.#client.shown(message);
  }

  malformed(what: string): Error {
    return this.#client.malformed(what);
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  #answer(what: string, { status, body }: RestReply, wrap?: string): LndAnswer {
    // A stream wraps an error in `error`; a single reply is the error itself.
    const streamed = part(body, 'error', 'message') === undefined ? null : part(body, 'error');
    if (status !== 200 || streamed !== null) return { reply: null, problem: problemOf(streamed ?? body, status) };
    return { reply: new Reply(this.#client, what, wrap === undefined ? body : part(body, wrap)), problem: null };
  }
}

function problemOf(error: unknown, status: number): LndProblem {
  const [code, message] = [part(error, 'code'), part(error, 'message')];
  return {
    code: typeof code === 'string' ? Number(code) : -1,
    message: typeof message === 'string' ? message : `HTTP ${status}`,
  };
}
