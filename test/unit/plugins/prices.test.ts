import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PinoLogger } from '../../../adapters/logging/index.ts';
import type { ChainAdapter, DocumentStore, Plugin } from '../../../core/index.ts';
import { rateSource } from '../../../host/lazy-edges.ts';
import { setUpPlugins } from '../../../host/plugin-registry.ts';
import { WATCH_ONLY } from '../../../host/wallet.ts';
import { BUILT_IN_PRICE_IDS } from '../../../plugins/prices.ts';
import { FakeClock } from '../../support/fakes.ts';
import { startServer } from '../adapters/rates/local-server.ts';

const clock = new FakeClock();
const never = new AbortController().signal;
const documents: DocumentStore = { read: async () => null, write: async () => true };
const chain = (code: string): ChainAdapter =>
  ({ code, name: `The chain ${code}`, assets: [], payments: null, balances: null }) as unknown as ChainAdapter;

describe('the prices of a chain that a package adds', () => {
  test('its price ids reach CoinGecko and Kraken, and those of the settings come before them', async (t) => {
    const plugin: Plugin = {
      name: 'solana',
      version: '1.0.0',
      requires: '^1.4.0',
      options: (input) => input,
      setup: ({ addChain }) =>
        addChain(chain('SOL'), {
          priceIds: { SOL: { coingecko: 'solana', kraken: 'SOLUSD' }, JUP: { coingecko: 'jupiter' } },
        }),
    };
    const { priceIds } = await setUpPlugins(
      { ...WATCH_ONLY, logger: new PinoLogger({ level: 'silent' }), clock, documents },
      [{ plugin, options: {} }],
    );
    const known = { ...BUILT_IN_PRICE_IDS, ...priceIds };
    const gecko = await startServer(t, () => '{}');
    await rateSource(
      { use: 'coingecko', url: gecko.url, apiKey: 'CG-key', ids: { JUP: 'jupiter-exchange' } },
      clock,
      known,
    ).fetch(['ETH', 'SOL', 'JUP'], never);
    assert.equal(gecko.seen[0]?.url.searchParams.get('ids'), 'ethereum,solana,jupiter-exchange');
    assert.equal(gecko.seen[0].headers['x-cg-demo-api-key'], 'CG-key');
    const kraken = await startServer(t, () => '{"error":[],"result":{"XXRPZUSD":{"a":["2.2"],"b":["2.0"]}}}');
    const ticks = await rateSource({ use: 'kraken', url: kraken.url, pairs: { XRP: 'XRPUSD' } }, clock, known).fetch(
      ['SOL', 'XRP', 'JUP'],
      never,
    );
    assert.equal(kraken.seen[0]?.url.searchParams.get('pair'), 'SOLUSD,XRPUSD');
    assert.deepEqual(
      ticks.map(({ symbol, usd }) => [symbol, usd]),
      [['XRP', '2.1']],
    );
  });

  test('a plugin for an earlier interface names its chain as before, or not at all', async () => {
    const plugin: Plugin = {
      name: 'two',
      version: '1.0.0',
      requires: '^1.0.0',
      options: (input) => input,
      setup({ addChain }) {
        // oxlint-disable-next-line typescript/no-deprecated -- what such a plugin says
        addChain(chain('OLD'), { code: 'OLD', name: 'Old Chain' });
        addChain(chain('BARE'));
      },
    };
    const { chainNames, priceIds } = await setUpPlugins(
      { ...WATCH_ONLY, logger: new PinoLogger({ level: 'silent' }), clock, documents },
      [{ plugin, options: {} }],
    );
    assert.deepEqual(chainNames, [
      { code: 'OLD', name: 'Old Chain' },
      { code: 'BARE', name: 'The chain BARE' },
    ]);
    assert.deepEqual(priceIds, {});
  });
});
