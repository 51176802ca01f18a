import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { arbitrum, avalanche, base, optimism, polygon } from 'viem/chains';
import { getAddress } from 'viem/utils';
import { BUILT_IN_ASSETS, isTillgateError } from '../../../core/index.ts';
import { BUILT_IN_PRICE_IDS } from '../../../plugins/prices.ts';
import { KNOWN_CHAIN_DEFINITIONS } from '../../../plugins/definitions.ts';
import { evm } from '../../../plugins/evm/index.ts';
import { EVM_PRESETS } from '../../../plugins/evm/presets.ts';

const NODE = ['https://node.example'];
const BY_HAND = {
  code: 'LINEA',
  name: 'Linea',
  chainId: 59144,
  coin: { currency: 'ETH-LINEA', symbol: 'ETH' },
  account: 7,
  blockSeconds: 2,
  confirmations: 5,
  spendableConfirmations: 100,
  finalityBlocks: 500,
} as const;

const refused = (input: unknown, path: string): void =>
  assert.throws(
    () => evm.plugin.options(input),
    (error: unknown) =>
      isTillgateError(error, 'CONFIG_INVALID') && error.details.fields?.some((field) => field.path === path) === true,
    `${path} is not named`,
  );

describe('the presets of the plugin evm', () => {
  const networks = { polygon, base, arbitrum, optimism, avalanche } as const;
  for (const [name, network] of Object.entries(networks)) {
    const preset = EVM_PRESETS[name as keyof typeof networks];
    test(`${name} has the chain id, the coin and the explorer that another library has`, () => {
      const { chainId, coin, explorer, addressExplorer, publicRpcUrl } = preset;
      assert.equal(chainId, network.id);
      assert.deepEqual([coin.symbol, coin.decimals], [network.nativeCurrency.symbol, network.nativeCurrency.decimals]);
      const { url } = network.blockExplorers.default;
      assert.deepEqual([explorer, addressExplorer], [`${url}/tx/{txid}`, `${url}/address/{address}`]);
      assert.equal(new URL(publicRpcUrl).protocol, 'https:');
      assert.equal(preset.code, name.toUpperCase());
    });

    test(`${name} takes its coin and two dollars whose contracts have their checksums`, () => {
      const { chain, definition } = evm.plugin.options({ preset: name, rpcUrls: NODE });
      assert.deepEqual(definition, preset);
      assert.deepEqual(
        chain.tokens.map(({ asset: { currency, symbol, decimals, stable } }) => [currency, symbol, decimals, stable]),
        [
          [`USDC-${preset.code}`, 'USDC', 6, true],
          [`USDT-${preset.code}`, 'USDT', 6, true],
        ],
      );
      for (const { address } of chain.tokens) assert.equal(address, getAddress(address.toLowerCase()));
      for (const { asset } of chain.tokens) assert.ok(BUILT_IN_PRICE_IDS[asset.symbol]?.['coingecko']);
    });
  }

  test('no currency is on two chains, so that no balance mixes coins of two', () => {
    const tokens = Object.values(EVM_PRESETS).flatMap((preset) => Object.keys(preset.tokens));
    const currencies = [
      ...KNOWN_CHAIN_DEFINITIONS.map(({ coin }) => coin.currency),
      ...tokens,
      ...BUILT_IN_ASSETS.filter(({ kind, chain }) => kind === 'token' || chain === 'BLN').map((one) => one.currency),
    ];
    assert.equal(new Set(currencies).size, currencies.length);
    const ids = new Set(KNOWN_CHAIN_DEFINITIONS.map(({ code }) => code));
    assert.equal(ids.size, KNOWN_CHAIN_DEFINITIONS.length);
  });

  test('the main network of one preset is never read with the tokens of another network', () => {
    const { chain } = evm.plugin.options({ preset: 'base', rpcUrls: NODE, chainId: 84532 });
    assert.deepEqual([chain.chainId, chain.tokens], [84532, []]);
  });

  test('tags are those of the chain unless the settings say otherwise', () => {
    const tags = (more: object): unknown => evm.plugin.options({ preset: 'base', rpcUrls: NODE, ...more }).chain.tags;
    assert.deepEqual(tags({}), { credit: 'safe', spend: 'finalized' });
    assert.deepEqual(tags({ creditTag: 'latest' }), { credit: 'latest', spend: 'finalized' });
    refused({ preset: 'base', rpcUrls: NODE, creditTag: 'pending' }, 'creditTag');
  });
});

describe('an EVM chain described by hand', () => {
  test('has every fact of a preset', () => {
    const { definition, chain } = evm.plugin.options({ chain: BY_HAND, rpcUrls: NODE });
    assert.deepEqual(definition.accounts, { hot: "m/44'/60'/14'", deposit: "m/44'/60'/15'" });
    assert.deepEqual([definition.coin.decimals, chain.chainId, chain.tokens], [18, 59144, []]);
    assert.deepEqual(chain.tags, { credit: 'latest', spend: 'latest' });
    assert.deepEqual(evm.plugin.accounts?.({ definition, chain }), ["m/44'/60'/14'", "m/44'/60'/15'"]);
  });

  test('is refused with the code, the coin or the account of another chain, and with half of the facts', () => {
    const chain = (more: object): unknown => ({ chain: { ...BY_HAND, ...more }, rpcUrls: NODE });
    refused(chain({ code: 'BASE' }), 'chain.code');
    refused(chain({ code: 'ETH' }), 'chain.code');
    refused(chain({ coin: { currency: 'ETH', symbol: 'ETH' } }), 'chain.coin.currency');
    refused(chain({ account: 3 }), 'chain.account');
    refused(chain({ chainId: undefined }), 'chain.chainId');
    refused(chain({ speed: 1 }), 'chain.speed');
  });

  test('needs either a preset or a description, and no node’s address is repeated', () => {
    refused({ rpcUrls: NODE }, 'preset');
    refused({ preset: 'fantom', rpcUrls: NODE }, 'preset');
    refused({ preset: 'base', chain: BY_HAND, rpcUrls: NODE }, 'chain');
    refused({ preset: 'base' }, 'rpcUrls');
    assert.throws(
      () => evm.plugin.options({ preset: 'base', rpcUrls: ['https://key-1234@node.example'], cofirmations: 3 }),
      (error: Error) => error.message.includes('cofirmations') && !error.message.includes('key-1234'),
    );
  });

  test('a signer knows it by the same options', () => {
    const signing = evm.plugin.signing?.({ preset: 'optimism' });
    assert.equal(signing?.code, 'OPTIMISM');
    assert.equal(signing.coin.currency, 'ETH-OPTIMISM');
    assert.equal(signing.tokens.size, 2);
  });
});
