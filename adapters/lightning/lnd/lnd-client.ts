import { LightningRestClient } from '../lightning-rest-client.ts';
import type { RestReply, RestRequest } from '../lightning-rest-client.ts';
import { Reply, part } from '../replies.ts';

/** How to reach lnd's REST interface. */
export interface LndAccess {
  readonly restUrl: string;
  /** The macaroon's bytes in hexadecimal digits. */
  readonly macaroon: string;
  readonly certificate: string | null;
}

/** What lnd says in place of an answer: the numbers of gRPC, and words. */
export interface LndProblem {
  readonly code: number;
  readonly message: string;
}

/** An answer or a problem. */
export type LndAnswer = { readonly reply: Reply; readonly problem: null } | { readonly reply: null; readonly problem: LndProblem };

/** lnd's REST interface: answers and problems told apart, in single replies and in streams. */
export class LndClient {
  readonly #client: LightningRestClient;

  constructor({ restUrl, macaroon, certificate }: LndAccess) {
    this.#client = new LightningRestClient({ url: restUrl, headers: { 'grpc-metadata-macaroon': macaroon }, certificate });
  }

  /** @throws TillgateError `NODE_FAILED` when nothing readable came back */
  async ask(what: string, request: RestRequest): Promise<LndAnswer> {
    return this.#answer(what, await this.#client.request(request));
  }

  /** Like {@link ask}, where a problem is none of the answers. @throws TillgateError `NODE_FAILED` */
  async get(what: string, request: RestRequest): Promise<Reply> {
    const { reply, problem } = await this.ask(what, request);
    if (problem !== null) throw this.refusal(what, problem);
    return reply;
  }

  /** Each message of a stream. @throws TillgateError `NODE_FAILED` when it breaks off */
  async *stream(what: string, request: RestRequest, signal: AbortSignal, idleMs: number): AsyncGenerator<LndAnswer> {
    for await (const message of this.#client.stream(request, signal, idleMs)) yield this.#answer(what, message, 'result');
  }

  refusal(what: string, problem: LndProblem): Error {
    return this.#client.refusal(what, problem.message);
  }

  malformed(what: string): Error {
    return this.#client.malformed(what);
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  #answer(what: string, { status, body }: RestReply, wrap?: string): LndAnswer {
    // A stream tells of a problem inside of `error`, a single reply in its place.
    const told = part(body, 'error', 'message') === undefined ? body : part(body, 'error');
    if (status !== 200 || told !== body) return { reply: null, problem: problemOf(told, status) };
    return { reply: new Reply(this.#client, what, wrap === undefined ? body : part(body, wrap)), problem: null };
  }
}

function problemOf(told: unknown, status: number): LndProblem {
  const [code, message] = [part(told, 'code'), part(told, 'message')];
  return { code: typeof code === 'string' ? Number(code) : -1, message: typeof message === 'string' ? message : `HTTP ${status}` };
}
