import { NETWORK, TEST_NETWORK } from '@scure/btc-signer';
import { BITCOIN_REGTEST, LITECOIN_REGTEST } from './segwit-address.ts';
import type { UtxoNetwork } from './segwit-address.ts';

/** The networks of a coin, by the names that the configuration uses. */
export const UTXO_NETWORKS = ['main', 'test', 'regtest'] as const;
export type UtxoNetworkName = (typeof UTXO_NETWORKS)[number];

/** One network of a coin. */
export interface UtxoNetworkTerms {
  readonly addresses: UtxoNetwork;
  /** Hashes of the first block; several where one name stands for several networks. */
  readonly genesis: readonly string[];
  /** The wallet's accounts (BIP-84): what pays, and what deposits are derived from (decisions, section 10). */
  readonly hotAccount: string;
  readonly depositAccount: string;
  /** BIP-32's version of a public key, as the node's descriptors want it. */
  readonly publicKeyVersion: number;
}

/** What tells the coins of Bitcoin's family apart. */
export interface UtxoCoin {
  readonly code: string;
  readonly name: string;
  /** Of payment URIs (BIP-21). */
  readonly scheme: string;
  readonly networks: Readonly<Record<UtxoNetworkName, UtxoNetworkTerms>>;
  /** Below these the network does not carry an output: of the largest usual form, and of the till's own. */
  readonly dust: bigint;
  readonly ownDust: bigint;
  /** Prefixes of addresses that a wallet may offer and this till cannot pay, with the reason. */
  readonly refusedPrefixes: Readonly<Record<string, string>>;
}

const XPUB = 0x0488b21e;
const TPUB = 0x043587cf;
const MWEB = 'is an address of the MimbleWimble extension (MWEB), which this service does not use; give one that begins with';

export const BITCOIN: UtxoCoin = {
  code: 'BTC',
  name: 'Bitcoin',
  scheme: 'bitcoin',
  networks: {
    main: {
      addresses: NETWORK,
      genesis: ['000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f'],
      hotAccount: "m/84'/0'/0'",
      depositAccount: "m/84'/0'/1'",
      publicKeyVersion: XPUB,
    },
    test: {
      addresses: TEST_NETWORK,
      // Testnet 3, testnet 4, signet: their addresses look the same.
      genesis: [
        '000000000933ea01ad0ee984209779baaec3ced90fa3f408719526f8d77f4943',
        '00000000da84f2bafbbc53dee25a72ae507ff4914b867c565be350b0da8bf043',
        '00000008819873e925422c1ff0f99f7cc9bbb232af63a077a480a3633bee1ef6',
      ],
      hotAccount: "m/84'/1'/0'",
      depositAccount: "m/84'/1'/1'",
      publicKeyVersion: TPUB,
    },
    regtest: {
      addresses: BITCOIN_REGTEST,
      genesis: ['0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206'],
      hotAccount: "m/84'/1'/0'",
      depositAccount: "m/84'/1'/1'",
      publicKeyVersion: TPUB,
    },
  },
  dust: 546n,
  ownDust: 294n,
  refusedPrefixes: {},
};

export const LITECOIN: UtxoCoin = {
  code: 'LTC',
  name: 'Litecoin',
  scheme: 'litecoin',
  networks: {
    main: {
      // Scripts that begin with 3, as Bitcoin's do, are not taken: M says whose they are.
      addresses: { bech32: 'ltc', pubKeyHash: 0x30, scriptHash: 0x32, wif: 0xb0 },
      genesis: ['12a765e31ffd4059bada1e25190f6e98c99d9714d334efa41a195a7e7e04bfe2'],
      hotAccount: "m/84'/2'/0'",
      depositAccount: "m/84'/2'/1'",
      publicKeyVersion: XPUB,
    },
    // Off the main networks all coins share one type of the tree: Bitcoin has its first two accounts.
    test: {
      addresses: { bech32: 'tltc', pubKeyHash: 0x6f, scriptHash: 0x3a, wif: 0xef },
      genesis: ['4966625a4b2851d9fdee139e56211a0d88575f59ed816ff5e6a63deb4e3e29a0'],
      hotAccount: "m/84'/1'/2'",
      depositAccount: "m/84'/1'/3'",
      publicKeyVersion: TPUB,
    },
    regtest: {
      addresses: LITECOIN_REGTEST,
      genesis: ['530827f38f93b43ed12af0b3ad25a288dc02ed74d6d7857862df51fc56c416f9'],
      hotAccount: "m/84'/1'/2'",
      depositAccount: "m/84'/1'/3'",
      publicKeyVersion: TPUB,
    },
  },
  // Ten times Bitcoin's rate: what a node of the kind refuses as dust.
  dust: 5_460n,
  ownDust: 2_940n,
  refusedPrefixes: { ltcmweb1: `${MWEB} ltc1`, tmweb1: `${MWEB} tltc1 or rltc1` },
};
