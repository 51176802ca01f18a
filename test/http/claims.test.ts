import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import { eachStorage } from '../support/each-storage.ts';
import { assertError, dataOf } from '../support/http.ts';
import type { HttpClient } from '../support/http.ts';
import { startTestTill } from '../support/till.ts';
import type { TestTill } from '../support/till.ts';

const PAYEE = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
const PAGE = { ...FORM, Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

interface Promised {
  readonly id: string;
  readonly url: string;
}

/** The body of a reply of `/v1`. */
const record = <T>(reply: { readonly status: number; readonly text: string }, status: number): T => {
  assert.equal(reply.status, status, reply.text);
  return JSON.parse(reply.text) as T;
};

eachStorage((engine, open) => {
  describe(`the claim page on ${engine}`, () => {
    /** A till whose merchant has the ether of an order of 2000 USD, and has promised half an ether of it. */
    async function started(
      t: TestContext,
    ): Promise<{ till: TestTill; client: HttpClient; path: string; pull: Promised }> {
      const store = await open();
      const till = await startTestTill(store);
      const { account, apiKey } = till.merchant;
      const client = till.client.with({ Authorization: `Bearer ${apiKey}` });
      t.after(async () => {
        client.close();
        await till.close();
        await store.close();
      });
      await store.storage.accounts.update(account.id, { verifiedCurrencies: ['*'], modifiedAt: till.clock.now() });
      const order = { price: '2000', currency: 'USD', chain: 'ETH', coin: 'ETH' };
      const { id } = record<{ id: string }>(await client.post('/v1/orders', order), 201);
      await till.client.post('/sandbox/v1/pay', { order_id: id });
      await till.client.post('/sandbox/v1/blocks', { chain: 'ETH', count: 20 });
      await till.work();
      const promise = { name: '<b>Prize</b>', currency: 'ETH', amount: '0.1', reference: 'p-1' };
      const pull = record<Promised>(await client.post('/v1/pull-payments', promise), 201);
      return { till, client, pull, path: new URL(pull.url).pathname };
    }

    test('a payee claims without a script, and sees what became of it', async (t) => {
      const { till, client, path, pull } = await started(t);
      const page = await till.client.get(path);
      assert.equal(page.status, 200);
      assert.match(page.text, /&lt;b>Prize|&lt;b&gt;Prize/);
      assert.match(page.text, /<meta name="robots" content="noindex">/);
      assert.match(page.headers['content-security-policy'] ?? '', /default-src 'none'/);
      assert.equal(page.headers['referrer-policy'], 'no-referrer');
      const key = /name="key" value="([0-9a-f]{32})"/.exec(page.text)?.[1] ?? '';
      const form = `key=${key}&currency=ETH&address=${PAYEE}&amount=0%2C04`;
      const sent = await till.client.post(`${path}/claims`, form, { headers: PAGE });
      assert.equal(sent.status, 303);
      assert.equal(
        new URL(sent.headers['location'] ?? '', `${till.url.replace(/\/$/, '')}${path}/claims`).pathname,
        path,
      );
      const again = await till.client.post(`${path}/claims`, form, { headers: PAGE });
      assert.equal(again.status, 303, 'the same form is the same claim');
      const after = await till.client.get(path);
      assert.match(after.text, /0\.06 ETH/);
      assert.match(after.text, /0x7099…79C8/);
      assert.ok(!after.text.includes(PAYEE), 'whoever has the link sees no whole address');
      const { items } = record<{ items: { state: string; amount: string }[] }>(
        await client.get(`/v1/claims?pull_payment=${pull.id}`),
        200,
      );
      assert.deepEqual(
        items.map(({ state, amount }) => [state, amount]),
        [['awaiting_approval', '0.04']],
      );
    });

    test('by JSON: the state has what is left, and refusals name the field', async (t) => {
      const { till, path } = await started(t);
      const claim = (body: object) => till.client.post(`${path}/claims`, body);
      const first = { address: PAYEE, amount: '0.03', key: 'a-key-of-a-payee' };
      const state = dataOf<{ left: string; claims: object[] }>(await claim(first));
      assert.equal(state.left, '0.07');
      assert.deepEqual(dataOf(await till.client.get(`${path}/state`)), state);
      assert.deepEqual(dataOf(await claim(first)), state);
      assertError(await claim({ ...first, amount: '0.02' }), 40901);
      const wrong = await claim({ address: 'nowhere', key: 'another-key' });
      assertError(wrong, 40001);
      assert.deepEqual(
        (JSON.parse(wrong.text) as { errors: { path: string }[] }).errors.map((error) => error.path),
        ['address'],
      );
      assertError(await claim({ address: PAYEE, key: 'another-key', amount: '0.2' }), 40003);
      assertError(await claim({ address: PAYEE, key: 'another-key', amount: '-1' }), 40001);
      assertError(await claim({ address: PAYEE }), 40001);
    });

    test('a refused form goes back to the page, in the language of the payee', async (t) => {
      const { till, path } = await started(t);
      const refused = await till.client.post(`${path}/claims`, `key=a-key-of-a-payee&address=nowhere`, {
        headers: PAGE,
      });
      assert.equal(refused.status, 303);
      assert.match(refused.headers['location'] ?? '', /\?error=40001$/);
      const german = await till.client.get(`${path}?error=42200&lang=de`);
      assert.match(german.text, /Der Absender kann diesen Betrag/);
      assert.match(german.text, /lang="de"/);
      assert.match((await till.client.get(`${path}?lang=ar`)).text, /dir="rtl"/);
    });

    test('unknown pages are 404, and an archived one takes no claim', async (t) => {
      const { till, client, path, pull } = await started(t);
      for (const unknown of ['0'.repeat(32), 'x', '%00', '..%2f'])
        assert.equal((await till.client.get(`/claim/${unknown}`)).status, 404, unknown);
      assertError(await till.client.get(`/claim/${'0'.repeat(32)}/state`), 40400);
      assertError(await till.client.post('/claim/x/claims', { address: PAYEE, key: 'a-key-of-a-payee' }), 40400);
      record(await client.post(`/v1/pull-payments/${pull.id}/archive`, {}), 200);
      assert.match((await till.client.get(path)).text, /Withdrawn/);
      assertError(await till.client.post(`${path}/claims`, { address: PAYEE, key: 'a-key-of-a-payee' }), 40900);
    });

    test('claims of one page are limited in a minute', async (t) => {
      const { till, path } = await started(t);
      const statuses: number[] = [];
      for (let at = 0; at < 20; at++)
        statuses.push(
          (await till.client.post(`${path}/claims`, { address: 'nowhere', key: `key-number-${at}` })).status,
        );
      assert.ok(statuses.includes(429), statuses.join());
    });
  });
});
