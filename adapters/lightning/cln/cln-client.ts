import { LightningRestClient } from '../lightning-rest-client.ts';
import { Reply, part } from '../replies.ts';

export interface ClnAccess {
  readonly restUrl: string;
  readonly rune: string;
  readonly certificate: string | null;
}

/** The result or the error of the JSON-RPC method; the code is 0 when something other than the node has answered. */
export type ClnAnswer =
  | { readonly reply: Reply; readonly problem: null }
  | { readonly reply: null; readonly problem: { readonly code: number; readonly message: string } };

/** Core Lightning's CLNRest: each command is a POST to the path of its name, authorised by a rune. */
export class ClnClient {
  readonly #client: LightningRestClient;

  constructor({ restUrl, rune, certificate }: ClnAccess) {
    this.#client = new LightningRestClient({ url: restUrl, headers: { rune }, certificate });
  }

  /** @throws TillgateError `NODE_FAILED` when there is no valid reply */
  async ask(command: string, parameters: Readonly<Record<string, unknown>>, timeoutMs?: number): Promise<ClnAnswer> {
    const reply = await this.#client.request({
      method: 'POST',
      path: `/v1/${command}`,
      body: parameters,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    });
    if (reply.status === 200 || reply.status === 201)
      return { reply: new Reply(this.#client, command, reply.body), problem: null };
    const [code, message] = [part(reply.body, 'code'), part(reply.body, 'message')];
    return {
      reply: null,
      problem: {
        code: typeof code === 'string' ? Number(code) : 0,
        message: typeof message === 'string' ? message : `HTTP ${reply.status}`,
      },
    };
  }

  /** Like {@link ask}, for commands whose errors are not handled. @throws TillgateError `NODE_FAILED` */
  async get(command: string, parameters: Readonly<Record<string, unknown>>): Promise<Reply> {
    const { reply, problem } = await this.ask(command, parameters);
    if (problem !== null) throw this.refusal(command, problem.message);
    return reply;
  }

  refusal(what: string, words: string): Error {
    return this.#client.refusal(what, words);
  }

  shown(words: string): string {
    return this.#client.shown(words);
  }

  malformed(what: string): Error {
    return this.#client.malformed(what);
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}
