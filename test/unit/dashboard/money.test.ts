import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { coinName, decimalOf, moneyText, typedDecimal } from '../../../host/dashboard/app/money.ts';
import type { Names } from '../../../host/dashboard/app/money.ts';

const coin = (chain: string, name: string, code: string, symbol: string) => ({
  ...{ chain, chain_name: name, coin: code, symbol },
  explorer: null,
  address_explorer: null,
  enabled: true,
});
const NAMES: Names = {
  coins: [coin('ETH', 'Ethereum', 'ETH', 'ETH'), coin('ETH', 'Ethereum', 'USDT-ERC20', 'USDT')],
  fiats: [
    { currency: 'USD', name: 'US Dollar' },
    { currency: 'EUR', name: 'Euro' },
    { currency: 'JPY', name: 'Yen' },
    { currency: 'KWD', name: 'Kuwaiti Dinar' },
  ],
};
/** Without the marks of direction and with plain spaces, which differ between versions of ICU. */
const text = (locale: string, value: string, currency: string): string =>
  moneyText(locale, value, currency, NAMES)
    .replaceAll(/[\u200e\u200f\u061c]/g, '')
    .replaceAll(/\s/g, ' ');

describe('amounts', () => {
  test('a fiat amount has its symbol, its decimals and the separators of the language', () => {
    assert.equal(text('en', '49.9', 'USD'), '$49.90');
    assert.equal(text('de', '1234.5', 'EUR'), '1.234,50 €');
    assert.equal(text('ja', '1200', 'JPY'), '¥1,200'.replace('¥', '￥'));
    assert.equal(text('en', '1.5', 'KWD'), 'KWD 1.500');
  });

  test('digits beyond those of the currency are not left out', () => {
    assert.equal(text('en', '0.005', 'USD'), '$0.005');
  });

  test('an amount beyond what a binary number holds keeps each of its digits', () => {
    assert.equal(text('en', '90071992547409931459.57', 'USD'), '$90,071,992,547,409,931,459.57');
    assert.equal(
      text('en', '9007199254740993.123456789012345678', 'ETH'),
      '9,007,199,254,740,993.123456789012345678 ETH',
    );
  });

  test('a coin is what people call it, with the chain where its symbol is not enough', () => {
    assert.equal(text('en', '25', 'USDT-ERC20'), '25 USDT · Ethereum');
    assert.equal(text('de', '0.005', 'ETH'), '0,005 ETH');
    assert.equal(coinName('GONE', NAMES), 'GONE');
    assert.equal(coinName('USDT-ERC20', undefined), 'USDT-ERC20');
  });

  test('the minus is before the digits, in Arabic too, and before a zero', () => {
    assert.equal(text('ar', '-0.004', 'ETH'), '\u2066-0.004 ETH\u2069', 'it reads from left to right');
    assert.equal(text('en', '-12.5', 'USD'), '-$12.50');
    assert.equal(text('en', '-0.5', 'USD'), '-$0.50');
  });

  test('what is no decimal is shown as it is', () => {
    assert.equal(text('en', 'many', 'USD'), 'many USD');
  });
});

describe('fault 550: what people type is read as the language writes it, or refused', () => {
  for (const [locale, typed, read] of [
    ['en', '19.90', '19.90'],
    ['en', '1,234.50', '1234.50'],
    ['en', '1,234', null],
    ['en', '19,90', null],
    ['de', '19,90', '19.90'],
    ['de', '19.90', '19.90'],
    ['de', '1.234,50', '1234.50'],
    ['de', '1.234', null],
    ['de', '0.0012', '0.0012'],
    ['de', '0.123', '0.123'],
    ['de', '1234.567', '1234.567'],
    ['de', '12.34,5', null],
    ['fr', '1 234,50', '1234.50'],
    ['ru', '1\u00a0234,5', '1234.5'],
    ['ar', '١٩٫٩٠', '19.90'],
    ['de', '1,2,3', null],
    ['en', '', null],
    ['en', '-5', null],
    ['en', '1e3', null],
    ['en', '.5', null],
  ] as const)
    test(`${JSON.stringify(typed)} in ${locale} is ${read ?? 'refused'}`, () => {
      assert.equal(decimalOf(locale, typed), read);
    });

  test('an input shows a decimal with the separator of the language', () => {
    assert.equal(typedDecimal('de', '7.5'), '7,5');
    assert.equal(typedDecimal('en', '7.5'), '7.5');
    assert.equal(decimalOf('es', typedDecimal('es', '0.001')), '0.001');
  });
});
