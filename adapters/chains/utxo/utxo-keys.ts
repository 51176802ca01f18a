import type { PayingAddress } from '../../../core/index.ts';
import { assert } from '../../../core/index.ts';
import { AccountKey } from '../account-key.ts';
import { segwitAddress } from './segwit-address.ts';
import type { UtxoNetworkTerms } from './utxo-coins.ts';

/** One of the till's own addresses with its key's place in the wallet. */
export interface OwnKey {
  readonly path: string;
  readonly publicKey: Uint8Array;
  readonly address: string;
  /** The output script, 22 bytes. */
  readonly script: Uint8Array;
}

/** The public keys that payments are signed with: the hot address, and the deposit addresses by their index. */
export class UtxoKeys {
  readonly hot: OwnKey;
  readonly #network: UtxoNetworkTerms;
  readonly #deposits: AccountKey;

  constructor(network: UtxoNetworkTerms, hotXpub: string, depositXpub: string) {
    this.#network = network;
    this.#deposits = new AccountKey(depositXpub);
    this.hot = this.#key(new AccountKey(hotXpub), network.accounts.hot, 0);
  }

  /** @throws Error when the address is not the one of its index: a coin of another wallet */
  of({ address, index }: PayingAddress): OwnKey {
    const key = index === null ? this.hot : this.#key(this.#deposits, this.#network.accounts.deposit, index);
    assert(key.address === address, `${address} is not the address of ${key.path}`);
    return key;
  }

  #key(account: AccountKey, path: string, index: number): OwnKey {
    const publicKey = account.publicKey(index);
    const { address, key } = segwitAddress(publicKey, this.#network.addresses);
    return { path: `${path}/0/${index}`, publicKey, address, script: Buffer.from(key, 'hex') };
  }
}
