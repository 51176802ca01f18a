import { Address, OutScript } from '@scure/btc-signer';
import type { NETWORK } from '@scure/btc-signer';
import { hash160 } from '@scure/btc-signer/utils.js';
import { assert } from '../../../core/index.ts';

const COMPRESSED_BYTES = 33;

/** The prefixes that distinguish the addresses of UTXO networks. */
export type UtxoNetwork = typeof NETWORK;

/** A native segwit address (BIP-84) and its watch key, the output script in hexadecimal. */
export function segwitAddress(
  publicKey: Uint8Array,
  network: UtxoNetwork,
): { readonly address: string; readonly key: string } {
  assert(publicKey.length === COMPRESSED_BYTES, 'a key that is not compressed'); // BIP-143 takes no other.
  // Faster than `p2wpkh`, which decompresses the key to check it.
  const output = { type: 'wpkh', hash: hash160(publicKey) } as const;
  return { address: Address(network).encode(output), key: Buffer.from(OutScript.encode(output)).toString('hex') };
}

/** The address of the network in its usual form, and its watch key; `null` for an invalid text. */
export function readUtxoAddress(
  text: string,
  network: UtxoNetwork,
): { readonly address: string; readonly key: string } | null {
  const coder = Address(network);
  try {
    const output = coder.decode(text);
    return { address: coder.encode(output), key: Buffer.from(OutScript.encode(output)).toString('hex') };
  } catch {
    return null;
  }
}
