import { createHash } from 'node:crypto';
import { formatUnits } from '../../core/index.ts';
import type { Asset, ChainCode, PaymentTarget } from '../../core/index.ts';
// From their files, not the package: a simulated chain needs no node's client in memory.
import { tronAddress, tronKey } from '../../adapters/chains/tron/tron-address.ts';
import { BITCOIN_REGTEST, LITECOIN_REGTEST, readUtxoAddress, segwitAddress } from '../../adapters/chains/utxo/segwit-address.ts';
import type { UtxoNetwork } from '../../adapters/chains/utxo/segwit-address.ts';
import { evmAddress, evmKey, evmPaymentUri, normaliseEvmAddress } from '../../adapters/chains/evm/evm-address.ts';

/** An address as it is written, and as it is compared. */
export interface KeyedAddress {
  readonly address: string;
  readonly key: string;
}

/** How a chain's addresses, hashes and payments look. */
export interface Addressing {
  /** The account whose keys its deposit addresses are made of: even a real coin sent there by mistake is the operator's. */
  readonly account: string;
  /** The account whose first key is the hot wallet's. */
  readonly hotAccount: string;
  fromPublicKey(publicKey: Uint8Array): KeyedAddress;
  /** `null` when the text is no address of the chain. */
  read(text: string): KeyedAddress | null;
  /** Before the 64 digits of a hash. */
  readonly hashPrefix: string;
  /** Whom payments come from; `null` where a chain's payments have no single sender. */
  readonly payer: string | null;
  contract(asset: Asset): string;
  uri(target: PaymentTarget, asset: Asset, contract: string): string;
}

/** The chain id of private networks: no wallet pays a sandbox's order with real coins by its payment URI. */
const SANDBOX_CHAIN_ID = 1337;

function pseudoKey(name: string): string {
  return createHash('sha256').update(`tillgate sandbox ${name}`).digest('hex').slice(0, 40);
}

function evm(code: ChainCode, hotAccount: string, account: string): Addressing {
  return {
    account,
    hotAccount,
    fromPublicKey(publicKey) {
      const key = evmKey(publicKey);
      return { address: evmAddress(key), key };
    },
    read(text) {
      const address = normaliseEvmAddress(text);
      return address === null ? null : { address, key: address.slice(2).toLowerCase() };
    },
    hashPrefix: '0x',
    payer: evmAddress(pseudoKey(`payer ${code}`)),
    contract: ({ currency, kind }) => (kind === 'native' ? '' : evmAddress(pseudoKey(`contract ${currency}`))),
    uri: (target, _asset, contract) => evmPaymentUri(SANDBOX_CHAIN_ID, contract, target),
  };
}

function utxo(hotAccount: string, account: string, network: UtxoNetwork, scheme: string): Addressing {
  return {
    account,
    hotAccount,
    fromPublicKey: (publicKey) => segwitAddress(publicKey, network),
    read: (text) => readUtxoAddress(text, network),
    hashPrefix: '',
    payer: null,
    contract: () => '',
    uri: ({ address, units }, { decimals }) => `${scheme}:${address}?amount=${formatUnits(units, decimals)}`,
  };
}

const tron: Addressing = {
  account: "m/44'/195'/1'",
  hotAccount: "m/44'/195'/0'",
  fromPublicKey(publicKey) {
    const key = evmKey(publicKey);
    return { address: tronAddress(key), key };
  },
  read(text) {
    const key = tronKey(text);
    return key === null ? null : { address: tronAddress(key), key };
  },
  hashPrefix: '',
  payer: tronAddress(pseudoKey('payer TRX')),
  contract: ({ currency, kind }) => (kind === 'native' ? '' : tronAddress(pseudoKey(`contract ${currency}`))),
  uri: ({ address }) => address,
};

/**
 * The simulated chains. Accounts are those of decisions, section 10; Bitcoin and Litecoin share a coin type off their
 * main networks and so take four accounts of it, lest one key serve two chains.
 */
export const ADDRESSINGS: ReadonlyMap<ChainCode, Addressing> = new Map([
  ['ETH', evm('ETH', "m/44'/60'/0'", "m/44'/60'/1'")],
  ['BTC', utxo("m/84'/1'/0'", "m/84'/1'/1'", BITCOIN_REGTEST, 'bitcoin')],
  ['LTC', utxo("m/84'/1'/2'", "m/84'/1'/3'", LITECOIN_REGTEST, 'litecoin')],
  ['BSC', evm('BSC', "m/44'/60'/2'", "m/44'/60'/3'")],
  ['TRX', tron],
]);
