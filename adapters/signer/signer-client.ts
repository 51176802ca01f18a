import { request as httpRequest } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { RequestOptions } from 'node:https';
import { TillgateError } from '../../core/index.ts';
import type { EcdsaSignature, PublicWallet, Signer, SigningIntent } from '../../core/index.ts';
import { MAX_REPLY_BYTES, SIGNER_PROTOCOL, refusalSchema, replySchemas } from './protocol.ts';
import type { SignerReplies } from './protocol.ts';

/** The address of a signer: `unix:/path`, or `https://host:port` with certificates on both sides (PEM). */
export interface SignerAddress {
  readonly url: string;
  readonly tls: { readonly ca: string; readonly cert: string; readonly key: string } | null;
}

const TIMEOUT_MS = 10_000;

/**
 * The client of a signer in a separate process. A returned signature is used only if the chain's own check accepts it.
 *
 * Every failure to reach the signer is `SIGNER_UNAVAILABLE`. The signer may have signed then, but the signature never
 * arrived, and a repeated request with the same intent yields the same signature.
 */
export class SignerClient implements Signer, PublicWallet {
  readonly #options: RequestOptions;
  readonly #url: string;
  readonly #send: typeof httpRequest;

  constructor({ url, tls }: SignerAddress) {
    this.#url = url;
    const socket = url.startsWith('unix:') ? url.slice('unix:'.length) : null;
    const { hostname, port } = socket === null ? new URL(url) : { hostname: '', port: '' };
    this.#options =
      socket === null
        ? { host: hostname.replace(/^\[|\]$/g, ''), port: port || 443, ...tls, minVersion: 'TLSv1.3' }
        : { socketPath: socket };
    this.#send = socket === null ? httpsRequest : httpRequest;
  }

  /** Whether the signer can sign, and for which chains. */
  status(): Promise<SignerReplies['status']> {
    return this.#ask('status', {});
  }

  async extendedPublicKey(path: string): Promise<string> {
    return (await this.#ask('public-key', { path })).key;
  }

  async sign(intent: SigningIntent): Promise<readonly EcdsaSignature[]> {
    const { signatures } = await this.#ask('sign', { intent });
    return signatures.map(({ bytes, recovery }) => ({ bytes: Buffer.from(bytes, 'hex'), recovery }));
  }

  async #ask<Ask extends keyof SignerReplies>(ask: Ask, fields: object): Promise<SignerReplies[Ask]> {
    const body = JSON.stringify({ version: SIGNER_PROTOCOL, ask, ...fields });
    let reply: { readonly status: number; readonly value: unknown };
    try {
      const { status, text } = await this.#post(body);
      reply = { status, value: JSON.parse(text) };
    } catch (error) {
      const reason = (error as NodeJS.ErrnoException).code ?? (error as Error).message;
      throw this.#unavailable(`cannot be reached (${reason})`, error);
    }
    const parsed = replySchemas[ask].safeParse(reply.value);
    if (reply.status === 200 && parsed.success) return parsed.data as SignerReplies[Ask];
    throw this.#refusal(reply.value);
  }

  #refusal(value: unknown): TillgateError {
    const refusal = refusalSchema.safeParse(value);
    if (!refusal.success) return this.#unavailable(`does not speak version ${SIGNER_PROTOCOL} of the protocol`);
    const { code, message, reason } = refusal.data.error;
    return new TillgateError(code, message, reason === undefined ? {} : { reason });
  }

  #unavailable(what: string, cause?: unknown): TillgateError {
    return new TillgateError('SIGNER_UNAVAILABLE', `The signer at ${this.#url} ${what}.`, {}, cause);
  }

  #post(body: string): Promise<{ readonly status: number; readonly text: string }> {
    return new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
      // Without an agent: each signature has a new connection, which costs little in comparison and cannot be dead.
      const options = { ...this.#options, method: 'POST', path: '/', headers, agent: false, timeout: TIMEOUT_MS };
      const sent = this.#send(options, (response) => {
        textOf(response).then((text) => resolve({ status: response.statusCode ?? 0, text }), reject);
      });
      sent.once('timeout', () => sent.destroy(new Error('timed out')));
      sent.once('error', reject);
      sent.end(body);
    });
  }
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    size += (chunk as Buffer).length;
    if (size > MAX_REPLY_BYTES) throw new Error('a reply that is too long');
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}
