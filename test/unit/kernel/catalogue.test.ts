import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  AssetCatalogue,
  CHAINS,
  FIATS,
  findFiat,
  isTillgateError,
  SHIB_ERC20,
  BUILT_IN_ASSETS,
} from '../../../core/index.ts';
import type { Asset } from '../../../core/index.ts';

const PAIRS =
  'ETH/ETH ETH/USDT-ERC20 ETH/USDC-ERC20 ETH/DAI-ERC20 BTC/BTC BLN/BTC-LN LTC/LTC BSC/BNB TRX/USDT-TRC20 TRX/USDC-TRC20'.split(
    ' ',
  );
const CODES =
  'USD EUR CNY GBP AUD CAD JPY HKD INR ZAR TWD KRW THB NZD SGD AED ARS BDT BHD BMD BRL CHF CLP CZK DKK HUF IDR ILS KWD LKR MMK MXN MYR NGN NOK PHP PKR PLN RUB SAR SEK TRY UAH VEF VND XDR XAG XAU'.split(
    ' ',
  );
const ETH = BUILT_IN_ASSETS[0] as Asset;

describe('the crypto list', () => {
  test('has ten built-in pairs in their order, off until they are configured', () => {
    const list = new AssetCatalogue([ETH]).list();
    assert.deepEqual(
      list.map(({ asset }) => `${asset.chain}/${asset.currency}`),
      PAIRS,
    );
    assert.deepEqual(
      list.map(({ enabled }) => enabled),
      [true, ...Array<boolean>(9).fill(false)],
    );
  });

  test('has what plugins add at its end, and their chain names', () => {
    const coin: Asset = { ...ETH, chain: 'DOGE', currency: 'DOGE', symbol: 'DOGE', decimals: 8 };
    const assets = new AssetCatalogue([coin, SHIB_ERC20], [{ code: 'DOGE', name: 'Dogecoin' }]);
    assert.deepEqual(
      assets
        .list()
        .slice(10)
        .map(({ asset }) => asset.currency),
      ['DOGE', 'SHIB-ERC20'],
    );
    assert.deepEqual(
      ['DOGE', 'ETH', 'BSC', 'NEW'].map((code) => assets.chainName(code)),
      ['Dogecoin', 'Ethereum', 'BNB Smart Chain', 'NEW'],
    );
    assert.deepEqual(assets.enabled(), [coin, SHIB_ERC20]);
  });

  test('takes the configured form of a known pair', () => {
    const odd = { ...ETH, decimals: 6 };
    assert.equal(new AssetCatalogue([odd]).require('ETH', 'ETH').decimals, 6);
  });

  test('refuses a pair that is unknown, disabled or on another chain', () => {
    const assets = new AssetCatalogue([ETH]);
    assert.equal(assets.require('ETH', 'ETH'), ETH);
    for (const [chain, currency] of [
      ['ETH', 'DOGE'],
      ['BTC', 'BTC'],
      ['BSC', 'ETH'],
      ['eth', 'ETH'],
      ['', ''],
    ] as const) {
      assert.throws(
        () => assets.require(chain, currency),
        (error) => isTillgateError(error, 'UNSUPPORTED'),
      );
    }
  });

  test('finds an asset whether or not it is enabled: old orders keep theirs', () => {
    const assets = new AssetCatalogue([]);
    assert.equal(assets.find('BTC')?.decimals, 8);
    assert.equal(assets.find('DOGE'), null);
  });

  test('has each currency once, on one chain', () => {
    for (const twice of [[ETH, ETH], [{ ...ETH, chain: 'BSC' }]]) {
      assert.throws(
        () => new AssetCatalogue(twice),
        (error) => isTillgateError(error, 'CONFIG_INVALID'),
      );
    }
  });

  test('counts millisatoshi on Lightning and knows the stable coins', () => {
    const assets = new AssetCatalogue([]);
    assert.equal(assets.find('BTC-LN')?.decimals, 11);
    const stable = BUILT_IN_ASSETS.filter(({ stable: is }) => is).map(({ currency }) => currency);
    assert.deepEqual(stable, ['USDT-ERC20', 'USDC-ERC20', 'DAI-ERC20', 'USDT-TRC20', 'USDC-TRC20']);
    assert.deepEqual(
      CHAINS.map(({ code }) => code),
      ['ETH', 'BTC', 'BLN', 'LTC', 'BSC', 'TRX'],
    );
  });
});

describe('the fiat list', () => {
  test('has exactly 48 codes in their order, each with a name', () => {
    assert.deepEqual(
      FIATS.map(({ code }) => code),
      CODES,
    );
    assert.equal(CODES.length, 48);
    assert.ok(FIATS.every(({ name }) => name.length > 2));
  });

  test('has the minor units of ISO 4217', () => {
    const decimals = (code: string): number | undefined => findFiat(code)?.decimals;
    assert.deepEqual(['USD', 'JPY', 'KRW', 'CLP', 'VND', 'BHD', 'KWD'].map(decimals), [2, 0, 0, 0, 0, 3, 3]);
  });

  test('finds nothing else', () => {
    for (const code of ['', 'usd', 'BTC', 'USDT', 'XPT', '__proto__']) assert.equal(findFiat(code), null);
  });
});
