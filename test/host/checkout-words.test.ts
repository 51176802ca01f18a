import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ORDER_STATUSES } from '../../core/index.ts';
import type { CheckoutView, Order } from '../../core/index.ts';
import { renderCheckout } from '../../host/checkout/page.tsx';
import type { RefundNotice } from '../../host/checkout/page.tsx';
import { formatSpan } from '../../host/checkout/wording.ts';

const NOW = 1_700_000_000_000;

function viewOf(order: Partial<Order>, more: Partial<CheckoutView> = {}): CheckoutView {
  const rate = { at: NOW, coin: { symbol: 'USDT', usd: '1', sources: [] }, fiat: { symbol: 'USD', usd: '1', sources: [] }, fixed: false };
  return {
    order: {
      id: '1530217733414232064',
      status: 'PENDING',
      platform: 'CHECKOUT',
      vsCurrency: 'USD',
      vsPrice: 1000n,
      payment: { chain: 'ETH', currency: 'USDT-ERC20', units: 10_000_000n, address: '0xabc', rate, chosenAt: NOW },
      received: 0n,
      links: { succeedUrl: 'https://shop.example/ok', timeoutUrl: 'https://shop.example/late', callbackUrl: null, timeoutCallback: null },
      checkoutToken: 'token',
      createdAt: NOW,
      expiresAt: NOW + 60_000,
      watchUntil: NOW + 120_000,
      reorgedAt: null,
      refundAddress: null,
      ...order,
    } as Order,
    chainName: 'Ethereum',
    amount: '10',
    received: '0',
    remaining: '10',
    contractAddr: '0xdef',
    paymentUri: 'ethereum:0xdef',
    confirmations: 0,
    confirmationsRequired: 12,
    refundAddress: null,
    seen: false,
    ...more,
  };
}

const page = (view: CheckoutView, refund: RefundNotice | null = null): string => renderCheckout({ view, choices: null, refundForm: false, refund, refusal: null, now: NOW });
const refreshOf = (html: string): string | undefined => /http-equiv="refresh" content="([^"]*)"/.exec(html)?.[1];

describe("the words of the payer's page", () => {
  const received = { received: '4', remaining: '6', seen: true } as const;
  const cases: readonly (readonly [string, CheckoutView, RegExp, string | undefined])[] = [
    ['waiting', viewOf({}), /Waiting for your payment/, '5'],
    ['seen', viewOf({}, { seen: true, received: '10', remaining: '0', confirmations: 3 }), /3 of 12 confirmations/, '5'],
    ['short', viewOf({}, received), /4 USDT-ERC20 arrived; 6 USDT-ERC20 is still to pay/, '5'],
    ['SUCCESS', viewOf({ status: 'SUCCESS' }), /Your payment is complete/, '5;url=https://shop.example/ok'],
    ['RESOLVED', viewOf({ status: 'RESOLVED' }), /came after the deadline and was accepted/, '5;url=https://shop.example/ok'],
    ['OVERDUE', viewOf({ status: 'OVERDUE' }), /time to pay is over/, '5;url=https://shop.example/late'],
    ['PARTIAL', viewOf({ status: 'PARTIAL', received: 4n }, received), /6 USDT-ERC20 is missing/, '5;url=https://shop.example/late'],
    ['TERMINATED', viewOf({ status: 'TERMINATED' }), /This order was cancelled/, undefined],
    ['REFUNDED', viewOf({ status: 'REFUNDED' }), /The payment was sent back/, undefined],
    ['reorganised', viewOf({ status: 'SUCCESS', reorgedAt: NOW }), /checked again/, '30'],
  ];
  for (const [name, view, words, refresh] of cases) {
    test(`${name}: plain words, and ${refresh === undefined ? 'no refresh' : `refresh ${refresh}`}`, () => {
      const html = page(view);
      assert.match(html, words);
      assert.equal(refreshOf(html), refresh);
    });
  }

  test('tells of a refund what comes back and where to, and asks for no address any more', () => {
    const view = viewOf({ status: 'SUCCESS', received: 10n }, { seen: true, refundAddress: '0xpayer' });
    assert.match(page(view), /Change the address for a refund/);
    const waiting = page(view, { sent: false, amount: '9.58', address: '0xpayer' });
    assert.match(waiting, /Your refund is on its way[\s\S]*9\.58[\s\S]*0xpayer/);
    assert.ok(!waiting.includes('the address for a refund'));
    assert.match(page(viewOf({ status: 'REFUNDED' }), { sent: true, amount: '9.58', address: '0xpayer' }), /<h2 id="refund">Your refund<\/h2>/);
  });

  test('covers every status', () => {
    for (const status of ORDER_STATUSES) assert.match(page(viewOf({ status })), /<h1/);
  });

  test('fault 37: never leads to anything but http and https, and writes every field as text', () => {
    const links = { succeedUrl: 'javascript:alert(1)', timeoutUrl: null, callbackUrl: null, timeoutCallback: null };
    const html = page(viewOf({ status: 'SUCCESS', links }));
    assert.ok(!html.includes('javascript:'));
    assert.equal(refreshOf(html), undefined);
    const hostile = page(viewOf({}, { chainName: '<script>alert(1)</script>', contractAddr: '"><img src=x>' }));
    assert.ok(!hostile.includes('<script>') && !hostile.includes('<img'));
  });

  test('says how long there is', () => {
    assert.deepEqual([0, 1000, 59_999, 60_000, 3_600_000, 7_200_000].map(formatSpan), ['0 seconds', '1 second', '59 seconds', '1 minute', '60 minutes', '2 hours']);
  });
});
