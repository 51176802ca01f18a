import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { PasskeyCreationOptions, PasskeyRequestOptions, PasskeyResponse } from '../../core/index.ts';

/** Differences from the answers of an honest browser and authenticator. */
export interface Forged {
  readonly origin?: string;
  readonly rpId?: string;
  readonly type?: string;
  readonly challenge?: string;
  readonly crossOrigin?: boolean;
  readonly userVerified?: boolean;
  readonly userPresent?: boolean;
  readonly counter?: number;
  readonly userHandle?: string;
  /** The kind of attestation: self-signed, or by a key with a certificate. */
  readonly attestation?: 'self' | { readonly certificate: Buffer; readonly privateKey: KeyObject };
}

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const CREDENTIAL_INCLUDED = 0x40;
const AAGUID = Buffer.alloc(16);

/** A software authenticator and browser with one ES256 credential (WebAuthn level 2, sections 6 and 7). */
export class SoftwareAuthenticator {
  readonly id = randomBytes(32).toString('base64url');
  readonly #origin: string;
  readonly #publicKey: KeyObject;
  readonly #privateKey: KeyObject;
  #counter = 0;
  #userHandle: string | null = null;

  /** @param origin - the origin of the page that uses it */
  constructor(origin: string) {
    this.#origin = origin;
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.#publicKey = publicKey;
    this.#privateKey = privateKey;
  }

  /** Creates the credential; returns the result of `startRegistration`. */
  create({ challenge, rp, user }: PasskeyCreationOptions, forged: Forged = {}): PasskeyResponse {
    this.#userHandle ??= user.id;
    const clientData = this.#clientData('webauthn.create', challenge, forged);
    const id = Buffer.from(this.id, 'base64url');
    const credential = Buffer.concat([AAGUID, uint(2, id.length), id, coseKey(this.#publicKey)]);
    const data = Buffer.concat([this.#authenticatorData(rp.id, CREDENTIAL_INCLUDED, forged), credential]);
    const statement = this.#statement(data, clientData, forged.attestation);
    const attestationObject = map(
      [text('fmt'), statement.fmt],
      [text('attStmt'), statement.body],
      [text('authData'), bytes(data)],
    );
    return this.#answer({
      clientDataJSON: clientData.toString('base64url'),
      attestationObject: attestationObject.toString('base64url'),
      transports: ['internal'],
    });
  }

  /** Signs with the credential; returns the result of `startAuthentication`. */
  get({ challenge, rpId }: PasskeyRequestOptions, forged: Forged = {}): PasskeyResponse {
    this.#counter += 1;
    const clientData = this.#clientData('webauthn.get', challenge, forged);
    const data = this.#authenticatorData(rpId, 0, forged);
    const userHandle =
      forged.userHandle === undefined ? this.#userHandle : Buffer.from(forged.userHandle).toString('base64url');
    return this.#answer({
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: data.toString('base64url'),
      signature: signed(data, clientData, this.#privateKey).toString('base64url'),
      userHandle,
    });
  }

  #answer(response: PasskeyResponse['response']): PasskeyResponse {
    return { id: this.id, rawId: this.id, type: 'public-key', response };
  }

  #clientData(type: string, challenge: string, forged: Forged): Buffer {
    const { origin = this.#origin, crossOrigin = false } = forged;
    return Buffer.from(
      JSON.stringify({ type: forged.type ?? type, challenge: forged.challenge ?? challenge, origin, crossOrigin }),
    );
  }

  #authenticatorData(rpId: string, more: number, forged: Forged): Buffer {
    const { userPresent = true, userVerified = true, counter = this.#counter } = forged;
    const flags = more | (userPresent ? USER_PRESENT : 0) | (userVerified ? USER_VERIFIED : 0);
    return Buffer.concat([sha256(forged.rpId ?? rpId), uint(1, flags), uint(4, counter)]);
  }

  #statement(data: Buffer, clientData: Buffer, attestation: Forged['attestation']): { fmt: Buffer; body: Buffer } {
    if (attestation === undefined) return { fmt: text('none'), body: map() };
    const self = attestation === 'self';
    const signature = signed(data, clientData, self ? this.#privateKey : attestation.privateKey);
    const entries: Entry[] = [
      [text('alg'), integer(-7)],
      [text('sig'), bytes(signature)],
    ];
    if (!self) entries.push([text('x5c'), Buffer.concat([head(4, 1), bytes(attestation.certificate)])]);
    return { fmt: text('packed'), body: map(...entries) };
  }
}

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest();

/** Authenticators sign the data and the hash of the client data. */
const signed = (data: Buffer, clientData: Buffer, key: KeyObject): Buffer =>
  sign('sha256', Buffer.concat([data, sha256(clientData)]), key);

function uint(size: number, value: number): Buffer {
  const buffer = Buffer.alloc(size);
  buffer.writeUIntBE(value, 0, size);
  return buffer;
}

// The part of CBOR (RFC 8949) that authenticators use.
type Entry = readonly [key: Buffer, value: Buffer];

function head(major: number, argument: number): Buffer {
  if (argument < 24) return uint(1, (major << 5) | argument);
  if (argument < 256) return Buffer.concat([uint(1, (major << 5) | 24), uint(1, argument)]);
  return Buffer.concat([uint(1, (major << 5) | 25), uint(2, argument)]);
}
const integer = (value: number): Buffer => (value < 0 ? head(1, -1 - value) : head(0, value));
const bytes = (value: Buffer): Buffer => Buffer.concat([head(2, value.length), value]);
const text = (value: string): Buffer => Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
const map = (...entries: readonly Entry[]): Buffer => Buffer.concat([head(5, entries.length), ...entries.flat()]);

/** A public key in COSE format (RFC 9053, section 7.1). */
function coseKey(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  const coordinate = (value: string): Buffer => bytes(Buffer.from(value, 'base64url'));
  const [kty, alg, crv] = [integer(2), integer(-7), integer(1)];
  return map(
    [integer(1), kty],
    [integer(3), alg],
    [integer(-1), crv],
    [integer(-2), coordinate(x)],
    [integer(-3), coordinate(y)],
  );
}
