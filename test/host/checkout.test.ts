import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { createHost } from '../../host/index.ts';
import type { Host } from '../../host/index.ts';
import { noBranding } from '../../core/index.ts';
import type { AccountId, Branding } from '../../core/index.ts';
import { png } from '../support/pictures.ts';
import { waitFor } from '../support/wait.ts';
import { Merchant } from './merchant.ts';
import { freshDirectory } from './till-process.ts';

interface Page {
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
}

/** Addresses are shown in groups. */
const whole = (html: string): string => html.replaceAll(/<\/?(?:b|span)>/g, '');

describe("the payer's page", () => {
  const directory = freshDirectory();
  let host: Host;
  let url: string;
  let merchant: Merchant;

  before(async () => {
    host = createHost(
      {
        mode: 'sandbox',
        listen: { port: 0 },
        orders: { timeoutSeconds: 600 },
        plugins: [{ use: 'sandbox', options: { confirmations: 2 } }],
      },
      { directory: directory.path },
    );
    await host.start();
    url = host.url.replace('localhost', '127.0.0.1');
    assert.ok(host.demo !== null);
    merchant = new Merchant(url, host.demo);
  });
  after(async () => {
    await host.stop();
    directory.remove();
  });

  async function hosted(more: Readonly<Record<string, unknown>> = {}): Promise<string> {
    const { data, message } = await merchant.call('POST', '/api/order/pay-url', {
      price: 12.5,
      currency: 'EUR',
      ...more,
    });
    assert.equal(message, 'ok');
    return new URL(String(data['pay_url'])).pathname;
  }

  async function get(path: string, cookie = ''): Promise<Page> {
    const reply = await fetch(`${url}${path}`, { headers: { Accept: 'text/html', Cookie: cookie } });
    return { status: reply.status, headers: reply.headers, html: await reply.text() };
  }

  async function stateOf(path: string): Promise<Readonly<Record<string, string>>> {
    return ((await (await fetch(`${url}${path}/state`)).json()) as { data: Record<string, string> }).data;
  }

  async function post(path: string, form: Readonly<Record<string, string>>, cookie = ''): Promise<Response> {
    return fetch(`${url}${path}`, {
      method: 'POST',
      headers: { Accept: 'text/html', Cookie: cookie },
      body: new URLSearchParams(form),
      redirect: 'manual',
    });
  }

  async function orderOf(path: string): Promise<string> {
    const order = await host.till.storage.orders.findByCheckoutToken(path.split('/').at(-1) ?? '');
    return order?.id ?? '';
  }

  test('offers every coin with its amount, under a policy that lets nothing but its own script and style in', async () => {
    const { status, headers, html } = await get(await hosted());
    assert.equal(status, 200);
    assert.match(html, /^<!doctype html><html lang="en" dir="ltr">/);
    for (const currency of ['ETH', 'USDT-ERC20', 'BTC', 'LTC', 'BNB', 'USDT-TRC20'])
      assert.ok(html.includes(`value="${currency}"`), currency);
    assert.match(html, />13\.5 <span/, '12.50 EUR at 1.08 is 13.5 USDT');
    assert.ok(!/javascript:|\son\w+=|<style>|<script>/i.test(html), 'nothing runs from inside the page');
    const policy = headers.get('content-security-policy') ?? '';
    const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? '';
    assert.ok(policy.startsWith("default-src 'none'; ") && !policy.includes('unsafe') && nonce.length >= 22, policy);
    assert.equal(html.split(`nonce="${nonce}"`).length, 3, 'the script and the style');
    assert.notEqual(
      /'nonce-([^']+)'/.exec((await get(await hosted())).headers.get('content-security-policy') ?? '')?.[1],
      nonce,
      'of one reply alone',
    );
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.equal(headers.get('referrer-policy'), 'no-referrer');
  });

  test('its script has a name of its own content, is kept for ever, and is what the page says it is', async () => {
    const { html } = await get(await hosted());
    const files = [...html.matchAll(/(?:href|src)="(assets\/[^"]+)" integrity="sha256-([^"]+)"/g)];
    assert.equal(files.length, 1);
    assert.doesNotMatch(html, /rel="stylesheet"/, 'its style costs no request');
    const [, style = ''] = /<style[^>]*>([^<]+)<\/style>/.exec(html) ?? [];
    assert.ok(style.length > 5000 && !/url\(|@import|https?:\/\//.test(style), 'its style asks nobody for anything');
    for (const [, path, integrity] of files) {
      const reply = await fetch(`${url}/checkout/${path ?? ''}`);
      const body = Buffer.from(await reply.arrayBuffer());
      assert.equal(reply.headers.get('cache-control'), 'public, max-age=31536000, immutable');
      assert.equal(createHash('sha256').update(body).digest('base64'), integrity);
      assert.doesNotMatch(body.toString(), /https?:\/\//, 'asks nobody else for anything');
    }
    assert.equal((await fetch(`${url}/checkout/assets/nothing.js`)).status, 404);
  });

  test('nothing secret is in the page: neither the merchant, nor its callbacks, nor another order', async () => {
    const path = await hosted({
      callback_url: 'https://shop.example/secret-callback',
      timeout_callback: 'https://shop.example/secret-late',
    });
    await post(`${path}/choice`, { chain: 'ETH', currency: 'USDT-ERC20' });
    const { html } = await get(path);
    for (const secret of ['secret-callback', 'secret-late', host.demo?.account_id ?? '?', host.demo?.api_key ?? '?'])
      assert.ok(!html.includes(secret), secret);
    assert.match(path, /^\/checkout\/[0-9a-f]{32}$/, 'a token of 128 bits');
  });

  test('speaks the language that was chosen, else the one that the browser asks for', async () => {
    const path = await hosted();
    const inGerman = await fetch(`${url}${path}`, { headers: { 'Accept-Language': 'de-AT' } });
    assert.equal(inGerman.headers.get('content-language'), 'de');
    assert.match(await inGerman.text(), /<html lang="de" dir="ltr">/);
    const chosen = await fetch(`${url}${path}?lang=ar`, { headers: { 'Accept-Language': 'de' } });
    assert.match(await chosen.text(), /<html lang="ar" dir="rtl">/);
    const cookie = chosen.headers.get('set-cookie') ?? '';
    assert.match(cookie, /^tillgate_language=ar; Max-Age=\d+; SameSite=Lax; HttpOnly$/);
    const kept = await fetch(`${url}${path}`, {
      headers: { 'Accept-Language': 'de', Cookie: `a=b; ${cookie.split(';')[0] ?? ''}` },
    });
    assert.equal(kept.headers.get('content-language'), 'ar');
  });

  test('leads from the choice by the address, the QR code and the confirmations to the shop', async () => {
    const path = await hosted({ succeed_url: 'https://shop.example/thanks?order=1&x="y"' });
    const chosen = await post(`${path}/choice`, { chain: 'ETH', currency: 'USDT-ERC20' });
    assert.equal(chosen.status, 303);
    assert.equal(new URL(chosen.headers.get('location') ?? '', `${url}${path}/choice`).pathname, path);

    const waiting = (await get(path)).html;
    const { address, contract_addr: contract, amount, payment_uri: uri } = await stateOf(path);
    assert.match(uri ?? '', /uint256=13500000$/);
    for (const text of [address, contract, amount])
      assert.ok(text !== undefined && whole(waiting).includes(`>${text}</code>`), text);
    assert.match(waiting, /<svg class="qr"/);
    assert.match(waiting, /<noscript><meta http-equiv="refresh" content="5;url=\w+">/);
    assert.match(waiting, /9 minutes/);

    await merchant.pay(await orderOf(path));
    const seen = await waitFor(
      async () => {
        const { html } = await get(path);
        return html.includes('1 of 2 confirmations') && html;
      },
      { describe: 'the page to show the payment' },
    );
    assert.doesNotMatch(seen, /Add a refund address/, 'nothing is missing');
    assert.match((await get(`${path}?view=refund`)).html, /name="address"/, 'the merchant can ask for an address');
    assert.equal((await stateOf(path))['payment_uri'], '', 'all of it was seen: nothing asks for it again');
    await fetch(`${url}/sandbox/v1/blocks`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"chain":"ETH","count":1}',
    });
    const paid = await waitFor(
      async () => {
        const { html } = await get(path);
        return html.includes('Your payment is complete') && html;
      },
      { describe: 'the page to say that it is paid' },
    );
    assert.match(
      paid,
      /http-equiv="refresh" content="5;url=https:\/\/shop\.example\/thanks\?order=1&amp;x=(?:%22y%22|&quot;y&quot;)"/,
    );
    assert.match(paid, /Return to merchant/);
    const { status, payment_uri: again } = await stateOf(path);
    assert.deepEqual([status, again], ['SUCCESS', ''], 'fault 317');
  });

  test('fault 522: a refused refund address stays in its field without a script, and no link can put one there', async () => {
    const path = await hosted();
    await post(`${path}/choice`, { chain: 'ETH', currency: 'USDT-ERC20' });
    await merchant.pay(await orderOf(path), { amount: '10' });
    await waitFor(async () => (await get(path)).html.includes('10 USDT received'), { describe: 'a part to be seen' });
    const shown = async (search: string, cookie: string): Promise<string> =>
      (await fetch(`${url}${path}${search}`, { headers: { Accept: 'text/html', Cookie: cookie } })).text();
    const value = (html: string): string => /<input id="address"[^>]* value="([^"]*)"/.exec(html)?.[1] ?? '';
    for (const [address, written] of [
      ['0x70997970C51812dc3A010C7d01b50e0d17dc79', '0x70997970C51812dc3A010C7d01b50e0d17dc79'],
      ['адрес; "><script>; x=y', 'адрес; &quot;>&lt;script>; x=y'],
    ] as const) {
      const refused = await post(`${path}/refund-address`, { address });
      const { search } = new URL(refused.headers.get('location') ?? '', `${url}${path}/refund-address`);
      assert.ok(!decodeURIComponent(search).includes(address));
      const line = refused.headers.getSetCookie().find((each) => each.startsWith('tillgate_typed=')) ?? '';
      assert.match(line, /; Max-Age=120; HttpOnly; SameSite=Strict$/);
      const cookie = line.split(';')[0] ?? '';
      const html = await shown(search, cookie);
      assert.equal(value(html), written);
      assert.match(
        html,
        /aria-invalid="true"[^>]*aria-describedby="refusal refund-note"[^]*id="refusal"[^>]*role="alert"/,
      );
      assert.equal(value(await shown(search, '')), '', 'of another browser');
      assert.equal(value(await shown('?view=refund', cookie)), '', 'once it is no longer refused');
      assert.equal(value(await shown(`${search}&address=0xother&typed=0xother`, '')), '');
    }
    for (const cookie of ['tillgate_typed=%', 'tillgate_typed=%00', 'tillgate_typed=%EE%80%80'])
      assert.equal(value(await shown('?view=refund&error=40001', cookie)), '');
  });

  test('says what is still to pay, keeps an address for a refund, and shows a refused form in words', async () => {
    const path = await hosted();
    await post(`${path}/choice`, { chain: 'ETH', currency: 'USDT-ERC20' });
    await merchant.pay(await orderOf(path), { amount: '10' });
    await waitFor(async () => (await get(path)).html.includes('10 USDT received. Send the remaining 3.5 USDT'), {
      describe: 'the rest to be shown',
    });
    assert.match((await stateOf(path))['payment_uri'] ?? '', /uint256=3500000$/, 'it asks for the rest');

    assert.ok(!(await get(path)).html.includes('block explorer'), 'the sandbox has none');
    assert.match((await get(path)).html, /Add a refund address/);
    const form = (await get(`${path}?view=refund`)).html;
    assert.match(form, /<label for="address">Your wallet address on Ethereum<\/label>/);
    assert.ok(!form.includes('http-equiv="refresh"'), 'nothing that is being typed is lost');
    const refused = await post(`${path}/refund-address`, { address: 'nonsense' });
    const back = new URL(refused.headers.get('location') ?? '', `${url}${path}/refund-address`);
    assert.match((await get(back.pathname + back.search)).html, /role="alert">This is not an address on Ethereum/);
    await post(`${path}/refund-address`, { address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' });
    const kept = (await get(`${path}?view=refund`)).html;
    assert.match(whole(kept), /<code[^>]*>0x70997970C51812dc3A010C7d01b50e0d17dc79C8</);
    assert.ok(!kept.includes('name="address"'), 'it is left once');
    const other = await post(`${path}/refund-address`, { address: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC' });
    const told = new URL(other.headers.get('location') ?? '', `${url}${path}/refund-address`);
    const page = whole((await get(told.pathname + told.search)).html);
    assert.ok(page.includes('0x70997970C51812dc3A010C7d01b50e0d17dc79C8') && !page.includes('0x3C44'));
  });

  test('fault 232: only the browser that left the address of a refund changes it, whatever another one sends', async () => {
    const [first, second] = [
      '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
      '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
    ];
    const path = await hosted();
    await post(`${path}/choice`, { chain: 'ETH', currency: 'USDT-ERC20' });
    await merchant.pay(await orderOf(path), { amount: '10' });
    await waitFor(async () => (await get(path)).html.includes('Send the remaining'), {
      describe: 'the payment to be seen',
    });
    const address = async (): Promise<string | null> =>
      (await host.till.storage.orders.findByCheckoutToken(path.split('/').at(-1) ?? ''))?.refundAddress ?? null;

    const left = await post(`${path}/refund-address`, { address: first });
    const given = left.headers.get('set-cookie') ?? '';
    assert.match(given, /^tillgate_payer=[\w-]{43}; Max-Age=\d+; HttpOnly; SameSite=Strict$/);
    const cookie = given.split(';')[0] ?? '';
    const order = await host.till.storage.orders.findByCheckoutToken(path.split('/').at(-1) ?? '');
    assert.match(order?.refundBrowser ?? '', /^[0-9a-f]{64}$/);
    assert.notEqual(order?.refundBrowser, cookie.split('=')[1], 'the secret is not stored');

    for (const foreign of ['', `tillgate_payer=${'A'.repeat(43)}`, `tillgate_payer=${order?.refundBrowser ?? ''}`]) {
      const refused = await post(`${path}/refund-address`, { address: second }, foreign);
      assert.match(refused.headers.get('location') ?? '', /error=40900/);
      assert.equal(refused.headers.get('set-cookie'), null);
      assert.equal(await address(), first);
      const told = (await get(`${path}?view=refund&error=40900`, foreign)).html;
      assert.match(told, /role="alert">This address can be changed only in the browser where it was entered/);
      assert.ok(!told.includes('name="address"'), 'there is no form');
    }
    const own = (await get(path, cookie)).html;
    assert.match(own, /Change refund address/);
    assert.match((await get(`${path}?view=refund`, cookie)).html, /name="address"/);
    const changed = await post(`${path}/refund-address`, { address: second }, cookie);
    assert.ok(!(changed.headers.get('location') ?? '').includes('error'));
    assert.equal(await address(), second);

    await host.till.orderAdminActions.removeRefundAddress(order?.id ?? '', 'a test');
    const anew = await post(`${path}/refund-address`, { address: first }, `tillgate_payer=${'B'.repeat(43)}`);
    assert.ok(!(anew.headers.get('location') ?? '').includes('error'), 'what was removed is left anew, by anybody');
    assert.match(
      (await post(`${path}/refund-address`, { address: second }, cookie)).headers.get('location') ?? '',
      /40900/,
    );
  });

  test('fault 230: shows the merchant as text, and its logo as a picture that nothing else can be made of', async () => {
    const { storage } = host.till;
    const accountId = (host.demo?.account_id ?? '') as AccountId;
    const logo = { id: createHash('sha256').update(png(64, 64)).digest('hex'), type: 'image/png' } as const;
    const branding = {
      ...noBranding(accountId),
      name: '<b>Corner</b> & "Shop"',
      support: 'help@shop.example',
      colour: '#ffd700',
      logo,
    };
    const path = await hosted();
    const unbranded = (await get(path)).html;
    assert.match(unbranded, /<div class="brand"><strong><bdi>localhost:\d+<\/bdi><\/strong><\/div>/);
    assert.match(unbranded, /<p class="sandbox">Sandbox: do not send real money/);
    const save = (saved: Branding): Promise<unknown> =>
      storage.transaction((tx) => tx.branding.save(saved, 'cornershop', png(64, 64)));
    await save(branding);
    const branded = await waitFor(
      async () => {
        const { html, headers } = await get(path);
        return html.includes('Corner') && { html, headers };
      },
      { describe: 'the brand to be read' },
    );
    const { html, headers } = branded;
    assert.match(html, /<strong><bdi>&lt;b&gt;Corner&lt;\/b&gt; &amp; &quot;Shop&quot;<\/bdi><\/strong>/);
    assert.match(html, /<a class="quiet" href="mailto:help@shop\.example"[^>]*><bdi dir="ltr">help@shop\.example</);
    const policy = headers.get('content-security-policy') ?? '';
    assert.ok(policy.includes("img-src 'self' data:") && !/https?:/.test(policy), policy);
    const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? '';
    assert.match(
      html,
      new RegExp(`<style nonce="${nonce.replaceAll('+', '\\+')}">@media screen\\{:root\\{--fill:#ffd700;`),
    );
    const src = /<img src="(logos\/[0-9a-f]{64})" alt="">/.exec(html)?.[1] ?? '';
    const reply = await fetch(`${url}/checkout/${src}`);
    assert.deepEqual(
      ['content-type', 'x-content-type-options', 'content-security-policy'].map((name) => reply.headers.get(name)),
      ['image/png', 'nosniff', "default-src 'none'; sandbox"],
    );
    assert.deepEqual(Buffer.from(await reply.arrayBuffer()), png(64, 64));
    await save({ ...branding, version: 2, logo: null, support: null });
    assert.equal((await fetch(`${url}/checkout/${src}`)).status, 404);
    await waitFor(async () => !(await get(path)).html.includes('help@shop.example'), {
      describe: 'a support address that was taken away to be gone',
      timeoutMs: 20_000,
    });
  });

  test('answers 404 with a page for an unknown token, and says nothing of what was asked', async () => {
    for (const token of ['0'.repeat(32), '%3Cscript%3E', 'x'.repeat(300)]) {
      const { status, html } = await get(`/checkout/${token}`);
      assert.equal(status, 404, token);
      assert.ok(!html.includes('<script>'));
    }
    assert.match((await get(`/checkout/${'0'.repeat(32)}`)).html, /Order not found/);
  });
});
