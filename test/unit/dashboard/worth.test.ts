import assert from 'node:assert/strict';
import { test } from 'node:test';
import { roundedMoney, worthOf } from '../../../host/dashboard/app/pages/overview/worth.ts';
import { foundPath, matchingSections } from '../../../host/dashboard/app/shell/found.ts';

test('balances are worth their exact sum, and a coin without a price is left out and said so', () => {
  const rates = [
    { coin: 'BTC', price: '65000.123456789012' },
    { coin: 'ETH', price: null },
  ];
  const worth = (wallets: readonly (readonly [string, string])[]) =>
    worthOf(
      wallets.map(([coin, total]) => ({ coin, total })),
      rates,
    );
  assert.deepEqual(worth([]), { amount: '0', partial: false });
  assert.deepEqual(worth([['BTC', '0.00000001']]), { amount: '0.00065000123456789012', partial: false });
  assert.deepEqual(
    worth([
      ['BTC', '2'],
      ['ETH', '0'],
    ]),
    { amount: '130000.246913578024', partial: false },
  );
  assert.deepEqual(
    worth([
      ['BTC', '1'],
      ['ETH', '3'],
    ]),
    { amount: '65000.123456789012', partial: true },
  );
  assert.deepEqual(worth([['NEW', '1']]), { amount: '0', partial: true });
  assert.throws(() => worth([['BTC', '1e3']]), /no plain decimal|not a plain decimal/);
});

test('money is shown in the language of the reader, with the decimals of its currency', () => {
  assert.equal(roundedMoney('en', '1999.9', 'USD'), '$1,999.90');
  assert.equal(roundedMoney('de', '49.9', 'EUR'), '49,90\u00a0€');
  assert.equal(roundedMoney('ja', '1250', 'JPY'), '￥1,250');
  assert.equal(roundedMoney('en', '9007199254740993', 'USD'), '$9,007,199,254,740,993.00', 'no double holds it');
});

test('what a search found opens its page, for an operator a payout’s own', () => {
  assert.equal(foundPath({ kind: 'order', id: '7' }, false), '/orders/7/show');
  assert.equal(foundPath({ kind: 'payout', id: '7' }, false), '/withdrawals/7/show');
  assert.equal(foundPath({ kind: 'payout', id: '7' }, true), '/transfers/7/show');
  assert.equal(foundPath({ kind: 'payout_batch', id: '7' }, true), '/payout-batches/7/show');
  assert.equal(foundPath({ kind: 'claim', id: '7' }, true), '/claims/7/show');
  assert.equal(foundPath({ kind: 'callback', id: '7' }, false), '/callbacks/7/show');
});

test('pages are found by a part of their name, those that begin with it first', () => {
  const pages = ['Webhooks', 'Orders', 'Callback web'].map((name) => ({ name }));
  const names = (text: string) => matchingSections(pages, text).map(({ name }) => name);
  assert.deepEqual(names('WEB'), ['Webhooks', 'Callback web']);
  assert.deepEqual(names('b w'), []);
  assert.deepEqual(names('k w'), ['Callback web']);
  assert.deepEqual(names(''), ['Webhooks', 'Orders', 'Callback web']);
});
