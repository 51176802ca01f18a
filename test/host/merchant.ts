import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

/** What `data/demo.json` holds. */
export interface Demo {
  readonly account_id: string;
  readonly api_key: string;
  readonly api_token: string;
  readonly signing_secret: string;
  readonly callback_secret: string;
  readonly email: string;
  readonly password: string;
}

export function readDemo(directory: string): Demo {
  return JSON.parse(readFileSync(join(directory, 'data', 'demo.json'), 'utf8')) as Demo;
}

export interface Answer {
  readonly status: number;
  readonly code: number;
  readonly message: string;
  readonly data: Record<string, unknown>;
}

/** A merchant that signs its requests with node:crypto alone, as the documentation says. */
export class Merchant {
  readonly #url: string;
  readonly #demo: Demo;

  constructor(url: string, demo: Demo) {
    this.#url = url;
    this.#demo = demo;
  }

  async call(method: 'GET' | 'POST', target: string, body?: unknown): Promise<Answer> {
    const text = body === undefined ? '' : JSON.stringify(body);
    const date = `${new Date().toISOString().slice(0, 19)}Z`;
    const md5 = text === '' ? null : createHash('md5').update(text).digest('hex');
    const origin = ['HMAC-SHA256', date, `${method} ${target}`, ...(md5 === null ? [] : [md5])].join(' | ');
    const reply = await fetch(`${this.#url}${target}`, {
      method,
      headers: {
        'API-Token': this.#demo.api_token,
        Algorithm: 'HMAC-SHA256',
        Date: date,
        Signature: createHmac('sha256', this.#demo.signing_secret).update(origin).digest('base64'),
        ...(md5 === null ? {} : { 'Body-MD5': md5, 'Content-Type': 'application/json' }),
      },
      ...(text === '' ? {} : { body: text }),
    });
    return { status: reply.status, ...((await reply.json()) as Omit<Answer, 'status'>) };
  }

  payInfo(callbackUrl: string, more: Readonly<Record<string, unknown>> = {}): Promise<Answer> {
    const order = {
      chain: 'ETH',
      currency: 'USDT-ERC20',
      vs_currency: 'USD',
      vs_price: 25,
      callback_url: callbackUrl,
      enable_post_callback: true,
    };
    return this.call('POST', '/api/order/pay-info', { ...order, ...more });
  }

  /** Pays an order on the sandbox's chain. */
  async pay(orderId: unknown, more: Readonly<Record<string, unknown>> = {}): Promise<Answer> {
    const reply = await fetch(`${this.#url}/sandbox/v1/pay`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ order_id: orderId, ...more }),
    });
    return { status: reply.status, ...((await reply.json()) as Omit<Answer, 'status'>) };
  }

  async status(orderId: unknown): Promise<unknown> {
    const { data } = await this.call('GET', `/api/v2/order/detail/${String(orderId)}`);
    return data['status'];
  }
}

export interface ReceivedCallback {
  readonly method: string;
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A merchant's web server that keeps what it was sent. */
export async function startReceiver(
  host = '127.0.0.1',
): Promise<{ url: string; received: ReceivedCallback[]; close(): Promise<void> }> {
  const received: ReceivedCallback[] = [];
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      received.push({
        method: req.method ?? '',
        target: req.url ?? '',
        headers: req.headers,
        body: Buffer.concat(chunks).toString(),
      });
      res.end('thank you');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    received,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Verifies a callback as Standard Webhooks says, with the account's callback secret. */
export function isGenuine({ headers, body }: ReceivedCallback, callbackSecret: string): boolean {
  const key = Buffer.from(callbackSecret.replace(/^whsec_/, ''), 'base64');
  const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
  const expected = createHmac('sha256', key).update(signed).digest();
  const given = String(headers['webhook-signature']).replace(/^v1,/, '');
  const bytes = Buffer.from(given, 'base64');
  return bytes.length === expected.length && timingSafeEqual(bytes, expected);
}
