import { builtInAsset, builtInChain } from '../../core/index.ts';
import type { UtxoCoin, UtxoDefaults } from '../../adapters/chains/utxo/index.ts';
import type { SegwitChainDefinition } from '../chain-definition.ts';

const MWEB =
  'is an address of the MimbleWimble extension (MWEB), which this service does not use; give one that begins with';

/** Litecoin, on its main and test networks. */
export const definition: SegwitChainDefinition & UtxoCoin & UtxoDefaults = {
  ...builtInChain('LTC'),
  coin: builtInAsset('LTC'),
  price: { ids: { coingecko: 'litecoin', kraken: 'LTCUSD' }, sandboxUsd: '80' },
  mark: { colour: '#48699c', path: 'M15 8v15h7.5M11 17.5l8.5-4' },
  addressForm: 'segwit',
  scheme: 'litecoin',
  networks: {
    main: {
      // Script addresses that begin with 3, as Bitcoin's do, are refused; those with M are unambiguous.
      addresses: { bech32: 'ltc', pubKeyHash: 0x30, scriptHash: 0x32, wif: 0xb0 },
      genesis: ['12a765e31ffd4059bada1e25190f6e98c99d9714d334efa41a195a7e7e04bfe2'],
      accounts: { hot: "m/84'/2'/0'", deposit: "m/84'/2'/1'" },
      publicKeyVersion: 0x0488b21e,
    },
    // All coins share one coin type on test networks, and Bitcoin uses its first two accounts.
    test: {
      addresses: { bech32: 'tltc', pubKeyHash: 0x6f, scriptHash: 0x3a, wif: 0xef },
      genesis: ['4966625a4b2851d9fdee139e56211a0d88575f59ed816ff5e6a63deb4e3e29a0'],
      accounts: { hot: "m/84'/1'/2'", deposit: "m/84'/1'/3'" },
      publicKeyVersion: 0x043587cf,
    },
    regtest: {
      addresses: { bech32: 'rltc', pubKeyHash: 0x6f, scriptHash: 0x3a, wif: 0xef },
      genesis: ['530827f38f93b43ed12af0b3ad25a288dc02ed74d6d7857862df51fc56c416f9'],
      accounts: { hot: "m/84'/1'/2'", deposit: "m/84'/1'/3'" },
      publicKeyVersion: 0x043587cf,
    },
  },
  // Ten times Bitcoin's rate: Litecoin nodes refuse outputs below it as dust.
  dust: 5_460n,
  ownDust: 2_940n,
  refusedPrefixes: { ltcmweb1: `${MWEB} ltc1`, tmweb1: `${MWEB} tltc1 or rltc1` },
  confirmations: 6,
  tiers: [],
  spendableConfirmations: 12,
  finalityBlocks: 100,
  basis: {
    promise:
      'No block is final: each further block makes a reorganisation more costly. Newly mined coins can be spent after 100 blocks.',
    source: 'https://github.com/litecoin-project/litecoin/blob/master/src/consensus/consensus.h',
    readOn: '2026-11-27',
  },
  pollIntervalMs: 5_000,
  blockSeconds: 150,
  // Litecoin nodes replace waiting transactions only where they are configured to. By setting `bumpAfterMs` the operator
  // confirms that his are.
  bumpAfterMs: null,
  minFeeRate: 1,
  maxFeeRate: 1_000,
  fallbackFeeRate: 10,
  dustFeeRate: 50,
  consolidateFeeRate: 10,
  maxLagBlocks: 2,
  explorer: 'https://litecoinspace.org/tx/{txid}',
  addressExplorer: 'https://litecoinspace.org/address/{address}',
};
