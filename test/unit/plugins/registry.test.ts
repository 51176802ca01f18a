import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PACKAGES } from '../../../.ci/packages.mjs';
import { BUILT_IN_ASSETS } from '../../../core/index.ts';
import { SANDBOX_PRICES } from '../../../host/settings/static-prices.ts';
import { networksOf } from '../../../plugins/address-codec.ts';
import { CHAIN_DEFINITIONS, DEFINITIONS, KNOWN_CHAIN_DEFINITIONS } from '../../../plugins/definitions.ts';
import type { ChainDefinition } from '../../../plugins/chain-definition.ts';
import { EVM_PRESETS } from '../../../plugins/evm/presets.ts';
import { bitcoin } from '../../../plugins/bitcoin/index.ts';
import { bsc } from '../../../plugins/bsc/index.ts';
import { chat } from '../../../plugins/chat/index.ts';
import { ethereum } from '../../../plugins/ethereum/index.ts';
import { evm } from '../../../plugins/evm/index.ts';
import { lightning } from '../../../plugins/lightning/index.ts';
import { litecoin } from '../../../plugins/litecoin/index.ts';
import { sandbox } from '../../../plugins/sandbox/index.ts';
import { smtp } from '../../../plugins/smtp/index.ts';
import { tron } from '../../../plugins/tron/index.ts';
import { BUILT_IN_PRICE_IDS } from '../../../plugins/prices.ts';
import { BUILT_IN_NAMES, isBuiltIn, loadBuiltIn } from '../../../plugins/registry.ts';

/** The plugins by the names of their modules. */
const EXPORTED = { bitcoin, bsc, chat, ethereum, evm, lightning, litecoin, sandbox, smtp, tron };
const PUBLIC_KEY = Buffer.from('0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798', 'hex');

describe('the registry of built-in plugins', () => {
  test('names every plugin that has an entry point, such as tillgate/plugins/ethereum', () => {
    const [tillgate] = PACKAGES;
    const published = Object.keys(tillgate?.entries ?? {}).flatMap(
      (entry) => /^\.\/plugins\/(.+)$/.exec(entry)?.[1] ?? [],
    );
    assert.deepEqual(published.sort(), [...BUILT_IN_NAMES].sort());
  });

  for (const name of BUILT_IN_NAMES) {
    test(`loads ${name} as the configuration names it`, async () => {
      assert.ok(isBuiltIn(name));
      const loaded = (await loadBuiltIn(name)) as { readonly plugin: { readonly name: string } };
      assert.equal(loaded.plugin.name, name);
      assert.equal(loaded, EXPORTED[name]);
    });
  }

  test('a name that every object inherits is not built in', () => {
    assert.equal(isBuiltIn('constructor'), false);
  });
});

describe('the definitions of the built-in chains', () => {
  for (const [name, definition] of Object.entries<ChainDefinition>({ ...DEFINITIONS, ...EVM_PRESETS })) {
    test(`${name} says everything that the rest of the till derives from it`, () => {
      const { coin, code, confirmations, spendableConfirmations, finalityBlocks, maxLagBlocks, blockSeconds } =
        definition;
      assert.ok(isBuiltIn(name) || Object.hasOwn(EVM_PRESETS, name));
      assert.equal(coin.chain, code);
      assert.equal(coin.kind, 'native');
      for (const source of ['coingecko', 'kraken'])
        assert.ok(BUILT_IN_PRICE_IDS[coin.symbol]?.[source], `${coin.symbol} has no id at ${source}`);
      assert.ok(Number(SANDBOX_PRICES[coin.symbol]) > 0);
      assert.ok(maxLagBlocks >= 1 && blockSeconds > 0);
      assert.ok(
        confirmations >= 1 && spendableConfirmations >= confirmations && finalityBlocks >= spendableConfirmations,
      );
    });

    test(`${name} reads the addresses that it makes, on each of its networks`, () => {
      for (const { accounts, codec } of networksOf(definition)) {
        const made = codec.fromPublicKey(PUBLIC_KEY);
        assert.deepEqual(codec.read(made.address), made);
        assert.equal(codec.read('nonsense'), null);
        assert.match(accounts.hot, /^m\/\d+'\/\d+'\/\d+'$/);
      }
    });
  }

  test('no account serves two chains, nor two purposes, on any network', () => {
    const owners = new Map<string, string>();
    for (const definition of KNOWN_CHAIN_DEFINITIONS) {
      for (const { accounts } of networksOf(definition)) {
        for (const [purpose, account] of Object.entries<string>({ ...accounts })) {
          const owner = `${definition.code} ${purpose}`;
          assert.equal(owners.get(account) ?? owner, owner, `${account} serves ${owner} too`);
          owners.set(account, owner);
        }
      }
    }
    assert.ok(owners.size >= 2 * KNOWN_CHAIN_DEFINITIONS.length);
  });

  test('every built-in pair is on a built-in chain, and can be priced', () => {
    for (const { chain, symbol, currency } of BUILT_IN_ASSETS) {
      assert.ok(chain === 'BLN' || CHAIN_DEFINITIONS.some(({ code }) => code === chain), currency);
      assert.deepEqual(Object.keys(BUILT_IN_PRICE_IDS[symbol] ?? {}).sort(), ['coingecko', 'kraken'], currency);
    }
  });
});
