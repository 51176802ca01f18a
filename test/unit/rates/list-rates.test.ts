import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isTillgateError, readDecimal } from '../../../core/index.ts';
import type { AssetCatalogue } from '../../../core/index.ts';
import { ListRates } from '../../../core/ledger/list-rates.ts';

const asset = (currency: string, symbol: string) =>
  ({ asset: { chain: 'ETH', currency, symbol, decimals: 18 }, enabled: true }) as ReturnType<AssetCatalogue['list']>[0];

const ASSETS = [
  asset('ETH', 'ETH'),
  asset('SHIB-ERC20', 'SHIB'),
  asset('NEW-ERC20', 'NEW'),
  { ...asset('OFF-ERC20', 'ETH'), enabled: false },
];

function listOf(prices: Readonly<Record<string, string>>) {
  const prepared: string[] = [];
  const rates = {
    prepare: async (symbol: string) => void prepared.push(symbol),
    usd: (symbol: string) => (prices[symbol] === undefined ? null : readDecimal(prices[symbol])),
  };
  return { prepared, rates: new ListRates({ assets: { list: () => ASSETS }, rates }) };
}

test('the price of a coin is its dollars over those of the currency, rounded down; a coin without one is told as such', async () => {
  const { rates, prepared } = listOf({ ETH: '2500', SHIB: '0.0000081', EUR: '1.1' });
  const found = await rates.list('EUR');
  assert.deepEqual(
    found.map(({ asset: { currency }, fiat, price }) => [currency, fiat.code, price]),
    [
      ['ETH', 'EUR', '2272.727272727272'],
      ['SHIB-ERC20', 'EUR', '0.000007363636'],
      ['NEW-ERC20', 'EUR', null],
    ],
  );
  assert.deepEqual(prepared, ['EUR', 'ETH', 'SHIB', 'NEW'], 'missing prices are asked for first, each once');
});

test('a currency without a price has none for any coin; one that does not exist is refused', async () => {
  const { rates } = listOf({ ETH: '2500' });
  assert.ok((await rates.list('EUR')).every(({ price }) => price === null));
  await assert.rejects(rates.list('XXX'), (error) => isTillgateError(error, 'UNSUPPORTED'));
});
