import { builtInAsset, builtInChain } from '../../core/index.ts';
import type { UtxoCoin, UtxoDefaults } from '../../adapters/chains/utxo/index.ts';
import type { SegwitChainDefinition } from '../chain-definition.ts';

const COIN = 100_000_000n;

/** Bitcoin, on its main and test networks. */
export const definition: SegwitChainDefinition & UtxoCoin & UtxoDefaults = {
  ...builtInChain('BTC'),
  coin: builtInAsset('BTC'),
  price: { ids: { coingecko: 'bitcoin', kraken: 'XBTUSD' }, sandboxUsd: '60000' },
  mark: {
    colour: '#b8650f',
    path: 'M12 9v14M10 9h7a3.5 3.5 0 0 1 0 7h-5M17.5 16a3.5 3.5 0 0 1 0 7H10M14 6.5V9M17.5 6.5V9M14 23v2.5M17.5 23v2.5',
  },
  addressForm: 'segwit',
  scheme: 'bitcoin',
  networks: {
    main: {
      addresses: { bech32: 'bc', pubKeyHash: 0x00, scriptHash: 0x05, wif: 0x80 },
      genesis: ['000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f'],
      accounts: { hot: "m/84'/0'/0'", deposit: "m/84'/0'/1'" },
      publicKeyVersion: 0x0488b21e,
    },
    test: {
      addresses: { bech32: 'tb', pubKeyHash: 0x6f, scriptHash: 0xc4, wif: 0xef },
      // Testnet 3, testnet 4 and signet have the same addresses.
      genesis: [
        '000000000933ea01ad0ee984209779baaec3ced90fa3f408719526f8d77f4943',
        '00000000da84f2bafbbc53dee25a72ae507ff4914b867c565be350b0da8bf043',
        '00000008819873e925422c1ff0f99f7cc9bbb232af63a077a480a3633bee1ef6',
      ],
      accounts: { hot: "m/84'/1'/0'", deposit: "m/84'/1'/1'" },
      publicKeyVersion: 0x043587cf,
    },
    regtest: {
      addresses: { bech32: 'bcrt', pubKeyHash: 0x6f, scriptHash: 0xc4, wif: 0xef },
      genesis: ['0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206'],
      accounts: { hot: "m/84'/1'/0'", deposit: "m/84'/1'/1'" },
      publicKeyVersion: 0x043587cf,
    },
  },
  dust: 546n,
  ownDust: 294n,
  refusedPrefixes: {},
  confirmations: 1,
  // Reversing a large payment can be worth the effort for a miner, so it waits for more blocks.
  tiers: [
    { above: COIN, confirmations: 3 },
    { above: 10n * COIN, confirmations: 6 },
  ],
  spendableConfirmations: 6,
  finalityBlocks: 100,
  basis: {
    promise:
      'No block is final: each further block makes a reorganisation more costly. Newly mined coins can be spent after 100 blocks.',
    source: 'https://docs.rs/blvm-protocol/0.1.39/blvm_protocol/constants/constant.COINBASE_MATURITY.html',
    readOn: '2026-11-27',
  },
  pollIntervalMs: 10_000,
  blockSeconds: 600,
  bumpAfterMs: 1_800_000,
  minFeeRate: 1,
  maxFeeRate: 500,
  fallbackFeeRate: 10,
  // The long-term fee rate of Bitcoin Core (`consolidatefeerate`): a fee spike never changes what is credited.
  dustFeeRate: 10,
  consolidateFeeRate: 3,
  maxLagBlocks: 1,
  explorer: 'https://mempool.space/tx/{txid}',
  addressExplorer: 'https://mempool.space/address/{address}',
};
