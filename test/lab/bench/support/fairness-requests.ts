import { Buffer } from 'node:buffer';

/** Whose requests they are. */
export interface Caller {
  readonly url: string;
  readonly apiKey: string;
  readonly apiToken: string;
}

/** One way in which an account does its worst. */
export interface Attack {
  readonly name: string;
  readonly requests: (caller: Caller) => readonly string[];
  /** In turns; {@link ATTACKING_CONNECTIONS} by default. */
  readonly connections?: readonly number[];
  /** Between an answer and the next request. */
  readonly pauseMs?: number;
  /** With the requests of a minute used up, at the default of the settings. */
  readonly beyondLimit?: true;
}

export const ATTACKING_CONNECTIONS = [200, 8] as const;
/** As large as a body may be. */
const BODY_BYTES = 64 * 1024;
const SIGNATURE = Buffer.alloc(32).toString('base64');

/** A whole request, as it goes over the wire. */
function text(
  { url }: Caller,
  method: string,
  target: string,
  headers: Readonly<Record<string, string>>,
  body = '',
): string {
  const all = {
    Host: new URL(url).host,
    ...headers,
    ...(body === '' ? {} : { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(body)) }),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

const keyed = (caller: Caller, method: string, target: string, body?: string): string =>
  text(caller, method, target, { 'API-Key': caller.apiKey }, body);

const orderBody = (n: number, remark = 'an order'): string =>
  JSON.stringify({
    chain: 'ETH',
    currency: 'USDT-ERC20',
    vs_currency: 'EUR',
    vs_price: (1000 + n) / 100,
    remark,
    callback_url: `https://shop.example/callbacks/till?order=${n}`,
  });

const creation = (caller: Caller, n: number): string => keyed(caller, 'POST', '/api/order/pay-info', orderBody(n));
const list = (caller: Caller, page: number, size: number): string =>
  keyed(caller, 'GET', `/api/v2/order/?page=${page}&size=${size}`);

/** A JSON text of the size given, with as many members as possible. */
function manyMembers(bytes: number): string {
  const members: string[] = [];
  for (let length = 2; length < bytes - 16; length += (members.at(-1)?.length ?? 0) + 1)
    members.push(`"m${members.length}":${members.length}`);
  return `{${members.join(',')}}`;
}

function wronglySigned(caller: Caller, body: string): string {
  const headers = {
    Algorithm: 'hmac-sha256',
    Date: new Date().toISOString().replace(/\.\d+/, ''),
    'API-Token': caller.apiToken,
    Signature: SIGNATURE,
  };
  return text(caller, 'POST', '/api/order/pay-info', headers, body);
}

/** What a shop does: an order, looks at it, now and then a page of the list. */
export function healthyMix(caller: Caller, orders: readonly string[]): readonly string[] {
  return orders.flatMap((id, n) => [
    creation(caller, n),
    keyed(caller, 'GET', `/api/v2/order/detail/${id}`),
    keyed(caller, 'GET', `/api/v2/order/detail/${id}`),
    ...(n % 2 === 0 ? [list(caller, 1, 10)] : []),
  ]);
}

export const ATTACKS: readonly Attack[] = [
  { name: 'orders', requests: (caller) => Array.from({ length: 100 }, (_, n) => creation(caller, n)) },
  { name: 'wide-lists', requests: (caller) => Array.from({ length: 10 }, (_, n) => list(caller, n + 1, 100)) },
  {
    name: 'large-bodies',
    requests: (caller) => [keyed(caller, 'POST', '/api/order/pay-info', manyMembers(BODY_BYTES))],
  },
  { name: 'wrong-signatures', requests: (caller) => [wronglySigned(caller, 'x'.repeat(BODY_BYTES))] },
  { name: 'refused-fields', requests: (caller) => [keyed(caller, 'GET', '/api/v2/order/?page=0')] },
  // These ask now and then, so that others have to wait for them.
  ...[1, 3, 10].map((pauseMs) => ({
    name: `trickle-${pauseMs}ms`,
    requests: (caller: Caller) => [keyed(caller, 'GET', '/api/v2/order/?page=0')],
    connections: [1],
    pauseMs,
  })),
  {
    name: 'beyond-limit',
    requests: (caller) => [keyed(caller, 'GET', '/api/v2/order/?page=0')],
    beyondLimit: true,
  },
];

/** Makes orders, for lists and details: their ids. @throws Error when one is refused */
export async function seedOrders(caller: Caller, count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  while (ids.length < count)
    ids.push(...(await Promise.all(Array.from({ length: 50 }, (_, n) => seedOrder(caller, n)))));
  return ids;
}

async function seedOrder({ url, apiKey }: Caller, n: number): Promise<string> {
  const response = await fetch(`${url}/api/order/pay-info`, {
    method: 'POST',
    headers: { 'API-Key': apiKey, 'Content-Type': 'application/json' },
    body: orderBody(n),
  });
  const reply = (await response.json()) as { readonly data?: { readonly order_id: string } };
  if (reply.data === undefined) throw new Error(`an order was refused: ${JSON.stringify(reply)}`);
  return reply.data.order_id;
}
