import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PinoLogger } from '../../../adapters/logging/index.ts';
import type { ChainAdapter, DocumentStore, Plugin } from '../../../core/index.ts';
import { rateSource } from '../../../host/http/lazy-edges.ts';
import { setUpPlugins } from '../../../host/boot/plugin-registry.ts';
import { WATCH_ONLY } from '../../../host/wallet/wallet.ts';
import { chainDetails } from '../../../plugins/chain-definition.ts';
import { CHAIN_DEFINITIONS } from '../../../plugins/definitions.ts';
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

  test('a plugin names its chain, or the chain has the name of its adapter', async () => {
    const plugin: Plugin = {
      name: 'two',
      version: '1.0.0',
      requires: '^1.0.0',
      options: (input) => input,
      setup({ addChain }) {
        addChain(chain('NAMED'), { name: 'Named Chain' });
        addChain(chain('BARE'));
      },
    };
    const { chainNames, priceIds } = await setUpPlugins(
      { ...WATCH_ONLY, logger: new PinoLogger({ level: 'silent' }), clock, documents },
      [{ plugin, options: {} }],
    );
    assert.deepEqual(chainNames, [
      { code: 'NAMED', name: 'Named Chain' },
      { code: 'BARE', name: 'The chain BARE' },
    ]);
    assert.deepEqual(priceIds, {});
  });

  test('fault 228: an explorer that is no https page with the transaction in it is refused, and a built-in chain has one on its main network alone', async () => {
    const add = (explorer: string) =>
      setUpPlugins({ ...WATCH_ONLY, logger: new PinoLogger({ level: 'silent' }), clock, documents }, [
        {
          plugin: {
            name: 'two',
            version: '1.0.0',
            requires: '^1.9.0',
            options: (input) => input,
            setup: ({ addChain }) => addChain(chain('NEW'), { explorer }),
          },
          options: {},
        },
      ]);
    const good = 'https://explorer.example/tx/{txid}';
    assert.deepEqual((await add(good)).chainNames, [{ code: 'NEW', name: 'The chain NEW', explorer: good }]);
    for (const bad of [
      'javascript:alert({txid})',
      'http://x.example/{txid}',
      'https://x.example/',
      'https://x/"{txid}',
    ])
      await assert.rejects(add(bad), /must be an https URL with \{txid\}/, bad);
    for (const definition of CHAIN_DEFINITIONS) {
      const on = (mainNetwork: boolean): ChainAdapter =>
        ({ nodes: { hosts: [], quorum: 1, mainNetwork, insecure: [] } }) as unknown as ChainAdapter;
      assert.match(chainDetails(definition, on(true)).explorer ?? '', /^https:\/\/.*\{txid\}$/, definition.code);
      assert.equal(chainDetails(definition, on(false)).explorer, undefined);
    }
  });
});
