// Imported from single files and not from the families' indexes, because addresses need no engine.
import type { AccountKey } from '../adapters/chains/account-key.ts';
import { evmAddress, evmKey, normaliseEvmAddress } from '../adapters/chains/evm/evm-address.ts';
import { tronAddress, tronKey } from '../adapters/chains/tron/tron-address.ts';
import { readUtxoAddress, segwitAddress } from '../adapters/chains/utxo/segwit-address.ts';
import type { UtxoNetwork } from '../adapters/chains/utxo/segwit-address.ts';
import type { ChainAccounts, ChainDefinition } from './chain-definition.ts';

/** The text of an address, and its key for comparisons. */
export interface KeyedAddress {
  readonly address: string;
  readonly key: string;
}

/** Encodes and decodes the addresses of one network. */
export interface AddressCodec {
  fromPublicKey(publicKey: Uint8Array): KeyedAddress;
  /** The address of a child of an account, from the form of its key that takes the least work. */
  derive(account: AccountKey, index: number): KeyedAddress;
  /** `null` for a text that is not an address of the network. */
  read(text: string): KeyedAddress | null;
}

/** One network of a defined chain. */
export interface ChainNetwork {
  readonly accounts: ChainAccounts;
  readonly codec: AddressCodec;
}

/** The networks of a chain: the main network first and the regression-test network last, which may be the same. */
export function networksOf(definition: ChainDefinition): readonly [main: ChainNetwork, ...others: ChainNetwork[]] {
  if (definition.addressForm !== 'segwit')
    return [{ accounts: definition.accounts, codec: CODECS[definition.addressForm] }];
  const { main, test, regtest } = definition.networks;
  const network = ({ accounts, addresses }: typeof main): ChainNetwork => ({ accounts, codec: segwitCodec(addresses) });
  return [network(main), network(test), network(regtest)];
}

function keyedCodec(addressOf: (key: string) => string, read: AddressCodec['read']): AddressCodec {
  const fromPublicKey = (publicKey: Uint8Array): KeyedAddress => {
    const key = evmKey(publicKey);
    return { address: addressOf(key), key };
  };
  return { fromPublicKey, derive: (account, index) => fromPublicKey(account.point(index)), read };
}

const CODECS: Readonly<Record<'evm' | 'tron', AddressCodec>> = {
  evm: keyedCodec(evmAddress, (text) => {
    const address = normaliseEvmAddress(text);
    return address === null ? null : { address, key: address.slice(2).toLowerCase() };
  }),
  tron: keyedCodec(tronAddress, (text) => {
    const key = tronKey(text);
    return key === null ? null : { address: tronAddress(key), key };
  }),
};

function segwitCodec(network: UtxoNetwork): AddressCodec {
  return {
    fromPublicKey: (publicKey) => segwitAddress(publicKey, network),
    derive: (account, index) => segwitAddress(account.publicKey(index), network),
    read: (text) => readUtxoAddress(text, network),
  };
}
