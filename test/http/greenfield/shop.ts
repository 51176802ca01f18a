import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { waitFor } from '../../support/wait.ts';
import type { EventType, RecordedSignature } from './recorded.ts';

/** An event as it came in, byte by byte. */
export interface Delivery {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly raw: string;
}

/** The side of the shop: takes events, answers each by 200, and keeps them in the order of their arrival. */
export interface Shop {
  readonly url: string;
  /** All events so far. */
  received(): readonly Delivery[];
  /**
   * The next event of a type about an invoice that no call has returned yet. `meanwhile` is called again and again while it is waited for.
   * @throws Error when none comes in time; its message names what came instead
   */
  next(event: {
    readonly type: EventType;
    readonly invoiceId: string;
    readonly pathname: string;
    meanwhile?(): Promise<void>;
  }): Promise<Delivery>;
  close(): Promise<void>;
}

/** @param timeoutMs - how long `next` waits for an event */
export async function startShop({ timeoutMs = 30_000 }: { readonly timeoutMs?: number } = {}): Promise<Shop> {
  const deliveries: Delivery[] = [];
  const taken = new Set<Delivery>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const raw = Buffer.concat(chunks).toString('utf8');
      deliveries.push({ path: request.url ?? '', headers: request.headers, raw });
      response.writeHead(200, { 'Content-Type': 'text/plain' }).end('OK');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: () => [...deliveries],
    async next({ type, invoiceId, pathname, meanwhile }) {
      const fits = (delivery: Delivery): boolean => {
        const body = parsed(delivery);
        return delivery.path.split('?')[0] === pathname && body['type'] === type && body['invoiceId'] === invoiceId;
      };
      const came = (): string =>
        deliveries.map((one) => `${String(parsed(one)['type'])} at ${one.path}`).join(', ') || 'nothing';
      const describe = (): string => `${type} of ${invoiceId} at ${pathname}; there came ${came()}`;
      const find = (): Delivery | undefined => deliveries.find((one) => !taken.has(one) && fits(one));
      const found = await waitFor(
        async () => {
          const there = find();
          if (there === undefined) await meanwhile?.();
          return there ?? find();
        },
        { timeoutMs, describe },
      );
      taken.add(found);
      return found;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The body of an event; empty where it is no JSON object. */
export function parsed({ raw }: Delivery): Record<string, unknown> {
  try {
    const body: unknown = JSON.parse(raw);
    return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** What is wrong with an event's signature for a plugin that compares it in this way; null when it would take it. */
export function signatureFailure(
  delivery: Delivery,
  { header, compares }: RecordedSignature,
  secret: string,
): string | null {
  if (compares === 'unchecked') return null;
  const given = delivery.headers[header.toLowerCase()];
  if (typeof given !== 'string') return `the header ${header} is missing`;
  const due = `sha256=${createHmac('sha256', secret).update(delivery.raw).digest('hex')}`;
  const equal = compares === 'exact' ? given === due : given.toLowerCase() === due;
  return equal ? null : `${header} is not the HMAC of the body: ${given}`;
}
