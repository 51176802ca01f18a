import { encodeBase64Url } from './base64.ts';
import { CHALLENGE_TTL_MS } from './passkey.ts';
import type { Passkey } from './passkey.ts';
import type { Account } from './account.ts';
import type { RelyingParty } from './passkey-verifier.ts';

/** The accepted signature algorithms: EdDSA, ES256 and RS256 (COSE). */
export const PASSKEY_ALGORITHMS = [-8, -7, -257] as const;

const TYPE = 'public-key';

/** A passkey in the form that browsers use. */
export interface PasskeyDescriptor {
  readonly id: string;
  readonly type: typeof TYPE;
  readonly transports: readonly string[];
}

/** `PublicKeyCredentialRequestOptionsJSON` (WebAuthn level 3): the request to sign with a passkey. */
export interface PasskeyRequestOptions {
  readonly challenge: string;
  readonly rpId: string;
  readonly timeout: number;
  readonly userVerification: 'required';
  readonly allowCredentials: readonly PasskeyDescriptor[];
}

/** `PublicKeyCredentialCreationOptionsJSON` (WebAuthn level 3): the request to create a passkey. */
export interface PasskeyCreationOptions {
  readonly challenge: string;
  readonly rp: RelyingParty;
  readonly user: { readonly id: string; readonly name: string; readonly displayName: string };
  readonly pubKeyCredParams: readonly { readonly type: typeof TYPE; readonly alg: number }[];
  readonly timeout: number;
  readonly attestation: 'none';
  readonly authenticatorSelection: {
    readonly residentKey: 'preferred';
    readonly requireResidentKey: false;
    readonly userVerification: 'required';
  };
  readonly excludeCredentials: readonly PasskeyDescriptor[];
}

const descriptor = ({ credentialId: id, transports }: Passkey): PasskeyDescriptor => ({ id, type: TYPE, transports });

/** The options for signing with one of these passkeys. */
export function requestOptions(
  challenge: string,
  { id: rpId }: RelyingParty,
  passkeys: readonly Passkey[],
): PasskeyRequestOptions {
  const allowCredentials = passkeys.map(descriptor);
  return { challenge, rpId, timeout: CHALLENGE_TTL_MS, userVerification: 'required', allowCredentials };
}

/** The options for creating a passkey on an authenticator that has none of the existing ones. */
export function creationOptions(
  challenge: string,
  rp: RelyingParty,
  { id, email, name }: Pick<Account, 'id' | 'email' | 'name'>,
  passkeys: readonly Passkey[],
): PasskeyCreationOptions {
  const handle = encodeBase64Url(Uint8Array.from(id, (digit) => digit.charCodeAt(0)));
  return {
    challenge,
    rp,
    user: { id: handle, name: email, displayName: name ?? email },
    pubKeyCredParams: PASSKEY_ALGORITHMS.map((alg) => ({ type: TYPE, alg })),
    timeout: CHALLENGE_TTL_MS,
    attestation: 'none',
    authenticatorSelection: { residentKey: 'preferred', requireResidentKey: false, userVerification: 'required' },
    excludeCredentials: passkeys.map(descriptor),
  };
}
