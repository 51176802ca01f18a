import { connect, isIP } from 'node:net';
import type { Socket } from 'node:net';
import type SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { SmtpOptions } from './options.ts';

/** The options of the server, with the secrets read. */
export interface SmtpServer extends Pick<SmtpOptions, 'host' | 'port' | 'security'> {
  readonly login: { readonly user: string; readonly pass: string } | null;
  /** PEM; `null` for the system's. */
  readonly ca: string | null;
  /** The host name sent with EHLO. */
  readonly clientName: string;
}

/** An open session. */
export interface SmtpSession {
  send(from: string, to: readonly string[], message: Buffer): Promise<{ readonly rejected: readonly string[] }>;
}

class ConnectionEnded extends Error {
  readonly code = 'ECONNECTION';

  constructor() {
    super('The connection ended.');
  }
}

/** The milliseconds of inactivity that are allowed; the signal limits the whole session. */
const IDLE_MS = 10_000;

/**
 * Connects, secures the connection, logs in, does the work and ends the session. The certificate is always checked, and
 * a server without the required protection gets neither the password nor a message. The connection is opened here, so
 * that the signal can end it in any state.
 */
export async function inSession<T>(
  Connection: typeof SMTPConnection,
  { host, port, security, login, ca, clientName }: SmtpServer,
  signal: AbortSignal,
  work: (session: SmtpSession) => Promise<T>,
): Promise<T> {
  const socket = await connected(host, port, signal);
  const connection = new Connection({
    host,
    port,
    connection: socket,
    name: clientName,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none-loopback-only',
    tls: { rejectUnauthorized: true, minVersion: 'TLSv1.2', ...nameIn(host), ...(ca === null ? {} : { ca }) },
    connectionTimeout: IDLE_MS,
    greetingTimeout: IDLE_MS,
    socketTimeout: IDLE_MS,
    logger: false,
  });
  let fail: (error: Error) => void = () => undefined;
  // An error of the connection is not always given to the callback of the command that runs.
  const broken = new Promise<never>((_resolve, reject) => {
    fail = reject;
  });
  // Each step waits for this promise. An end between two steps becomes the error of the next one, and an end after the
  // last step is ignored.
  broken.catch(() => undefined);
  connection.on('error', (error: Error) => fail(error));
  // If it ends because of a refusal, the callback receives the refusal right after this.
  connection.on('end', () => void setImmediate(() => fail(new ConnectionEnded())));
  const onAbort = (): void => {
    socket.destroy();
    fail(new DOMException('The deadline passed.', 'TimeoutError'));
  };
  signal.addEventListener('abort', onAbort, { once: true });
  const step = <R>(run: (done: (error: Error | null | undefined, result?: R) => void) => void): Promise<R> =>
    Promise.race([
      broken,
      new Promise<R>((resolve, reject) =>
        run((error, result) => (error == null ? resolve(result as R) : reject(error))),
      ),
    ]);
  try {
    await step<unknown>((done) => connection.connect(done));
    if (login !== null) await step<unknown>((done) => connection.login(login, done));
    const done = await work({
      send: (from, to, message) =>
        step((finish) => connection.send({ from, to: [...to] }, message, (error, info) => finish(error, info))),
    });
    connection.quit();
    return done;
  } finally {
    signal.removeEventListener('abort', onAbort);
    connection.close();
    // The answer to QUIT is not awaited.
    setTimeout(() => socket.destroy(), IDLE_MS).unref();
  }
}

/** For SNI and the certificate's check; an address has no server name. */
const nameIn = (host: string): { readonly servername?: string } => (isIP(host) === 0 ? { servername: host } : {});

function connected(host: string, port: number, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, autoSelectFamily: true });
    const onAbort = (): void => {
      socket.destroy(new DOMException('The deadline passed.', 'TimeoutError'));
    };
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    socket.once('error', reject);
    socket.once('connect', () => {
      signal.removeEventListener('abort', onAbort);
      socket.removeListener('error', reject);
      resolve(socket);
    });
  });
}
