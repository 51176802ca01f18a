import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  findFiat,
  formatUnits,
  pow10,
  quoteUnits,
  readDecimal,
  SHIB_ERC20,
  BUILT_IN_ASSETS,
} from '../../../core/index.ts';
import type { Asset, Decimal, Fiat } from '../../../core/index.ts';

const asset = (currency: string): Asset =>
  [...BUILT_IN_ASSETS, SHIB_ERC20].find((known) => known.currency === currency)!;
const fiat = (code: string): Fiat => findFiat(code)!;
const usd = (text: string): Decimal => readDecimal(text)!;

describe('a quote', () => {
  const cases: readonly (readonly [
    currency: string,
    code: string,
    price: bigint,
    fiatUsd: string,
    coinUsd: string,
    amount: string,
  ])[] = [
    ['USDT-ERC20', 'USD', 10_00n, '1', '1', '10'],
    ['USDT-ERC20', 'EUR', 10_00n, '1.08', '1', '10.8'],
    ['USDT-ERC20', 'EUR', 10_01n, '1.08', '0.9999', '10.811882'],
    ['ETH', 'USD', 100_00n, '1', '2500', '0.04'],
    ['ETH', 'USD', 100_00n, '1', '3000', '0.03333334'],
    ['BTC', 'JPY', 1000n, '0.0067', '65000', '0.00010308'],
    ['BTC-LN', 'USD', 1n, '1', '65000', '0.00000016'],
    ['DAI-ERC20', 'KWD', 1_234n, '3.25', '1.0001', '4.01009900'],
    ['BNB', 'XAU', 1n, '2000.5', '600', '0.00000334'],
    ['SHIB-ERC20', 'USD', 1_000_000_00n, '1', '0.00001', '100000000000'],
    ['SHIB-ERC20', 'USD', 1_000_000_00n, '1', '0.0000123', '81300813008.1301'],
  ];
  for (const [currency, code, price, fiatUsd, coinUsd, amount] of cases) {
    test(`of ${formatUnits(price, fiat(code).decimals)} ${code} in ${currency} at ${coinUsd} is ${amount}`, () => {
      const units = quoteUnits(asset(currency), fiat(code), price, usd(fiatUsd), usd(coinUsd));
      assert.equal(
        formatUnits(units, asset(currency).decimals),
        formatUnits(readDecimal(amount)!.digits, readDecimal(amount)!.scale),
      );
    });
  }

  const arbPrice = fc.bigInt({ min: 1n, max: 10n ** 15n });
  const arbUsd = fc.record({ digits: fc.bigInt({ min: 1n, max: 10n ** 12n }), scale: fc.integer({ min: 0, max: 12 }) });
  const arbAsset = fc.constantFrom(...BUILT_IN_ASSETS);
  const arbFiat = fc.constantFrom(fiat('USD'), fiat('JPY'), fiat('KWD'), fiat('XAU'));

  test('is never below the exact worth, and above it by less than one step of 8 decimals or 15 digits', () => {
    fc.assert(
      fc.property(arbAsset, arbFiat, arbPrice, arbUsd, arbUsd, (coin, money, price, fiatUsd, coinUsd) => {
        const units = quoteUnits(coin, money, price, fiatUsd, coinUsd);
        const exactTop = price * fiatUsd.digits * pow10(coinUsd.scale + coin.decimals);
        const exactBottom = coinUsd.digits * pow10(money.decimals + fiatUsd.scale);
        const step = pow10(Math.max(coin.decimals - 8, units.toString().length - 15, 0));
        assert.ok(units * exactBottom >= exactTop);
        assert.ok((units - step) * exactBottom < exactTop);
      }),
    );
  });

  test('asks for the spread more, divided once and rounded up', () => {
    const quoted = (currency: string, spreadBps: number): string => {
      const coin = asset(currency);
      return formatUnits(quoteUnits(coin, fiat('USD'), 100_00n, usd('1'), usd('3000'), spreadBps), coin.decimals);
    };
    assert.deepEqual(
      [0, 1, 150, 5_000].map((spreadBps) => quoted('ETH', spreadBps)),
      ['0.03333334', '0.03333667', '0.03383334', '0.05'],
    );
  });

  test('is exact as a JSON number', () => {
    fc.assert(
      fc.property(arbAsset, arbPrice, arbUsd, (coin, price, coinUsd) => {
        const text = formatUnits(quoteUnits(coin, fiat('USD'), price, usd('1'), coinUsd), coin.decimals);
        const back = readDecimal(String(Number(text)));
        assert.deepEqual(back, readDecimal(text));
      }),
    );
  });
});
