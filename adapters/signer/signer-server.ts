import { chmodSync, existsSync, statSync, unlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { TillgateError, isTillgateError } from '../../core/index.ts';
import type { ChainCode, Logger, PolicySigner, SigningJournal } from '../../core/index.ts';
import { MAX_REQUEST_BYTES, SIGNER_PROTOCOL, requestSchema } from './protocol.ts';
import type { SignerReplies, SignerRequest } from './protocol.ts';

/** Where a signer listens: a socket in the file system, or TLS with certificates on both sides. */
export type SignerListen =
  | { readonly socket: string; readonly mode: number }
  | {
      readonly host: string;
      readonly port: number;
      /** In PEM; `ca` is the authority that signed the clients' certificates. */
      readonly ca: string;
      readonly cert: string;
      readonly key: string;
    };

export interface SignerServerDeps {
  readonly signer: PolicySigner;
  readonly journal: SigningJournal;
  readonly chains: readonly ChainCode[];
  readonly logger: Logger;
}

const TIMEOUT_MS = 10_000;

/** Answers requests of a server. It returns only signatures, public keys and its status. */
export class SignerServer {
  readonly #deps: SignerServerDeps;
  #server: Server | null = null;

  constructor(deps: SignerServerDeps) {
    this.#deps = deps;
  }

  /** @returns where it listens, as a server's settings name it */
  async listen(listen: SignerListen): Promise<string> {
    const answer: RequestListener = (request, response) => void this.#answer(request, response);
    const server = 'socket' in listen ? createServer(answer) : tlsServer(listen, answer);
    server.requestTimeout = TIMEOUT_MS;
    server.headersTimeout = TIMEOUT_MS;
    this.#server = server;
    if ('socket' in listen) await freeSocket(listen.socket);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      if ('socket' in listen) server.listen(listen.socket, resolve);
      else server.listen(listen.port, listen.host, resolve);
    });
    if (!('socket' in listen)) return `https://${listen.host}:${(server.address() as AddressInfo).port}`;
    chmodSync(listen.socket, listen.mode);
    return `unix:${listen.socket}`;
  }

  async close(): Promise<void> {
    const server = this.#server;
    // A server that never listened has nothing to close.
    if (server?.listening !== true) return;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeIdleConnections();
    await closed;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const reply = (status: number, value: object): void =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    try {
      reply(200, await this.#reply(parse(await bodyOf(request))));
    } catch (error) {
      const refusal = this.#refusal(error);
      reply(refusal.code === 'SIGNING_REFUSED' ? 403 : 503, { error: refusal });
    }
  }

  async #reply(request: SignerRequest): Promise<SignerReplies[keyof SignerReplies]> {
    const { signer, journal, chains } = this.#deps;
    const version = SIGNER_PROTOCOL;
    if (request.ask === 'status') return { version, stopped: await journal.stop(), chains: [...chains] };
    if (request.ask === 'public-key') return { version, key: await signer.extendedPublicKey(request.path) };
    const signatures = await signer.sign(request.intent);
    return {
      version,
      signatures: signatures.map(({ bytes, recovery }) => ({
        bytes: Buffer.from(bytes).toString('hex'),
        recovery: recovery === 0 ? 0 : 1,
      })),
    };
  }

  #refusal(error: unknown): { readonly code: string; readonly message: string; readonly reason?: string } {
    const { logger } = this.#deps;
    if (isTillgateError(error, 'SIGNING_REFUSED')) {
      logger.warn('refused to sign', { reason: error.message });
      const { reason } = error.details;
      return { code: error.code, message: error.message, ...(reason === undefined ? {} : { reason }) };
    }
    if (isTillgateError(error, 'SIGNER_UNAVAILABLE')) return { code: error.code, message: error.message };
    logger.error('a request failed', { error });
    return { code: 'SIGNER_UNAVAILABLE', message: 'The signer failed; its log says why.' };
  }
}

function tlsServer({ ca, cert, key }: Exclude<SignerListen, { socket: string }>, answer: RequestListener): Server {
  const options = { ca, cert, key, requestCert: true, rejectUnauthorized: true, minVersion: 'TLSv1.3' } as const;
  return createTlsServer(options, answer);
}

/** A socket that a killed signer left is removed; that of a running one is not. */
async function freeSocket(path: string): Promise<void> {
  if (!existsSync(path)) return;
  if (!statSync(path).isSocket())
    throw new TillgateError('CONFIG_INVALID', `${path} exists and is not a socket: set another path in listen.socket.`);
  const probe = connect(path);
  const answers = await new Promise<boolean>((resolve) => {
    probe.once('connect', () => resolve(true)).once('error', () => resolve(false));
  });
  probe.destroy();
  if (answers) throw new TillgateError('CONFIG_INVALID', `Another signer listens on ${path}.`);
  unlinkSync(path);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > MAX_REQUEST_BYTES) throw malformed(`is longer than ${MAX_REQUEST_BYTES} bytes`);
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parse(text: string): SignerRequest {
  let input: unknown;
  try {
    input = JSON.parse(text);
  } catch {
    throw malformed('is not JSON');
  }
  const parsed = requestSchema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw malformed(`is not of version ${SIGNER_PROTOCOL} of the protocol`);
}

function malformed(what: string): TillgateError {
  return new TillgateError('SIGNING_REFUSED', `The request ${what}.`, { reason: 'intent' });
}
