import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AssetCatalogue } from '../../core/index.ts';
import type { Asset } from '../../core/index.ts';
import { resolveConfig } from '../../host/settings/config.ts';
import { moneyProblems } from '../../host/settings/money-settings.ts';
import { FakeChain } from '../support/fake-chain.ts';
import { FakePayments } from '../support/fake-payments.ts';

const eth = new AssetCatalogue([]).find('ETH') as Asset;
const chain = new FakeChain([eth], () => 0);
chain.payments = new FakePayments(chain, 'account');
const assets = new AssetCatalogue([eth]);
const chains = new Map([[chain.code, chain]]);
const pathsOf = (settings: object): readonly string[] =>
  moneyProblems(resolveConfig(settings), assets, chains).map(({ path }) => path);

describe('the settings of money out', () => {
  test('right ones have no problem and reach the core as they were written', () => {
    const config = resolveConfig({
      withdrawals: { min: { ETH: '0.1' }, approveAbove: { ETH: '5' }, addressHoldSeconds: 60 },
      sweeps: { maxFeeBps: 50, cold: { ETH: { address: 'eth-cold', above: { ETH: '10' } } } },
    });
    assert.deepEqual(moneyProblems(config, assets, chains), []);
    const limits = config.withdrawals;
    assert.deepEqual(
      [limits.min.get('ETH'), limits.max.size, limits.approveAbove.get('ETH'), limits.addressHoldMs],
      ['0.1', 0, '5', 60_000],
    );
    const { sweeps } = config;
    assert.deepEqual(
      [sweeps.maxFeeBps, sweeps.cold.get('ETH')?.address, sweeps.cold.get('ETH')?.above.get('ETH')],
      [50, 'eth-cold', '10'],
    );
  });

  test('unknown currencies and chains, too many decimals, and addresses that are none or the hot wallet are named by their path', () => {
    assert.deepEqual(
      pathsOf({ withdrawals: { min: { DOGE: '1' }, max: { ETH: '1.1234567890123456789'.slice(0, 20) } } }),
      ['withdrawals.min.DOGE'],
    );
    assert.deepEqual(pathsOf({ withdrawals: { approveAbove: { 'USDT-ERC20': '1.1234567' } } }), [
      'withdrawals.approveAbove.USDT-ERC20',
    ]);
    assert.deepEqual(pathsOf({ sweeps: { cold: { LTC: { address: 'x', above: {} } } } }), ['sweeps.cold.LTC']);
    assert.deepEqual(pathsOf({ sweeps: { cold: { ETH: { address: 'x', above: { DOGE: '1' } } } } }), [
      'sweeps.cold.ETH.address',
      'sweeps.cold.ETH.above.DOGE',
    ]);
    assert.deepEqual(pathsOf({ sweeps: { cold: { ETH: { address: 'eth-hot', above: {} } } } }), [
      'sweeps.cold.ETH.address',
    ]);
  });

  test('limits of a window name a currency or USD, a time and a bound', () => {
    const limits = [
      { currency: 'ETH', window: '30m', perAccount: '1.5' },
      { currency: 'USD', window: '7d', total: '50000' },
    ];
    const config = resolveConfig({ withdrawals: { limits } });
    assert.deepEqual(config.withdrawals.limits, [
      { currency: 'ETH', windowMs: 1_800_000, perAccount: '1.5' },
      { currency: 'USD', windowMs: 604_800_000, total: '50000' },
    ]);
    assert.deepEqual(moneyProblems(config, assets, chains), []);
    assert.deepEqual([config.withdrawals.approvals, resolveConfig({}).withdrawals.limits], [1, []]);
    assert.deepEqual(
      pathsOf({
        withdrawals: {
          limits: [
            { currency: 'DOGE', window: '24h', total: '1' },
            { currency: 'USDT-ERC20', window: '24h', total: '1.1234567' },
          ],
        },
      }),
      ['withdrawals.limits.0.currency', 'withdrawals.limits.1.total'],
    );
    for (const [wrong, path] of [
      [{ currency: 'ETH', window: '24h' }, 'perAccount'],
      [{ currency: 'ETH', window: '24', total: '1' }, 'window'],
      [{ currency: 'ETH', window: '0h', total: '1' }, 'window'],
      [{ currency: 'ETH', window: '24h', total: '-1' }, 'total'],
      [{ currency: 'ETH', window: '24h', total: '1', perAcount: '1' }, 'perAcount'],
    ] as const)
      assert.throws(
        () =>
          resolveConfig({ withdrawals: { limits: [wrong as { currency: string; window: string; total: string }] } }),
        new RegExp(`withdrawals\\.limits\\.0\\.${path}`),
      );
  });

  test('a malformed amount is refused with the settings themselves', () => {
    for (const amount of ['-1', '1e3', '', 'much']) {
      assert.throws(
        () => resolveConfig({ withdrawals: { min: { ETH: amount } } }),
        /withdrawals\.min\.ETH: write a plain decimal/,
      );
    }
  });
});
