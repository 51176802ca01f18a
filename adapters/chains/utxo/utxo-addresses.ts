import { formatUnits } from '../../../core/index.ts';
import type { PaymentTarget } from '../../../core/index.ts';
import { readUtxoAddress } from './segwit-address.ts';
import { COIN_DECIMALS } from './node-values.ts';
import type { UtxoCoin, UtxoNetworkName } from './utxo-coins.ts';

/** Reads and writes the addresses of one network. */
export class UtxoAddresses {
  readonly #coin: UtxoCoin;
  readonly #network: UtxoNetworkName;

  constructor(coin: UtxoCoin, network: UtxoNetworkName) {
    this.#coin = coin;
    this.#network = network;
  }

  /** The address in its usual form and its script in hexadecimal; `null` when it is not of this network. */
  read(text: string): { readonly address: string; readonly key: string } | null {
    return readUtxoAddress(text, this.#coin.networks[this.#network].addresses);
  }

  /** The reason why an address is refused, in words that complete "the address …". */
  problem(text: string): string {
    const lower = text.toLowerCase();
    const known = Object.entries(this.#coin.refusedPrefixes).find(([prefix]) => lower.startsWith(prefix));
    return known?.[1] ?? `is not an address of ${this.#coin.name} on its ${this.#network} network`;
  }

  /** The payment as a BIP-21 URI. */
  paymentUri({ address, units }: PaymentTarget): string {
    return `${this.#coin.scheme}:${address}?amount=${formatUnits(units, COIN_DECIMALS)}`;
  }
}
