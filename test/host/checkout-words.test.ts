import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { BUILT_IN_ASSETS, ORDER_STATUSES } from '../../core/index.ts';
import type { CheckoutPage } from '../../host/checkout/checkout-page.ts';
import { LANGUAGES, negotiateLanguage } from '../../host/checkout/languages.ts';
import { en } from '../../host/checkout/messages/en.ts';
import type { MessageName } from '../../host/checkout/messages/en.ts';
import type { OrderSnapshot } from '../../host/checkout/order-snapshot.ts';
import { renderMain } from '../../host/checkout/page.tsx';
import { paymentLink } from '../../host/checkout/payment-link.ts';
import { stateOf, wordingOf } from '../../host/checkout/i18n-text.ts';
import { COIN_MARKS } from '../../plugins/coin-marks.ts';
import { changed, CHOICES, SAMPLES } from './checkout-samples.ts';

const ENGLISH = negotiateLanguage('en');
const render = (snapshot: OrderSnapshot, more: Partial<CheckoutPage> = {}): ReturnType<typeof renderMain> =>
  renderMain({
    snapshot,
    language: ENGLISH,
    choices: null,
    refundForm: false,
    typed: '',
    staying: false,
    browser: null,
    refusal: null,
    ...more,
  });

/** What a reader sees of markup. */
const textOf = (html: string): string =>
  html
    .replaceAll(/<(?:b|span|code)\b[^>]*>|<\/(?:b|span|code)>/g, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/[\s\u00a0\u202f]+/g, ' ');

describe("the words of the payer's page", () => {
  const cases: readonly (readonly [keyof typeof SAMPLES, RegExp, string | null])[] = [
    ['waiting', /Awaiting payment/, '5;url=waiting'],
    ['waitingLightning', /Pay the invoice below with a Lightning wallet/, '5;url=waitingLightning'],
    ['vanished', /replaced or dropped[\s\S]*Copy wallet link/, '5;url=vanished'],
    ['closing', /sent in time still counts/, '5;url=closing'],
    ['short', /4 USDT received\. Send the remaining 9\.5 USDT/, '5;url=short'],
    ['seen', /complete in a moment/, '5;url=seen'],
    [
      'confirming',
      /The network is confirming your payment[\s\S]*3 of 12 confirmations, about 2 min/,
      '5;url=confirming',
    ],
    ['rechecking', /replaced its latest blocks/, '5;url=rechecking'],
    ['paid', /Your payment is complete/, '5;url=https://shop.example/thanks?a=1&b="2"'],
    ['overpaid', /1\.5 USDT more than the amount due[\s\S]*You can close this page/, null],
    ['paidLate', /arrived after the deadline and was accepted/, null],
    ['expired', /No payment arrived in time/, '5;url=https://shop.example/late'],
    ['lost', /replaced or dropped before the network confirmed it, so nothing was received/, '30;url=lost'],
    ['late', /13\.5 USDT arrived after the deadline/, '30;url=late'],
    ['partial', /9\.5 USDT missing/, '30;url=partial'],
    ['refunding', /Refund in progress[\s\S]*13\.08[\s\S]*0x7099/, '30;url=refunding'],
    ['cancelled', /Order cancelled/, null],
    ['refunded', /Your money was sent back/, null],
  ];
  for (const [name, words, refresh] of cases) {
    test(`${name}: plain words, and ${refresh === null ? 'nothing more to come' : `the page again after ${refresh}`}`, () => {
      assert.equal(stateOf(SAMPLES[name]), name);
      const page = render(SAMPLES[name]);
      assert.match(page.html, words);
      assert.equal(page.refresh, refresh);
    });
  }

  test('the amount is shown with its rate, how long it holds, the grouped address, and what an exchange may do', () => {
    const { html } = render(SAMPLES.waiting);
    assert.match(textOf(html), /Exchange rate 1 USDT = €0\.925925/);
    assert.match(html, /Valid until[\s\S]*<time datetime="2026-01-01T00:12:00.000Z" data-short>12:12 AM UTC<\/time>/);
    assert.match(html, /<b>0x7099<\/b><span>7970<\/span>(?:<span>\w{4}<\/span>){7}<b>79C8<\/b>/);
    assert.match(html, /Add the fee, so that 13\.5 USDT arrives\./);
    assert.match(html, /data-copy="ethereum:0xF67E[^"]*uint256=13500000"[^>]*>Copy wallet link/);
    assert.match(render(SAMPLES.short).html, /so that 9\.5 USDT arrives\./);
  });

  test('Lightning is counted in satoshi, which is what is copied', () => {
    const { html } = render(SAMPLES.waitingLightning);
    assert.match(textOf(html), /Pay with BTC · Lightning/);
    assert.match(html, /<code>13,500<\/code><span class="unit"> sat<\/span>/);
    assert.match(html, /data-copy="13500"/);
    assert.ok(!html.includes('BTC-LN') && !html.includes('exchange?'));
  });

  test('Bitcoin and Lightning are one choice, unless the order has an address without an invoice', () => {
    const coins = (snapshot: OrderSnapshot): string => render(snapshot, { choices: CHOICES }).html;
    const offered = coins(SAMPLES.choose);
    assert.match(textOf(offered), /BTC · Bitcoin or Lightning/);
    assert.ok(!offered.includes('value="BTC-LN"'));
    assert.ok(!coins(SAMPLES.waitingBitcoin).includes('value="BTC-LN"'));
    const alone = coins(changed(SAMPLES.waitingBitcoin, { view: { invoice: null } }));
    assert.match(alone, /value="BTC-LN"/);
    assert.match(textOf(alone), /BTC · Lightning\s?540,000 sat/);
    assert.match(textOf(render(SAMPLES.waitingBitcoin).html), /Pay with Lightning instead/);
  });

  test('a payment is shown with its transaction, where to look it up, and its confirmations', () => {
    const text = textOf(render(SAMPLES.confirming).html);
    assert.match(text, /Your payment Amount due 13\.5 USDT Received 13\.5 USDT/);
    assert.match(text, /Transaction ID 0x9fc7\w+ Copy Payment time Dec 31, 2025, 11:58 PM UTC Confirmations 3 of 12/);
    assert.match(render(SAMPLES.confirming).html, /href="https:\/\/explorer\.example\/tx\/0x9fc7[^>]*rel="noreferrer/);
    const unmined = changed(SAMPLES.confirming, {
      view: { parts: SAMPLES.confirming.view.parts.map((part) => ({ ...part, confirmations: 0, url: null })) },
    });
    const { html } = render(unmined);
    assert.match(html, /Unconfirmed/);
    assert.ok(!html.includes('block explorer'), 'the sandbox has none');
    assert.match(textOf(render(SAMPLES.partial).html), /Remaining 9\.5 USDT/);
    assert.match(textOf(render(SAMPLES.overpaid).html), /Receipt[\s\S]*Overpaid 1\.5 USDT/);
  });

  test('whoever reads the receipt stays: the way to the merchant is a link, and nothing leads away', () => {
    const going = render(SAMPLES.paid);
    assert.match(going.html, /data-redirect="https:\/\/shop\.example/);
    assert.match(going.html, /href="paid\?view=receipt"/);
    const { html, refresh } = render(SAMPLES.paid, { staying: true });
    assert.equal(refresh, null);
    assert.ok(!html.includes('data-redirect'));
    assert.match(html, /Return to merchant[\s\S]*Print receipt/);
    assert.match(render(SAMPLES.expired).html, /Return to merchant/);
    for (const state of ['cancelled', 'lost', 'refunded'] as const)
      assert.match(render(SAMPLES[state]).html, /You can close this page/, state);
  });

  test('offers the coins with their amounts, and the way back where one is chosen', () => {
    const { html, refresh } = render(SAMPLES.choose, { choices: CHOICES });
    for (const { asset, amount } of CHOICES.filter(({ asset }) => asset.chain !== 'BLN'))
      assert.ok(html.includes(`value="${asset.currency}"`) && html.includes(amount), asset.currency);
    assert.equal(refresh, '60;url=choose');
    const again = render(SAMPLES.waiting, { choices: CHOICES });
    assert.equal(again.refresh, '60;url=waiting?view=coins');
    assert.match(again.html, /Choose how to pay/);
    assert.ok(!again.html.includes('address below'), 'no address is shown');
    assert.match(render(SAMPLES.choose, { choices: [] }).html, /No exchange rate is available/);
  });

  test('while an address is being typed the page stays as it is', () => {
    const { html, refresh } = render(SAMPLES.short, { refundForm: true, refusal: 'refusedAddress' });
    assert.equal(refresh, null);
    assert.match(html, /data-follow="never"/);
    assert.match(html, /role="alert"[^>]*>This is not an address on Ethereum/);
  });

  test('a coin is named as people say it, once, with its mark; the first letter stands for a mark that is not drawn', () => {
    const { html } = render(SAMPLES.waiting);
    assert.match(textOf(html), /Pay with USDT · Ethereum Amount 13\.5 USDT/);
    assert.ok(!html.includes('USDT-ERC20'));
    assert.match(html, /<svg class="mark" [^>]*aria-hidden="true"><circle [^>]*fill="#1f7f68"/);
    const unknown = render(changed(SAMPLES.waiting, { view: { symbol: 'WAVE' } })).html;
    assert.match(unknown, /<svg class="mark"[^>]*><circle[^>]*><\/circle><text[^>]*>W<\/text>/);
    for (const { currency, symbol, chain } of BUILT_IN_ASSETS)
      assert.ok(chain === 'BLN' || COIN_MARKS.has(symbol), `${currency} has a mark`);
  });

  test('an order is headed by what is sold, else by its reference, and its number is at the end', () => {
    const order = { merchantReference: 'INV-2041' } as const;
    const named = textOf(render(changed(SAMPLES.waiting, { order, item: 'Summer concert' })).html);
    assert.match(named, /^ Summer concert €12\.50 [\s\S]* Order 1573438740016137425 · INV-2041 $/);
    const referred = textOf(render(changed(SAMPLES.waiting, { order })).html);
    assert.match(referred, /^ INV-2041 €12\.50 [\s\S]* Order 1573438740016137425 $/);
    assert.match(textOf(render(SAMPLES.waiting).html), /^ €12\.50 Awaiting/);
    const hostile = render(changed(SAMPLES.waiting, { item: '<img src=x>', order: { merchantReference: '<b>' } }));
    assert.ok(!/<img|<b>&lt;|<bdi><b>/.test(hostile.html));
  });

  test('progress says about how long the rest takes, and nothing of it where the block time is not known', () => {
    const at = (blockSeconds: number | null, confirmations: number, needed = 3): string => {
      const view = { blockSeconds, confirmations, confirmationsRequired: needed };
      return /class="soft progress">([^<]*)/.exec(render(changed(SAMPLES.confirming, { view })).html)?.[1] ?? '';
    };
    assert.equal(at(12, 2), '2 of 3 confirmations, about 15 sec');
    assert.equal(at(0.45, 1), '1 of 3 confirmations, about 5 sec');
    assert.equal(at(600, 0), '0 of 3 confirmations, about 30 min');
    assert.equal(at(600, 0, 30), '0 of 30 confirmations, about 5 hr');
    assert.equal(at(null, 2), '2 of 3 confirmations');
    assert.equal(at(12, 3), '3 of 3 confirmations', 'nothing is left to wait for');
  });

  test('a code with nothing but an address says that the amount is to be typed', () => {
    assert.match(
      textOf(render(SAMPLES.waitingTron).html),
      /contains only the address\. Enter the amount of 13\.5 USDT/,
    );
    for (const name of ['waiting', 'waitingBitcoin', 'waitingLightning'] as const)
      assert.doesNotMatch(render(SAMPLES[name]).html, /contains only the address/, name);
  });

  test('nobody is asked for a refund address under an order that is paid as agreed', () => {
    for (const name of ['seen', 'confirming', 'paid', 'paidLate', 'refunded'] as const)
      assert.doesNotMatch(render(SAMPLES[name]).html, /Add a refund address|name="address"/, name);
    assert.match(render(SAMPLES.overpaid).html, /Add a refund address/);
  });

  test('has words for every status, in every language', () => {
    for (const status of ORDER_STATUSES) {
      for (const language of LANGUAGES) {
        const { title, text } = wordingOf(changed(SAMPLES.waiting, { order: { status } }), language);
        assert.ok(title.length > 0 && text.length > 0 && !text.includes('{'), `${status} in ${language.tag}`);
      }
    }
  });

  test('fault 37: never leads to anything but http and https, and writes every field as text', () => {
    const links = { succeedUrl: 'javascript:alert(1)', timeoutUrl: null, callbackUrl: null, timeoutCallback: null };
    const page = render(changed(SAMPLES.paid, { order: { links } }));
    assert.ok(!page.html.includes('javascript:'));
    assert.equal(page.refresh, null);
    const hostile = render(
      changed(SAMPLES.waiting, {
        view: {
          chainName: '<script>alert(1)</script>',
          contractAddr: '"><img src=x>',
          paymentUri: 'javascript:alert(1)',
        },
      }),
    ).html;
    assert.ok(!hostile.includes('<script') && !hostile.includes('<img') && !hostile.includes('href="javascript'));
  });
});

describe('the payment link', () => {
  test('a Lightning request is a lightning: link, in capitals in the code', () => {
    for (const uri of ['lnbc1abc', 'lightning:lnbc1abc']) {
      assert.deepEqual(paymentLink('BLN', uri), {
        href: 'lightning:lnbc1abc',
        qr: 'LIGHTNING:LNBC1ABC',
        lightning: true,
      });
    }
  });

  test('other URIs are shown as they are given, a plain address without a link', () => {
    const unified = 'bitcoin:bc1qabc?amount=0.1&lightning=lnbc1abc';
    assert.deepEqual(paymentLink('BTC', unified), { href: unified, qr: unified, lightning: false });
    assert.deepEqual(paymentLink('TRX', 'TAbc'), { href: null, qr: 'TAbc', lightning: false });
  });
});

describe('the languages', () => {
  const places = (text: string): string[] => [...text.matchAll(/\{\w+\}/g)].map(([place]) => place).sort();

  test('there are ten, and each has every text, with the same places in it', () => {
    assert.equal(LANGUAGES.length, 10);
    for (const { tag, messages } of LANGUAGES) {
      assert.deepEqual(Object.keys(messages), Object.keys(en), tag);
      for (const name of Object.keys(en) as MessageName[]) {
        assert.ok(messages[name].trim().length > 0, `${tag}: ${name}`);
        assert.deepEqual(places(messages[name]), places(en[name]), `${tag}: ${name}`);
      }
    }
  });

  test('no sentence was left in English', () => {
    for (const { tag, messages } of LANGUAGES.slice(1)) {
      for (const name of Object.keys(en) as MessageName[]) {
        if (en[name].includes(' ')) assert.notEqual(messages[name], en[name], `${tag}: ${name}`);
      }
    }
  });

  test('a browser gets the one that it likes best', () => {
    const cases: readonly (readonly [string | null, string])[] = [
      [null, 'en'],
      ['', 'en'],
      ['de-CH,de;q=0.9,en;q=0.8', 'de'],
      ['nl,fr;q=0.3,es;q=0.5', 'es'],
      ['nl,sv', 'en'],
      ['zh-Hant-TW', 'zh'],
      ['pt-BR', 'pt'],
      ['de;q=0,ko;q=0.1', 'ko'],
      ['*;q=0.5,ja;q=0.4', 'en'],
      ['AR', 'ar'],
      ['ru;q=nonsense,fr;q=0.1', 'fr'],
      [`${'x,'.repeat(50)}de`, 'en'],
    ];
    for (const [header, tag] of cases) assert.equal(negotiateLanguage(header).tag, tag, String(header));
  });

  test('money and time are written as each language writes them, in Latin digits', () => {
    const written = (tag: string): string[] => {
      const language = negotiateLanguage(tag);
      return [
        language.money('1234.50', 'EUR', 2),
        language.money('1500', 'JPY', 0),
        language.span(59_999),
        language.span(60_000),
        language.span(7_200_000),
      ].map((text) => text.replaceAll(/[\u00a0\u202f]/g, ' '));
    };
    assert.deepEqual(written('en'), ['€1,234.50', '¥1,500', '59 seconds', '1 minute', '2 hours']);
    assert.deepEqual(written('de'), ['1.234,50 €', '1.500 ¥', '59 Sekunden', '1 Minute', '2 Stunden']);
    assert.match(written('ar').join(' '), /1,234\.50/);
    assert.equal(ENGLISH.money('0.000001', 'XAU', 6).replaceAll(/\s/g, ' '), 'XAU 0.000001');
    assert.equal(ENGLISH.money('12345678901234567.89', 'USD', 2), '$12,345,678,901,234,567.89');
  });
});
