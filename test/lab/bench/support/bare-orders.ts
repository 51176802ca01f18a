/**
 * The least that a signed order needs on PostgreSQL: `node:http`, the signature, and one prepared statement of `pg` that stores the rows
 * of the till's own order. It validates, prices, limits and logs nothing.
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import type { BareStart } from './bare-till.ts';

type Sample = Readonly<Record<string, string | null>>;

/** An order whose reply waits for its commit. */
interface Waiting {
  readonly values: Readonly<Record<string, string>>;
  readonly reply: (number: number) => void;
}

/** What differs between orders of the load; every other column is as in the till's own order. */
const VARYING = {
  idempotency_claims: ['claim_key', 'body_hash', 'order_id', 'expires_at'],
  orders: [
    ...['id', 'number', 'vs_price', 'units', 'address', 'succeed_url', 'callback_url', 'timeout_callback'],
    ...['checkout_token', 'chosen_at', 'created_at', 'updated_at', 'expires_at', 'watch_until'],
  ],
  order_addresses: [
    ...['order_id', 'address', 'watch_key', 'address_index', 'assigned_at', 'watch_until', 'created_at'],
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>;
/** The values of an order, each an array of the statement. */
const GIVEN = [
  ...['id', 'claim_key', 'body_hash', 'vs_price', 'units', 'address', 'watch_key', 'address_index'],
  ...['succeed_url', 'callback_url', 'timeout_callback', 'checkout_token', 'now', 'until'],
] as const;
/** The value of a column where it has another name. */
const AS: Readonly<Record<string, string>> = {
  order_id: 'id',
  expires_at: 'until',
  watch_until: 'until',
  chosen_at: 'now',
  created_at: 'now',
  updated_at: 'now',
  assigned_at: 'now',
};
const NUMBERS = new Set(['vs_price', 'units', 'address_index', 'now', 'until']);
const AT_ONCE = 2;
const KEPT_MS = 86_400_000;
const SPECIAL = /["\\]/g;

function insertion(table: keyof typeof VARYING, sample: Sample): string {
  const varying: readonly string[] = VARYING[table];
  const names = Object.keys(sample);
  const value = (name: string): string => {
    const known = sample[name] ?? null;
    if (name === 'number') return 'counted.last + 1 - given.ordinal';
    if (varying.includes(name)) return `given.${AS[name] ?? name}`;
    return known === null ? 'NULL' : pg.escapeLiteral(known);
  };
  return `INSERT INTO ${table} (${names.join(', ')}) SELECT ${names.map(value).join(', ')} FROM given, counted`;
}

async function statementFor(client: pg.Client): Promise<string> {
  const sample = async (table: string): Promise<Sample> => {
    const types = { getTypeParser: () => (text: string) => text };
    const { rows } = await client.query<Record<string, string | null>>({
      text: `SELECT * FROM ${table} LIMIT 1`,
      types,
    });
    if (rows[0] === undefined) throw new Error(`${table} has no row of the till to go by`);
    return rows[0];
  };
  const [claim, order, address] = [
    await sample('idempotency_claims'),
    await sample('orders'),
    await sample('order_addresses'),
  ];
  const arrays = GIVEN.map((name, at) => `$${at + 1}::${NUMBERS.has(name) ? 'bigint' : 'text'}[]`).join(', ');
  return `WITH given AS (SELECT * FROM unnest(${arrays}) WITH ORDINALITY AS given (${GIVEN.join(', ')}, ordinal)),
    counted AS (UPDATE account_counters SET last = last + (SELECT count(*) FROM given)
      WHERE account_id = ${pg.escapeLiteral(order['account_id'] ?? '')} AND counter = 'orders' RETURNING last),
    claimed AS (${insertion('idempotency_claims', claim)}), stored AS (${insertion('orders', order)}),
    addressed AS (${insertion('order_addresses', address)}) SELECT last FROM counted`;
}

function literal(value: string): string {
  return `"${value.replaceAll(SPECIAL, '\\$&')}"`;
}

class BareOrders {
  readonly #free: pg.Client[];
  readonly #text: string;
  #queue: Waiting[] = [];
  #scheduled = false;

  constructor(clients: readonly pg.Client[], text: string) {
    this.#free = [...clients];
    this.#text = text;
  }

  store(values: Waiting['values']): Promise<number> {
    return new Promise((reply) => {
      this.#queue.push({ values, reply });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#scheduled || this.#queue.length === 0 || this.#free.length === 0) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      const batch = this.#queue;
      const client = this.#free.pop();
      if (client === undefined) return;
      this.#queue = [];
      const arrays = GIVEN.map((name) => `{${batch.map(({ values }) => literal(values[name] ?? '')).join(',')}}`);
      client.query<{ last: string }>({ name: 'orders', text: this.#text, values: arrays }).then(
        ({ rows }) => {
          batch.forEach(({ reply }, at) => reply(Number(rows[0]?.last) - at));
          this.#free.push(client);
          this.#schedule();
        },
        (error: unknown) => {
          throw error;
        },
      );
    });
  }
}

function isSigned({ method, url, headers }: IncomingMessage, body: Buffer, start: BareStart): boolean {
  const md5 = createHash('md5').update(body).digest('hex');
  const text = `${headers['algorithm'] as string} | ${headers.date ?? ''} | ${method ?? ''} ${url ?? ''} | ${md5}`;
  const expected = createHmac('sha256', start.signingSecret).update(text).digest();
  const signature = Buffer.from(headers['signature'] as string, 'base64');
  return headers['api-token'] === start.apiToken && md5 === headers['body-md5'] && timingSafeEqual(expected, signature);
}

/** Beyond the index of every address that the till has derived. */
let made = 1_000_000_000;

async function order(req: IncomingMessage, body: Buffer, start: BareStart, orders: BareOrders): Promise<string> {
  if (!isSigned(req, body, start)) throw new Error('a signature is wrong');
  const input = JSON.parse(body.toString()) as Record<string, string> & { readonly vs_price: number };
  const n = ++made;
  const now = Date.now();
  const key = createHash('sha1').update(String(n)).digest('hex');
  const id = `9${String(n).padStart(18, '0')}`;
  const token = randomBytes(16).toString('hex');
  const { succeed_url = '', callback_url = '', timeout_callback = '' } = input;
  const [cents, address] = [Math.round(input.vs_price * 100), `0x${key}`];
  const claim_key = req.headers['idempotency-key'] as string;
  const body_hash = createHash('sha256').update(body).digest('hex');
  await orders.store({
    ...{ id, claim_key, body_hash, address, watch_key: key, succeed_url, callback_url, timeout_callback },
    ...{ vs_price: String(cents), units: String(cents * 11_000), address_index: String(n), checkout_token: token },
    ...{ now: String(now), until: String(now + KEPT_MS) },
  });
  const data = { ...input, order_id: id, amount: (cents * 11_000) / 1e6, address, create_time: now, pay_url: token };
  return `{"code":0,"message":"ok","data":${JSON.stringify(data)},"result":true}`;
}

function serve(req: IncomingMessage, res: ServerResponse, start: BareStart, orders: BareOrders): void {
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => {
    order(req, chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks), start, orders).then(
      (text) => {
        res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) });
        res.end(text);
      },
      (error: unknown) => {
        throw error;
      },
    );
  });
}

process.on('message', (start: BareStart) => {
  void (async () => {
    const clients = Array.from({ length: AT_ONCE }, () => new pg.Client(start.connection));
    for (const client of clients) await client.connect();
    const text = await statementFor(clients[0] as pg.Client);
    const orders = new BareOrders(clients, text);
    const server = createServer((req, res) => serve(req, res, start, orders));
    server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
  })();
});
