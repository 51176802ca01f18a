import { createServer, request as forward } from 'node:https';
import type { AddressInfo } from 'node:net';
import { readFileSync } from 'node:fs';
import { selfSigned } from '../unit/adapters/callbacks/certificate.ts';
import type { LndDaemon } from './lightning-daemon.ts';

/** Where a payment is stopped. */
type Stop = 'before' | 'after' | 'lost';

/** A door between a till and its lnd, at which a payment can be stopped. */
export interface LightningDoor {
  readonly url: string;
  /** PEM. */
  readonly certificate: string;
  /**
   * Stops payments from now on: before lnd has heard of them, or after its first word about them, which is kept back, or
   * lost with the connection.
   * @returns what is resolved when a payment stands there
   */
  stop(where: Stop): Promise<void>;
  /** Lets everything pass again. */
  open(): void;
  close(): Promise<void>;
}

const PAYMENT = '/v2/router/send';

export async function openDoor(daemon: LndDaemon): Promise<LightningDoor> {
  const certificate = selfSigned('door.test');
  let stopped: { readonly where: Stop; readonly reached: () => void } | null = null;
  const server = createServer(certificate, (incoming, outgoing) => {
    const stop = incoming.url === PAYMENT ? stopped : null;
    if (stop?.where === 'before') {
      stop.reached();
      return;
    }
    const options = {
      method: incoming.method,
      headers: incoming.headers,
      ca: readFileSync(daemon.tlsCertFile),
      agent: false,
    };
    const passed = forward(`${daemon.restUrl}${incoming.url ?? '/'}`, options, (reply) => {
      if (stop !== null) {
        return void reply.once('data', () => {
          if (stop.where === 'lost') outgoing.destroy();
          stop.reached();
        });
      }
      outgoing.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(outgoing);
      reply.once('error', () => outgoing.destroy());
    });
    passed.once('error', () => outgoing.destroy());
    outgoing.once('close', () => passed.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    certificate: certificate.cert,
    stop: (where) =>
      new Promise((resolve) => {
        stopped = { where, reached: resolve };
      }),
    open: () => void (stopped = null),
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}
