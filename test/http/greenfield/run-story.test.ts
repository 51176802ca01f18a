import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import { failures } from './check-reads.ts';
import { above, among, contains, equals, has, matches } from './recorded.ts';
import type { Json, Plugin, Read } from './recorded.ts';
import { runStory } from './run-story.ts';
import type { FormPost, Mismatch } from './run-story.ts';
import { startShop } from './shop.ts';

/** A plugin with one of everything. */
const PLUGIN: Plugin = {
  ...{ name: 'A plugin', repository: 'a/plugin', commit: '0'.repeat(40), version: '1', client: 'fetch' },
  headers: { Authorization: 'token {apiKey}' },
  authorization: {
    path: '/api-keys/authorize',
    query: [
      ['permissions', 'sell'],
      ['redirect', '{shopUrl}/back?a=b'],
    ],
    returns: 'form post',
    reads: [has('apiKey', 'filled')],
    permissions: { required: ['sell'], optional: [], others: 'refused' },
    notes: [],
  },
  signature: { header: 'BTCPay-Sig', compares: 'exact', notes: [] },
  events: [{ type: 'InvoiceSettled', reads: [has('overPaid', 'boolean')], does: 'The end.' }],
  stories: [
    {
      name: 'sells',
      steps: [
        { authorize: true },
        {
          request: {
            ...{
              name: 'registers',
              method: 'POST',
              path: '/api/v1/stores/{storeId}/webhooks',
              body: { url: '{webhookUrl}?a|b' },
            },
            expect: { status: 200, reads: [has('id', 'string')], keeps: { webhookSecret: 'secret' } },
          },
        },
        {
          request: {
            ...{ name: 'sells', method: 'POST', path: '/api/v1/stores/{storeId}/invoices', query: [['a', 'b c']] },
            body: { amount: '1', checkout: { redirectURL: '{shopUrl}/{InvoiceId}' } },
            expect: {
              ...{ status: 200, reads: [equals('store', '{storeId}')] },
              keeps: { invoiceId: 'id', checkoutLink: 'link' },
            },
          },
        },
        {
          page: {
            name: 'the page',
            path: '{checkoutLink}',
            expect: { status: 200, contentType: 'html', contains: ['pay'] },
          },
        },
        { act: 'pays in full' },
        { event: 'InvoiceSettled', reads: [equals('overPaid', false)] },
      ],
    },
  ],
  former: [],
  notes: [],
};

/** What the scripted server does. */
interface Script {
  status: number;
  webhook: Json;
  store: Json;
  event: Json;
  secret: string;
  page: string;
  form: FormPost;
}
const GOOD: Script = {
  ...{ status: 200, webhook: { id: 'w', secret: 's' }, store: 'store-1', event: { overPaid: false }, secret: 's' },
  ...{ page: 'pay here', form: [['apiKey', 'key-1'] as const, ['permissions[]', 'sell:store-1'] as const] },
};

/** What the runner finds at a server that is good but for some of its script, and the requests that it sent. */
async function told(
  t: TestContext,
  changed: Partial<Script> = {},
): Promise<{ found: readonly Mismatch[]; sent: string[] }> {
  const script = { ...GOOD, ...changed };
  const shop = await startShop({ timeoutMs: 2_000 });
  t.after(() => shop.close());
  const sent: string[] = [];
  let hook = '';
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      sent.push([request.method, request.url, request.headers.authorization, body].join(' '));
      if (request.url === '/i/1') return response.writeHead(200, { 'Content-Type': 'text/html' }).end(script.page);
      if (request.url?.endsWith('/webhooks') === true) hook = (JSON.parse(body) as { url: string }).url;
      const answer =
        request.url?.endsWith('/webhooks') === true
          ? script.webhook
          : { id: 'i', link: `${url()}/i/1`, store: script.store };
      return response.writeHead(script.status, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const url = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const [story] = PLUGIN.stories;
  assert(story !== undefined);
  const found = await runStory(PLUGIN, story, {
    ...{ baseUrl: url(), apiKey: 'typed', storeId: 'typed', shop },
    async act(act, { id }) {
      assert.equal(act, 'pays in full');
      const raw = JSON.stringify({ type: 'InvoiceSettled', invoiceId: id, ...(script.event as object) });
      const mac = createHmac('sha256', script.secret).update(raw).digest('hex');
      await fetch(hook, { method: 'POST', headers: { 'BTCPay-Sig': `sha256=${mac}` }, body: raw });
    },
    work: async () => {},
    authorize: async (link) => ({ to: new URL(link).searchParams.get('redirect') ?? '', form: script.form }),
  });
  return { found, sent };
}

describe('a story that is told to a server', () => {
  test('sends what was recorded, with its placeholders filled, and finds nothing where all is there', async (t) => {
    const { found, sent } = await told(t);
    assert.deepEqual(found, []);
    assert.match(
      sent[0] ?? '',
      /^POST \/api\/v1\/stores\/store-1\/webhooks token key-1 \{"url":"http:\/\/127\.0\.0\.1:\d+\/events\/\d+\?a\|b"\}$/,
    );
    assert.match(
      sent[1] ?? '',
      /^POST \/api\/v1\/stores\/store-1\/invoices\?a=b\+c token key-1 .*\/\{InvoiceId\}"\}\}$/,
    );
    assert.match(sent[2] ?? '', /^GET \/i\/1 /);
  });

  const wrong: [title: string, Partial<Script>, RegExp][] = [
    [
      'another status than the one that the plugin compares with',
      { status: 201 },
      /status 200 is needed, but it is 201/,
    ],
    ['a field of another type', { webhook: { id: 1, secret: 's' } }, /id: "string" is needed, but it is 1/],
    ['a secret that is not there', { webhook: { id: 'w' } }, /need a text for webhookSecret/],
    ['another store', { store: 'store-2' }, /"store-1" is needed, but it is "store-2"/],
    ['an event without what it reads', { event: {} }, /overPaid: "boolean" is needed, but it is missing/],
    ['an event with another value', { event: { overPaid: true } }, /overPaid: false is needed, but it is true/],
    ['an event that is signed with another secret', { secret: 'other' }, /BTCPay-Sig is not the HMAC/],
    ['a page with nothing on it', { page: '' }, /it has no pay/],
    [
      'a permission too many',
      { form: [...GOOD.form, ['permissions[]', 'more:store-1'] as const] },
      /more was not asked for/,
    ],
    [
      'a permission that is missing',
      {
        form: [
          ['apiKey', 'key-1'],
          ['permissions[]', 'other:store-1'],
        ],
      },
      /sell is missing/,
    ],
    ['no key', { form: [['permissions[]', 'sell:store-1']] }, /no key of a store came back/],
  ];
  for (const [title, changed, what] of wrong)
    test(`finds ${title}`, async (t) => {
      const { found } = await told(t, changed);
      assert(
        found.some((mismatch) => what.test(mismatch.what)),
        JSON.stringify(found),
      );
    });

  test('says which event did not come, and what came instead', async (t) => {
    const shop = await startShop({ timeoutMs: 50 });
    t.after(() => shop.close());
    await fetch(`${shop.url}/here`, { method: 'POST', body: '{"type":"InvoiceCreated"}' });
    await assert.rejects(
      shop.next({ type: 'InvoiceSettled', invoiceId: 'i', pathname: '/here' }),
      /InvoiceSettled of i at \/here; there came InvoiceCreated at \/here/,
    );
  });
});

describe('a read', () => {
  const answer = {
    text: 'a',
    digits: '12',
    decimal: '1.50',
    whole: 3,
    yes: true,
    none: null,
    list: [{ n: '0' }, { n: '2.5' }],
    empty: [],
    object: { a: 1 },
  };
  const holds: Read[] = [
    ...[
      has('', 'object'),
      has('text', 'string'),
      has('digits', 'whole'),
      has('whole', 'whole'),
      has('decimal', 'decimal'),
      has('none', 'present'),
    ],
    ...[has('yes', 'boolean'), has('list', 'array'), has('object', 'filled'), has('list[1].n', 'decimal')],
    ...[
      equals('object', { a: 1 }),
      among('text', 'b', 'a'),
      matches('text', '^a$'),
      contains('decimal', '.5'),
      above('decimal', 1.4),
      above('list[?].n', 2),
    ],
    has('list[].n', 'decimal'),
  ];
  for (const read of holds)
    test(`holds: ${JSON.stringify(read)}`, () => assert.deepEqual(failures(answer, [read]), []));
  const fails: Read[] = [
    ...[
      has('none', 'filled'),
      has('empty', 'filled'),
      has('whole', 'string'),
      has('whole', 'decimal'),
      has('decimal', 'whole'),
      has('gone', 'present'),
    ],
    ...[
      has('text', 'boolean'),
      has('object', 'array'),
      has('list', 'object'),
      has('empty[]', 'present'),
      has('empty[?]', 'present'),
      has('text[]', 'string'),
    ],
    ...[
      equals('text', 'b'),
      among('text', 'b'),
      matches('text', '^b'),
      contains('text', 'b'),
      above('list[].n', 1),
      above('list[?].n', 3),
      has('list[2].n', 'string'),
    ],
    ...[has('text.more', 'present'), has('yes', 'integer')],
  ];
  for (const read of fails)
    test(`does not hold: ${JSON.stringify(read)}`, () => assert.equal(failures(answer, [read]).length, 1));
});
