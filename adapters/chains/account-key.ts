import { createHash } from 'node:crypto';
import { createBase58check } from '@scure/base';
import { HDKey } from '@scure/bip32';
import { TillgateError, isTillgateError } from '../../core/index.ts';
import { PublicChildren } from './public-children.ts';

/** BIP-32's version of a public key of the main network: `xpub`. */
const XPUB_VERSION = 0x0488b21e;
/** Versions of extended public keys: `xpub`, and `ypub zpub tpub upub vpub Ltub` for other networks and address types. */
const PUBLIC_VERSIONS: ReadonlySet<number> = new Set([
  XPUB_VERSION,
  0x049d7cb2,
  0x04b24746,
  0x043587cf,
  0x044a5262,
  0x045f1cf6,
  0x019da462,
]);
/** `xprv yprv zprv tprv uprv vprv Ltpv`. */
const PRIVATE_VERSIONS: ReadonlySet<number> = new Set([
  0x0488ade4, 0x049d7878, 0x04b2430c, 0x04358394, 0x044a4e28, 0x045f18bc, 0x019d9cfe,
]);
const ACCOUNT_DEPTH = 3;
/** BIP-44's external chain: addresses that are given to payers. */
const EXTERNAL = 0;

const base58check = createBase58check((bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest());

/** The public half of a wallet account: derives `…/0/i` without any private key. */
export class AccountKey {
  /** A fingerprint of 16 hexadecimal digits; nothing can be derived from it. */
  readonly walletId: string;
  readonly #account: HDKey;
  #receiving: PublicChildren | null = null;

  /**
   * @param extendedKey - an account's (`m/44'/60'/1'`) extended public key, in any of its spellings
   * @throws TillgateError `CONFIG_INVALID` when it is invalid; the message does not repeat it
   */
  constructor(extendedKey: string) {
    const xpub = toXpub(extendedKey);
    const account = HDKey.fromExtendedKey(xpub);
    if (account.depth !== ACCOUNT_DEPTH) throw refused('is not the key of an account (m/purpose/coin/account)');
    this.#account = account;
    this.walletId = createHash('sha256').update(xpub).digest('hex').slice(0, 16);
  }

  /** The compressed public key of `…/0/index`, 33 bytes. */
  publicKey(index: number): Uint8Array {
    return this.#children().compressed(index);
  }

  /** The key for {@link evmKey}: 65 bytes where the uncompressed form costs nothing, otherwise 33. */
  point(index: number): Uint8Array {
    return this.#children().point(index);
  }

  /** Derived when the first address is needed, since many commands need none. */
  #children(): PublicChildren {
    this.#receiving ??= new PublicChildren(this.#account.deriveChild(EXTERNAL));
    return this.#receiving;
  }
}

/**
 * The extended public key of an account when it is spelled `xpub`, else `null`: `ypub`, `zpub`, `Ltub` and similar forms
 * belong to another chain's addresses.
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
  return new TillgateError('CONFIG_INVALID', `The extended public key ${what}.`, {
    fields: [{ path: 'xpub', message: what }],
  });
}
