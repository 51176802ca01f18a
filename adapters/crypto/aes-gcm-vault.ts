import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { TillgateError } from '../../core/index.ts';
import type { Vault } from '../../core/index.ts';
import { deriveSubKeys } from './master-keys.ts';
import type { MasterKeys, SubKey } from './master-keys.ts';
import { ShortHmac } from './short-hmac.ts';

const ALGORITHM = 'aes-256-gcm';
const VERSION = 1;
const KEY_ID_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + KEY_ID_BYTES;
const SHORTEST = HEADER_BYTES + NONCE_BYTES + TAG_BYTES;
const BASE64URL = /^[A-Za-z0-9_-]+$/;

/**
 * {@link Vault} with AES-256-GCM: `version | key id | nonce | ciphertext | tag` as base64url, the header and the
 * record's context authenticated along with the text.
 *
 * Rotation: seal and hash with the current master key, open with the one that the key id names, look up by the hashes of all.
 * Nonces are random, good for 2^32 texts a key (NIST SP 800-38D, 8.3).
 */
export class AesGcmVault implements Vault {
  readonly #current: SubKey;
  readonly #byId: ReadonlyMap<string, KeyObject>;
  readonly #lookups: readonly Lookup[];

  /** @throws TillgateError `CONFIG_INVALID` when a key does not have 32 bytes, or two are equal. */
  constructor(keys: MasterKeys) {
    const subKeys = deriveSubKeys(keys, 'tillgate/vault');
    this.#current = subKeys[0];
    this.#byId = new Map(subKeys.map(({ id, key }) => [id, key]));
    this.#lookups = deriveSubKeys(keys, 'tillgate/lookup').map(({ key }) => ({
      key,
      short: new ShortHmac({ name: 'sha256', blockBytes: 64 }, key.export()),
    }));
  }

  seal(plain: string, context: string): string {
    const header = Buffer.from([VERSION, ...Buffer.from(this.#current.id, 'hex')]);
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.#current.key, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.concat([header, Buffer.from(context)]));
    const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
    return Buffer.concat([header, nonce, body, cipher.getAuthTag()]).toString('base64url');
  }

  /** @throws TillgateError `INTERNAL` when the text was altered, or belongs to another context or an unknown master key. */
  open(sealed: string, context: string): string {
    const bytes = Buffer.from(BASE64URL.test(sealed) ? sealed : '', 'base64url');
    if (bytes.length < SHORTEST || bytes[0] !== VERSION) throw broken('it does not have the format of one');
    const header = bytes.subarray(0, HEADER_BYTES);
    const key = this.#byId.get(header.toString('hex', 1));
    if (key === undefined) throw broken('it was sealed with a master key that is not configured');
    const nonce = bytes.subarray(HEADER_BYTES, HEADER_BYTES + NONCE_BYTES);
    const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.concat([header, Buffer.from(context)]));
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    const body = decipher.update(bytes.subarray(HEADER_BYTES + NONCE_BYTES, -TAG_BYTES));
    try {
      return Buffer.concat([body, decipher.final()]).toString('utf8');
    } catch {
      throw broken('it was altered, or belongs to another record');
    }
  }

  isCurrent(sealed: string): boolean {
    const header = Buffer.from(sealed, 'base64url').subarray(0, HEADER_BYTES);
    // A secret of another version has to be sealed again by a rotation.
    return header[0] === VERSION && header.toString('hex', 1) === this.#current.id;
  }

  lookupHash(purpose: string, text: string): string {
    return hashWith(this.#lookups[0] as Lookup, purpose, text);
  }

  lookupHashes(purpose: string, text: string): readonly string[] {
    return this.#lookups.map((lookup) => hashWith(lookup, purpose, text));
  }
}

interface Lookup {
  readonly key: KeyObject;
  readonly short: ShortHmac;
}

function hashWith({ key, short }: Lookup, purpose: string, text: string): string {
  // The zero byte separates ("a", "bc") from ("ab", "c").
  const message = `${purpose}\0${text}`;
  return short.hex(message) ?? createHmac('sha256', key).update(message).digest('hex');
}

/** The reason contains neither the text nor the key. */
function broken(reason: string): TillgateError {
  return new TillgateError('INTERNAL', `A sealed text cannot be opened: ${reason}.`);
}
