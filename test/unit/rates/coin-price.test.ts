import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coinPrice } from '../../../core/ledger/conversion.ts';

const price = (coinUsd: string, fiatUsd: string, decimals: number): string =>
  coinPrice(
    {
      at: 0,
      fixed: false,
      coin: { symbol: 'X', usd: coinUsd, sources: [] },
      fiat: { symbol: 'EUR', usd: fiatUsd, sources: [] },
    },
    decimals,
  );

test('the price of a coin has the decimals of the fiat, and six significant digits at least, rounded down', () => {
  assert.equal(price('60000', '1.08', 2), '55555.55');
  assert.equal(price('2500', '1.08', 2), '2314.81');
  assert.equal(price('0.25', '1.08', 2), '0.231481');
  assert.equal(price('0.0000123456789', '1', 2), '0.0000123456');
  assert.equal(price('60000', '0.0066', 0), '9090909');
  assert.equal(price('1', '1', 2), '1');
  assert.equal(price('0.00000000000000000001', '1', 2), '0', 'less than can be shown');
});
