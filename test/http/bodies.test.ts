import { after, before, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { assertError, dataOf, envelope } from '../support/http.ts';
import { startFakeEdge } from './fake-edge.ts';
import type { FakeEdge } from './fake-edge.ts';

const PAY_INFO = '/api/order/pay-info';
const BODY = { chain: 'ETH', currency: 'USDT-ERC20', vs_currency: 'USD', vs_price: 25 };
/** A good body with the price in these characters. */
const priced = (price: string): string =>
  `{"chain":"ETH","currency":"USDT-ERC20","vs_currency":"USD","vs_price":${price}}`;
const JSON_TYPE = { 'Content-Type': 'application/json' };

describe('bodies', () => {
  let edge: FakeEdge;
  before(async () => {
    edge = await startFakeEdge();
  });
  after(() => edge.close());

  const post = (body: string | Uint8Array, headers: Record<string, string> = JSON_TYPE) =>
    edge.client.post(PAY_INFO, body, { headers });
  const lastPrice = () => edge.asked.inCoin.at(-1)?.input.vsPrice;

  test('fault 45: a price is read from its own digits, as a JSON number or as a decimal in a string', async () => {
    const cases: [string, bigint, number][] = [
      ['0.1', 1n, 1],
      ['25', 25n, 0],
      ['25.50', 255n, 1],
      ['"25.50"', 255n, 1],
      ['1e2', 100n, 0],
      ['1.25E+1', 125n, 1],
      ['99e-2', 99n, 2],
      ['90071992547409.93', 9007199254740993n, 2],
      ['"9007199254740993"', 9007199254740993n, 0],
    ];
    for (const [text, digits, scale] of cases) {
      dataOf(await post(priced(text)));
      assert.deepEqual(lastPrice(), { digits, scale }, text);
    }
  });

  test('fault 45: what is no positive decimal, or has more decimals than its fiat, is 40001 and reaches nobody', async () => {
    const asked = edge.asked.inCoin.length;
    const bad = [
      '-1',
      '0',
      '0.00',
      '-0',
      '1e400',
      '1e-400',
      '1e-8',
      '123456789.123456789',
      '0.001',
      '"1e2"',
      '"-1"',
      '"+1"',
      '" 1"',
      '"1."',
      '".5"',
      '""',
    ];
    bad.push(
      '"0x10"',
      '"١"',
      '"NaN"',
      '"Infinity"',
      'true',
      'null',
      '[]',
      '{}',
      '[25]',
      '{"value":"25"}',
      '9'.repeat(100),
      `"${'9'.repeat(100)}"`,
    );
    for (const text of bad) {
      const { errors } = assertError(await post(priced(text)), 40001);
      assert.deepEqual(
        errors?.map(({ path }) => path),
        ['vs_price'],
        text,
      );
    }
    assert.equal(edge.asked.inCoin.length, asked);
  });

  test('every missing and invalid field is listed, unknown ones are ignored', async () => {
    const { errors } = assertError(await edge.client.post(PAY_INFO, {}), 40001);
    assert.deepEqual(
      errors,
      ['chain', 'currency', 'vs_currency', 'vs_price'].map((path) => ({
        path,
        message: path === 'vs_price' ? errors?.[3]?.message : 'is required',
      })),
    );
    assert.equal(errors?.[3]?.message, 'is required');
    const wrong = {
      ...BODY,
      chain: 5,
      vs_price: '1.234',
      fixed_encrypt_price: 'yes',
      enable_post_callback: 1,
      timeout_url: 7,
      callback_url: '/relative',
    };
    const found = assertError(await edge.client.post(PAY_INFO, wrong), 40001)
      .errors?.map(({ path }) => path)
      .sort();
    assert.deepEqual(found, [
      'callback_url',
      'chain',
      'enable_post_callback',
      'fixed_encrypt_price',
      'timeout_url',
      'vs_price',
    ]);
    dataOf(await edge.client.post(PAY_INFO, { ...BODY, unknown: { deep: [1, null] } }));
  });

  test('JSON that is no object is 40001; what is no JSON is 40000', async () => {
    for (const text of ['[]', 'null', '1', '"x"', 'true', '[{}]']) assertError(await post(text), 40001);
    for (const text of [
      '{',
      '{"a":1,}',
      "{'a':1}",
      '{"a":01}',
      '{"a":.5}',
      '{"a":+1}',
      'NaN',
      '{"a":Infinity}',
      '{"a":"\n"}',
      '{"a":1}x',
      '// {}\n{}',
      'undefined',
      ' ',
    ]) {
      assertError(await post(text), 40000);
    }
    assertError(await edge.client.request('POST', PAY_INFO), 40000);
  });

  test('fault 69: repeated members are 40000, equal or not, escaped or nested', async () => {
    for (const text of [
      '{"a":1,"a":2}',
      '{"a":1,"a":1}',
      '{"a":"x","\\u0061":"x"}',
      '{"a":{"b":[{"c":1,"c":1}]}}',
      '{"":1,"":1}',
    ]) {
      assertError(await post(text), 40000);
    }
    dataOf(await post(`${priced('25').slice(0, -1)},"a":{"a":"a: {\\"a\\""},"b":[{"a":1},{"a":1}]}`));
  });

  test('fault 69: __proto__ is 40000 in every spelling, and no prototype is touched', async () => {
    for (const text of [
      '{"__proto__":{"polluted":1}}',
      '{"a":{"__proto__":1}}',
      '{"\\u005f_proto__":null}',
      '[{"__proto__":[]}]',
    ]) {
      assertError(await post(text), 40000);
    }
    const shadowing = `${priced('25').slice(0, -1)},"constructor":{"prototype":{"polluted":1}},"toString":1,"hasOwnProperty":null}`;
    dataOf(await post(shadowing));
    assert.equal(({} as { polluted?: unknown }).polluted, undefined);
  });

  test('fault 69: deep nesting is 40000, however deep', async () => {
    assertError(await post('['.repeat(17) + ']'.repeat(17)), 40000);
    assertError(await post('['.repeat(60_000)), 40000);
    assertError(await post('{"a":'.repeat(10_000)), 40000);
    assertError(await post(`{"a":"${'['.repeat(60_000)}`), 40000);
    dataOf(await post(`${priced('25').slice(0, -1)},"text":"${'[{'.repeat(1000)}"}`));
  });

  test('invalid UTF-8, a byte order mark and half surrogates are 40000', async () => {
    const json = (bytes: number[]) => Buffer.concat([Buffer.from('{"chain":"'), Buffer.from(bytes), Buffer.from('"}')]);
    for (const bytes of [[0xff], [0xc3, 0x28], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80]])
      assertError(await post(json(bytes)), 40000);
    assertError(await post(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(JSON.stringify(BODY))])), 40000);
    assertError(await post(Buffer.from(JSON.stringify(BODY), 'utf16le')), 40000);
    for (const text of ['{"a":"\\ud800"}', '{"\\udc00":1}', '{"a":["\\ud800\\ud800"]}'])
      assertError(await post(text), 40000);
    dataOf(await edge.client.post(PAY_INFO, { ...BODY, note: '😀' }));
  });

  test('control characters in a field are 40001', async () => {
    assertError(await edge.client.post(PAY_INFO, { ...BODY, chain: 'ETH\0' }), 40001);
    assertError(await edge.client.post('/api/plugin/key/service', { username: 'a\0@b.c', password: 'x' }), 40001);
  });

  test('fault 7: compressed, other-charset, form and untyped bodies are 41500', async () => {
    const body = JSON.stringify(BODY);
    const refused: Record<string, string>[] = [
      { ...JSON_TYPE, 'Content-Encoding': 'gzip' },
      { ...JSON_TYPE, 'Content-Encoding': 'identity, br' },
      { 'Content-Type': 'application/json; charset=latin1' },
      { 'Content-Type': 'application/json; charset=utf-16' },
      { 'Content-Type': 'application/json; charset=utf-8; charset=latin1' },
      { 'Content-Type': 'application/x-www-form-urlencoded' },
      { 'Content-Type': 'multipart/form-data; boundary=x' },
      { 'Content-Type': 'text/plain' },
      { 'Content-Type': 'application/jsonp' },
      { 'Content-Type': '__proto__' },
      { 'Content-Type': '' },
    ];
    for (const headers of refused) assertError(await post(body, headers), 41500);
    for (const type of [
      'application/json',
      'Application/JSON;charset="UTF-8"',
      'application/json ; charset=utf8',
      'application/json; version=1',
    ]) {
      dataOf(await post(body, { 'Content-Type': type, 'Content-Encoding': 'identity' }));
    }
  });

  test('fault 69: a body over 64 KiB is 41300, exactly 64 KiB is read', async () => {
    const padded = (length: number): string =>
      `${JSON.stringify(BODY)}${' '.repeat(length - JSON.stringify(BODY).length)}`;
    dataOf(await post(padded(65_536)));
    assertError(await post(padded(65_537)), 41300);
    assertError(await post('x'.repeat(3_000_000)), 41300);
  });

  test('merchant URLs: fault 37: http and https only, without credentials, at most 2048 characters', async () => {
    const fields = ['succeed_url', 'timeout_url', 'callback_url', 'timeout_callback'];
    const bad = [
      'javascript:alert(1)',
      'JAVASCRIPT:alert(1)',
      'java\tscript:alert(1)',
      'data:text/html,x',
      'file:///etc/passwd',
      'ftp://x.example/',
      '//x.example/',
      'x',
      '',
      'https://u:p@x.example/',
      `https://x.example/${'a'.repeat(2048)}`,
    ];
    for (const url of bad) {
      const body = { ...BODY, ...Object.fromEntries(fields.map((field) => [field, url])) };
      const { errors } = assertError(await edge.client.post(PAY_INFO, body), 40001);
      assert.deepEqual(errors?.map(({ path }) => path).sort(), [...fields].sort(), url);
    }
    const links = Object.fromEntries(fields.map((field) => [field, `https://shop.example/${field}?a=b%20c`]));
    dataOf(
      await edge.client.post(PAY_INFO, { ...BODY, ...links, fixed_encrypt_price: true, enable_post_callback: true }),
    );
    const input = edge.asked.inCoin.at(-1)?.input;
    assert.equal(input?.links?.timeoutCallback, 'https://shop.example/timeout_callback?a=b%20c');
    assert.equal(input.links?.succeedUrl, 'https://shop.example/succeed_url?a=b%20c');
    assert.equal(input.fixedEncryptPrice, true);
    assert.equal(input.enablePostCallback, true);
  });

  test('fault 30: a callback to a literal private address is 40001, a redirect to one is the payer’s business', async () => {
    for (const host of ['127.0.0.1', '2130706433', '[::1]', '[::ffff:10.0.0.1]', '169.254.169.254', 'localhost']) {
      const { errors } = assertError(
        await edge.client.post(PAY_INFO, {
          ...BODY,
          callback_url: `http://${host}/`,
          timeout_callback: `http://${host}/`,
        }),
        40001,
      );
      assert.deepEqual(
        errors?.map(({ path }) => path),
        ['callback_url', 'timeout_callback'],
        host,
      );
    }
    dataOf(await edge.client.post(PAY_INFO, { ...BODY, succeed_url: 'http://localhost:3000/thanks' }));
  });

  test('fault 30: a callback to a host that is not of the operator’s list is 40001, a redirect to one is the payer’s business', async () => {
    const listed = await startFakeEdge({ settings: { callbackHosts: ['*.shop.example'] } });
    try {
      const order = (host: string) =>
        listed.client.post(PAY_INFO, {
          ...BODY,
          callback_url: `https://${host}/paid`,
          timeout_callback: `https://${host}/late`,
        });
      dataOf(await order('a.shop.example'));
      const { errors } = assertError(await order('a.shop.example:8443'), 40001);
      assert.deepEqual(
        errors?.map(({ path, message }) => [path, message]),
        ['callback_url', 'timeout_callback'].map((path) => [
          path,
          'must have a host that the setting callbacks.hosts allows',
        ]),
      );
      assertError(await order('shop.example.evil.example'), 40001);
      dataOf(await listed.client.post(PAY_INFO, { ...BODY, succeed_url: 'https://other.example/thanks' }));
    } finally {
      await listed.close();
    }
  });

  test('pay-url takes its own field names and answers with the link', async () => {
    const data = dataOf<{ pay_url: string }>(
      await edge.client.post('/api/order/pay-url', { price: '12.5', currency: 'EUR' }),
    );
    assert.match(data.pay_url, /^https:\/\/till\.example\/checkout\//);
    assert.deepEqual(edge.asked.hosted.at(-1)?.input.vsPrice, { digits: 125n, scale: 1 });
    const { errors } = assertError(
      await edge.client.post('/api/order/pay-url', { price: 1.5, currency: 'JPY' }),
      40001,
    );
    assert.deepEqual(
      errors?.map(({ path }) => path),
      ['price'],
    );
  });

  test('Idempotency-Key: at most 255 characters; the claim covers route and body for 24 hours', async () => {
    const keyed = (key: string | string[]) =>
      edge.client.post('/api/order/pay-url', { price: 1, currency: 'USD' }, { headers: { 'Idempotency-Key': key } });
    dataOf(await keyed('k'.repeat(255)));
    const claim = edge.asked.hosted.at(-1)?.idempotency;
    assert.equal(claim?.route, '/api/order/pay-url');
    assert.equal(claim.key, 'k'.repeat(255));
    assert.match(claim.bodyHash, /^[0-9a-f]{64}$/);
    assert.equal(claim.expiresAt, edge.deps.clock.now() + 86_400_000);
    assertError(await keyed('k'.repeat(256)), 40001);
    assertError(await keyed(''), 40001);
    assertError(await keyed(['a', 'b']), 40000);
  });

  test('3,000 bodies of any kind: 4xx or a fine order, never a 500', async () => {
    const fieldNames = fc.constantFrom(
      'chain',
      'currency',
      'vs_currency',
      'vs_price',
      'callback_url',
      'enable_post_callback',
      '__proto__',
      'constructor',
      'a',
    );
    const values = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom('ETH', 'USDT-ERC20', 'USD', 25, '25', 'https://x.example/'),
      fc.double(),
      fc.bigInt().map(String),
    );
    const documents = fc.dictionary(fieldNames, values).map((value) => JSON.stringify(value));
    const broken = fc.tuple(documents, fc.nat(), fc.string({ unit: 'binary' })).map(([text, at, junk]) => {
      const cut = text.length === 0 ? 0 : at % text.length;
      return `${text.slice(0, cut)}${junk}${text.slice(cut)}`;
    });
    const bytes = fc.uint8Array({ maxLength: 200 });
    const bodies = fc.oneof(documents, broken, fc.string({ unit: 'binary' }), bytes, fc.json());
    const send = async (body: string | Uint8Array): Promise<void> => {
      const reply = await post(body);
      const { code } = envelope(reply);
      assert(code === 0 || (reply.status >= 400 && reply.status < 500), reply.text);
      assert.equal(({} as { polluted?: unknown }).polluted, undefined);
    };
    const batches = fc.array(bodies, { minLength: 10, maxLength: 10 });
    const property = fc.asyncProperty(batches, async (batch) => {
      await Promise.all(batch.map(send));
    });
    await fc.assert(property, { numRuns: 300 });
    assert(edge.logger.lines.every(({ level }) => level !== 'error'));
  });
});
