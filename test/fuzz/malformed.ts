import type { Seeded } from './seeded.ts';

/** What requests are made from. */
export interface Ingredients {
  readonly apiKey: string;
  readonly apiToken: string;
  readonly host: string;
}

interface Draft {
  method: string;
  target: string;
  version: string;
  headers: [name: string, value: string][];
  body: Buffer;
}

const PRINTABLE = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~!*\'();:@&=+$,/?#[]%|\\^`{}<>"';
const GETS = [
  '/api/v2/order/',
  '/api/v2/order/detail/1234567890123456789',
  '/api/v2/order/refund-info/1',
  '/api/v2/tx',
  '/api/order/pay/crypto-currency',
  '/api/order/pay/real-currency',
  '/api/contract/balance',
  '/api/wallets',
  '/api/bln/balance',
  '/openapi.json',
  '/livez',
  '/metrics',
  '/manage/v1/accounts',
  '/manage/v1/apps/1',
  '/manage/v1/gateways',
  '/checkout/abc',
];
const POSTS = [
  '/api/order/pay-url',
  '/api/order/pay-info',
  '/api/v2/order/refund/1234567890123456789',
  '/api/withdraw',
  '/api/bln/order',
  '/api/bln/withdraw',
  '/api/plugin/key/service',
  '/manage/v1/session',
  '/manage/v1/accounts',
  '/checkout/abc/choice',
  '/sandbox/v1/pay',
  '/sandbox/v1/blocks',
];
const NUMBERS = [
  '1',
  '0',
  '-1',
  '1e400',
  '-0',
  '1e-400',
  '0.1',
  '123456789.123456789',
  '1E+2',
  '01',
  '.5',
  '5.',
  '+1',
  '0x10',
  'NaN',
  'Infinity',
  '-Infinity',
  '1_000',
  '9007199254740993',
  '115792089237316195423570985008687907853269984665640564039457584007913129639936',
  '1e308',
  '"1"',
  '"-1"',
  '"1e3"',
  'null',
  'true',
  '[]',
  '{}',
  '""',
  '"0.000000000000000000000000000000000001"',
  '9'.repeat(400),
  `0.${'3'.repeat(400)}`,
];
const VALUES = [
  ...NUMBERS,
  '"USD"',
  '"ETH"',
  '"\\u0000"',
  '"\\ud800"',
  `"${'x'.repeat(3_000)}"`,
  '"javascript:alert(1)"',
  '"http://[::ffff:127.0.0.1]/"',
  '"https://shop.example/paid"',
  '"\u202e"',
  '{"__proto__":{}}',
];
const FIELDS = [
  'price',
  'currency',
  'chain',
  'vs_currency',
  'vs_price',
  'amount',
  'ln_invoices',
  'verify_code',
  'succeed_url',
  'timeout_url',
  'callback_url',
  'timeout_callback',
  'fixed_encrypt_price',
  'enable_post_callback',
  'username',
  'password',
  'email',
  'totp',
  'order_id',
  'count',
  '__proto__',
  'constructor',
  'toString',
  '',
];
const QUERIES = [
  'page=-1',
  'page=NaN',
  'size=1e9',
  'size=0',
  'page=1&page=2',
  'page[]=1',
  'page=%00',
  'size=%ff',
  'page',
  '=',
  '&&&',
  'page=9999999999999999999999',
  '__proto__[x]=1',
  'x=|y',
  '%',
  'page=1%',
];

const requestOf = ({ method, target, version, headers, body }: Draft): Buffer =>
  Buffer.concat([
    Buffer.from(
      `${method} ${target} ${version}\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
      'latin1',
    ),
    body,
  ]);

function draft(random: Seeded, { apiKey, host }: Ingredients): Draft {
  const method = random.oneIn(10)
    ? random.pick(['PATCH', 'DELETE', 'HEAD', 'PUT', 'OPTIONS'])
    : random.pick(['GET', 'POST', 'POST']);
  const body = method === 'GET' || method === 'HEAD' ? Buffer.alloc(0) : json(random);
  const headers: [string, string][] = [
    ['Host', host],
    ['API-Key', apiKey],
    ['Connection', 'close'],
  ];
  if (body.length > 0) headers.push(['Content-Type', 'application/json'], ['Content-Length', String(body.length)]);
  return {
    method,
    target:
      random.pick(random.oneIn(10) ? [...GETS, ...POSTS] : method === 'POST' ? POSTS : GETS) +
      (random.oneIn(3) ? `?${random.pick(QUERIES)}` : ''),
    version: 'HTTP/1.1',
    headers,
    body,
  };
}

function json(random: Seeded): Buffer {
  const fields = Array.from(
    { length: random.below(9) },
    () => `${JSON.stringify(random.pick(FIELDS))}:${random.pick(VALUES)}`,
  );
  return Buffer.from(`{${fields.join(',')}}`);
}

const withBody =
  (edit: (random: Seeded, body: Buffer) => Buffer) =>
  (random: Seeded, request: Draft): void => {
    request.body = edit(random, request.body);
    if (!random.oneIn(4))
      request.headers = request.headers.map(([name, value]) =>
        name === 'Content-Length' ? [name, String(request.body.length)] : [name, value],
      );
  };
const header =
  (make: (random: Seeded, request: Draft) => [string, string]) =>
  (random: Seeded, request: Draft): void =>
    void request.headers.push(make(random, request));
const instead =
  (name: string, make: (random: Seeded, value: string) => string) =>
  (random: Seeded, request: Draft): void => {
    request.headers = request.headers.map(([key, value]) => (key === name ? [key, make(random, value)] : [key, value]));
  };

/** What is made wrong with a request; several at once, often. */
const MUTATIONS: readonly ((random: Seeded, request: Draft, ingredients: Ingredients) => void)[] = [
  withBody((random, body) => body.subarray(0, random.below(body.length + 1))),
  withBody((random) => random.bytes(random.below(200))),
  withBody((random) => Buffer.from('['.repeat(1 + random.below(20_000)))),
  withBody((random) => Buffer.from(`{"a":`.repeat(1 + random.below(3_000)))),
  withBody((_random, body) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), body])),
  withBody((_random, body) => Buffer.concat([body, body])),
  withBody((random, body) =>
    Buffer.from(body.toString('latin1').replace(/"(\w+)":/, `"$1":${random.pick(NUMBERS)},"$1":`), 'latin1'),
  ),
  withBody((random) =>
    Buffer.from(
      `{"price":${random.pick(NUMBERS)},"currency":"USD","vs_price":${random.pick(NUMBERS)},"vs_currency":"USD","chain":"ETH","amount":${random.pick(NUMBERS)}}`,
    ),
  ),
  withBody((_random, body) => Buffer.from(body.toString('utf8'), 'utf16le')),
  instead('Content-Type', (random) =>
    random.pick([
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/json; charset=utf-16',
      'application/json;charset=',
      'multipart/form-data; boundary=x',
      '',
      'application/json, text/html',
      'a/b/c',
    ]),
  ),
  instead('Content-Length', (random, value) =>
    random.pick(['-1', '0', '1e3', ' ', `${value}0`, '99999999999999999999', 'abc', `${value}, ${value}`, '+5']),
  ),
  instead('API-Key', (random) => random.pick(['', 'x', random.text(random.below(300), PRINTABLE), 'tgk_', 'é'])),
  instead('Host', (random) =>
    random.pick(['', 'a b', '[::1', 'x:99999', 'localhost,localhost', '..', random.text(40, PRINTABLE)]),
  ),
  instead('Connection', (random) =>
    random.pick(['keep-alive, close', 'Upgrade, close', 'close, API-Key', 'te, close']),
  ),
  header(() => ['Transfer-Encoding', 'chunked']),
  header((random) => [
    'Transfer-Encoding',
    random.pick(['gzip', 'chunked, chunked', 'xchunked', ' chunked', 'identity']),
  ]),
  header(() => ['Content-Encoding', 'gzip']),
  header((random) => ['Expect', random.pick(['100-continue', '200-ok', ''])]),
  header((random) => ['Upgrade', random.pick(['websocket', 'h2c', 'x'])]),
  header((random) => [
    random.pick([
      'API-Key',
      'Authorization',
      'Host',
      'Content-Type',
      'Content-Length',
      'Date',
      'Signature',
      'API-Token',
    ]),
    random.text(random.below(60), PRINTABLE),
  ]),
  header((random) => [random.text(1 + random.below(30), PRINTABLE), random.text(random.below(100), PRINTABLE)]),
  header((random) => ['X-Long', 'y'.repeat(random.pick([1_000, 15_000, 20_000]))]),
  header((random) => ['X-Bytes', random.bytes(random.below(30)).toString('latin1')]),
  header((random) => ['Idempotency-Key', random.pick(['', 'x'.repeat(255), 'x'.repeat(256), '\u0001', 'ä', 'a, b'])]),
  header((random) => ['X-Forwarded-For', random.pick(['1.2.3.4', '::1', ',,,', 'x'.repeat(500)])]),
  (random, request, { apiToken }) => {
    const date = random.pick([`${new Date().toISOString().slice(0, 19)}Z`, 'now', '2026-13-45T99:99:99Z', '']);
    const signature = random.pick([
      random.bytes(32).toString('base64'),
      random.bytes(31).toString('base64'),
      '',
      '====',
      random.text(44, PRINTABLE),
    ]);
    request.headers.push(
      ['API-Token', apiToken],
      ['Algorithm', random.pick(['HMAC-SHA256', 'HMAC-SHA3_256', 'none', '__proto__'])],
      ['Date', date],
      ['Body-MD5', random.text(32, '0123456789abcdefX')],
      ['Signature', signature],
    );
    request.headers = request.headers.filter(([name]) => name !== 'API-Key');
  },
  (random, request) => {
    request.headers = request.headers.filter(() => random.oneIn(2));
  },
  (random, request) => {
    request.target = random.pick([
      '*',
      '//',
      '/..',
      '/../../etc/passwd',
      '/%2e%2e/',
      '/%',
      '/%zz',
      '/%00',
      '/\\',
      'http://x/api/wallets',
      'x',
      '',
      `/${'a'.repeat(random.pick([2_000, 9_000, 17_000]))}`,
      '/api//wallets',
      '/api/wallets/',
      '/API/wallets',
      '/api/wallets#x',
      '/api/wallets;x',
    ]);
  },
  (random, request) => {
    request.target = request.target.replace(/\d+$/, () =>
      random.pick(['0', '-1', '9'.repeat(40), '%31', '1.5', 'x', '1%00', "1'or'1"]),
    );
  },
  (random, request) => {
    request.target += `?${random.text(random.below(60), PRINTABLE)}`;
  },
  (random, request) => {
    request.target = `/${random.text(random.below(60), PRINTABLE)}`;
  },
  (random, request) => {
    request.method = random.pick([
      'get',
      'TRACE',
      'CONNECT',
      'PROPFIND',
      'G E T',
      '',
      'POST ',
      'X'.repeat(100),
      '\u0000',
      'PRI',
    ]);
  },
  (random, request) => {
    request.version = random.pick(['HTTP/1.0', 'HTTP/0.9', 'HTTP/2.0', 'HTTP/1.1 ', 'http/1.1', 'HTTP/9', '']);
  },
];

/** A request that is wrong in some way, as bytes. */
export function malformed(random: Seeded, ingredients: Ingredients): Buffer {
  const request = draft(random, ingredients);
  for (let count = 1 + random.below(3); count > 0; count--) random.pick(MUTATIONS)(random, request, ingredients);
  const bytes = requestOf(request);
  if (!random.oneIn(6)) return bytes;
  const spoilt = Buffer.from(bytes);
  for (let count = 1 + random.below(4); count > 0; count--) spoilt[random.below(spoilt.length)] = random.below(256);
  return random.oneIn(3) ? spoilt.subarray(0, random.below(spoilt.length)) : spoilt;
}
