import { createHash } from 'node:crypto';
import { formatUnits } from '../../core/index.ts';
import type { Asset, PaymentTarget } from '../../core/index.ts';
import { evmAddress, evmPaymentUri } from '../../adapters/chains/evm/evm-address.ts';
import { tronAddress } from '../../adapters/chains/tron/tron-address.ts';
import { networksOf } from '../address-codec.ts';
import type { AddressCodec, ChainNetwork } from '../address-codec.ts';
import type { ChainDefinition } from '../chain-definition.ts';

export type { KeyedAddress } from '../address-codec.ts';

/** The formats of a simulated chain's addresses, hashes and payments. */
export interface Addressing extends AddressCodec {
  /** The prefix of the 64 digits of a hash. */
  readonly hashPrefix: string;
  /** The sender of payments; `null` where payments of the chain have no single sender. */
  readonly payer: string | null;
  contract(asset: Asset): string;
  uri(target: PaymentTarget, asset: Asset, contract: string): string;
}

/** The chain id of private networks, so that no wallet pays a sandbox order with real coins by its payment URI. */
const SANDBOX_CHAIN_ID = 1337;

/**
 * The network whose address form and accounts a simulated chain has: the regression-test network, where there is one.
 * The accounts are the till's own, so that a real coin sent to such an address by mistake belongs to the operator.
 */
export function sandboxNetwork(definition: ChainDefinition): ChainNetwork {
  const [main, ...others] = networksOf(definition);
  return others.at(-1) ?? main;
}

/** The address formats of a defined chain, simulated. */
export function addressingOf(definition: ChainDefinition): Addressing {
  return { ...sandboxNetwork(definition).codec, ...paymentForms(definition) };
}

function paymentForms(definition: ChainDefinition): Omit<Addressing, keyof AddressCodec> {
  const { addressForm, code } = definition;
  if (addressForm === 'segwit') {
    const uri = ({ address, units }: PaymentTarget, { decimals }: Asset): string =>
      `${definition.scheme}:${address}?amount=${formatUnits(units, decimals)}`;
    return { hashPrefix: '', payer: null, contract: () => '', uri };
  }
  const write = addressForm === 'evm' ? evmAddress : tronAddress;
  return {
    hashPrefix: addressForm === 'evm' ? '0x' : '',
    payer: write(pseudoKey(`payer ${code}`)),
    contract: ({ currency, kind }) => (kind === 'native' ? '' : write(pseudoKey(`contract ${currency}`))),
    uri: (target, _asset, contract) =>
      addressForm === 'evm' ? evmPaymentUri(SANDBOX_CHAIN_ID, contract, target) : target.address,
  };
}

function pseudoKey(name: string): string {
  return createHash('sha256').update(`tillgate sandbox ${name}`).digest('hex').slice(0, 40);
}
