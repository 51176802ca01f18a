import { ECDH, createHash } from 'node:crypto';
import { createBase58check } from '@scure/base';
import { HDKey } from '@scure/bip32';
import { Address, OutScript } from '@scure/btc-signer';
import type { NETWORK } from '@scure/btc-signer';
import { hash160 } from '@scure/btc-signer/utils.js';
import { getAddress, keccak256 } from 'viem/utils';
import { TillgateError, assert, isTillgateError } from '../../core/index.ts';
import { PublicChildren } from './public-children.ts';

/** BIP-32's version of a public key of the main network: `xpub`. */
const XPUB_VERSION = 0x0488b21e;
/** Other spellings of extended public keys: `ypub zpub tpub upub vpub Ltub` say which addresses a wallet makes of them. */
const PUBLIC_VERSIONS: ReadonlySet<number> = new Set([XPUB_VERSION, 0x049d7cb2, 0x04b24746, 0x043587cf, 0x044a5262, 0x045f1cf6, 0x019da462]);
/** `xprv yprv zprv tprv uprv vprv Ltpv`. */
const PRIVATE_VERSIONS: ReadonlySet<number> = new Set([0x0488ade4, 0x049d7878, 0x04b2430c, 0x04358394, 0x044a4e28, 0x045f18bc, 0x019d9cfe]);
const ACCOUNT_DEPTH = 3;
const COMPRESSED_BYTES = 33;
const UNCOMPRESSED_BYTES = 65;
/** BIP-44's external chain: addresses that are given to payers. */
const EXTERNAL = 0;
const TRON_PREFIX = 0x41;

const base58check = createBase58check((bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest());

/** The public half of a wallet account: derives `…/0/i` without any private key. */
export class AccountKey {
  /** 16 hexadecimal digits that tell this key from every other; nothing can be derived from them. */
  readonly walletId: string;
  readonly #receiving: PublicChildren;

  /**
   * @param extendedKey - an account's (`m/44'/60'/1'`) extended public key, in any of its spellings
   * @throws TillgateError `CONFIG_INVALID` when it is none; the message does not repeat it
   */
  constructor(extendedKey: string) {
    const xpub = toXpub(extendedKey);
    const account = HDKey.fromExtendedKey(xpub);
    if (account.depth !== ACCOUNT_DEPTH) throw refused('is not the key of an account (m/purpose/coin/account)');
    this.#receiving = new PublicChildren(account.deriveChild(EXTERNAL));
    this.walletId = createHash('sha256').update(xpub).digest('hex').slice(0, 16);
  }

  /** The compressed public key of `…/0/index`, 33 bytes. */
  publicKey(index: number): Uint8Array {
    return this.#receiving.compressed(index);
  }

  /** The same key for {@link evmKey}: 65 bytes where it comes uncompressed for nothing, else 33. */
  point(index: number): Uint8Array {
    return this.#receiving.point(index);
  }
}

/**
 * The extended public key of an account when it is spelled `xpub`, else `null`: `ypub`, `zpub`, `Ltub` and their kin say
 * that the addresses are another chain's.
 */
export function readXpub(text: string): string | null {
  if (!text.startsWith('xpub')) return null;
  try {
    new AccountKey(text);
    return text;
  } catch (error) {
    if (isTillgateError(error, 'CONFIG_INVALID')) return null;
    throw error;
  }
}

function toXpub(extendedKey: string): string {
  let bytes: Uint8Array;
  try {
    bytes = base58check.decode(extendedKey);
  } catch {
    throw refused('is not valid');
  }
  if (bytes.length !== 78) throw refused('is not valid');
  const version = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
  if (PRIVATE_VERSIONS.has(version)) throw refused('is a private key; give the public one');
  if (!PUBLIC_VERSIONS.has(version)) throw refused('is of an unknown kind');
  const plain = Uint8Array.from(bytes);
  new DataView(plain.buffer).setUint32(0, XPUB_VERSION);
  return base58check.encode(plain);
}

function refused(what: string): TillgateError {
  return new TillgateError('CONFIG_INVALID', `The extended public key ${what}.`, { fields: [{ path: 'xpub', message: what }] });
}

/** An EVM address with its checksum (EIP-55) from a watch key: 40 hexadecimal digits. */
export function evmAddress(key: string): string {
  return getAddress(`0x${key}`);
}

/** The watch key of a public key's EVM address, 40 lower-case hexadecimal digits; the key in 33 or 65 bytes. */
export function evmKey(publicKey: Uint8Array): string {
  // The address is a hash of the uncompressed form; OpenSSL finds the other coordinate ten times faster than script does.
  const point = publicKey.length === UNCOMPRESSED_BYTES ? publicKey : expanded(publicKey);
  return keccak256(point.subarray(1)).slice(-40);
}

function expanded(publicKey: Uint8Array): Uint8Array {
  return ECDH.convertKey(publicKey, 'secp256k1', undefined, undefined, 'uncompressed') as Uint8Array;
}

/** A Tron address, base58 with its checksum, from the key hash that EVM addresses have too. */
export function tronAddress(key: string): string {
  return base58check.encode(Uint8Array.from([TRON_PREFIX, ...Buffer.from(key, 'hex')]));
}

/** The key hash of a Tron address, 40 lower-case hexadecimal digits; `null` when the text is none. */
export function tronKey(address: string): string | null {
  try {
    const bytes = base58check.decode(address);
    return bytes.length === 21 && bytes[0] === TRON_PREFIX ? Buffer.from(bytes.subarray(1)).toString('hex') : null;
  } catch {
    return null;
  }
}

/** The prefixes that tell the addresses of one UTXO network from another's. */
export type UtxoNetwork = typeof NETWORK;

/** Bitcoin's regression test network: addresses begin with `bcrt1`. */
export const BITCOIN_REGTEST: UtxoNetwork = { bech32: 'bcrt', pubKeyHash: 0x6f, scriptHash: 0xc4, wif: 0xef };
/** Litecoin's: addresses begin with `rltc1`. */
export const LITECOIN_REGTEST: UtxoNetwork = { bech32: 'rltc', pubKeyHash: 0x6f, scriptHash: 0x3a, wif: 0xef };

/** A native segwit address (BIP-84) and its watch key, the output script in hexadecimal. */
export function segwitAddress(publicKey: Uint8Array, network: UtxoNetwork): { readonly address: string; readonly key: string } {
  assert(publicKey.length === COMPRESSED_BYTES, 'a key that is not compressed'); // BIP-143 takes no other.
  // Its parts in place of `p2wpkh`, which decompresses the key only to see that it is one.
  const output = { type: 'wpkh', hash: hash160(publicKey) } as const;
  return { address: Address(network).encode(output), key: Buffer.from(OutScript.encode(output)).toString('hex') };
}

/** An address of the network as it is usually written, and its watch key; `null` when the text is none. */
export function readUtxoAddress(text: string, network: UtxoNetwork): { readonly address: string; readonly key: string } | null {
  const coder = Address(network);
  try {
    const output = coder.decode(text);
    return { address: coder.encode(output), key: Buffer.from(OutScript.encode(output)).toString('hex') };
  } catch {
    return null;
  }
}
