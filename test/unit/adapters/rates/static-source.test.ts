import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { StaticSource } from '../../../../adapters/rates/index.ts';
import { isTillgateError } from '../../../../core/index.ts';
import { FakeClock, START } from '../../../support/fakes.ts';

describe('StaticSource', () => {
  test('prices are always of this moment', async () => {
    const clock = new FakeClock();
    const source = new StaticSource(clock, { ETH: '2500', EUR: '1.08', SHIB: '2e-5' });
    assert.deepEqual(await source.fetch(['ETH', 'EUR', 'SHIB', 'JPY']), [
      { symbol: 'ETH', usd: '2500', at: START },
      { symbol: 'EUR', usd: '1.08', at: START },
      { symbol: 'SHIB', usd: '0.00002', at: START },
    ]);
    clock.advance(86_400_000);
    assert.equal((await source.fetch(['ETH']))[0]?.at, START + 86_400_000);
  });

  test('a coin may be named by its full code', async () => {
    const source = new StaticSource(new FakeClock(), {
      'USDT-ERC20': '1.01',
      'USDT-TRC20': '1.010',
      'BTC-LN': '60000',
    });
    const ticks = await source.fetch(['USDT', 'BTC']);
    assert.deepEqual(
      ticks.map(({ usd }) => usd),
      ['1.01', '60000'],
    );
  });

  test('a dollar is a dollar, unless the table says otherwise', async () => {
    assert.deepEqual(
      (await new StaticSource(new FakeClock(), {}).fetch(['USD'])).map(({ usd }) => usd),
      ['1'],
    );
  });

  test('prices that are none, and two prices for one coin, are refused by name, all at once', () => {
    const prices = { ETH: '0', BTC: '-1', LTC: 'x', BNB: '', 'USDT-ERC20': '1', 'USDT-TRC20': '2' };
    assert.throws(
      () => new StaticSource(new FakeClock(), prices),
      (error: unknown) => {
        assert.ok(isTillgateError(error, 'CONFIG_INVALID'));
        assert.deepEqual(
          error.details.fields?.map(({ path }) => path),
          ['prices.ETH', 'prices.BTC', 'prices.LTC', 'prices.BNB', 'prices.USDT-TRC20'],
        );
        return true;
      },
    );
  });
});
