import type { Passkey } from './passkey.ts';

/** The relying party of WebAuthn. */
export interface RelyingParty {
  /** The host name of the public address. */
  readonly id: string;
  /** The name that browsers show. */
  readonly name: string;
}

/** The answer of a browser: `RegistrationResponseJSON` or `AuthenticationResponseJSON` (WebAuthn level 3). */
export interface PasskeyResponse {
  /** The credential id, in base64url. */
  readonly id: string;
  readonly rawId: string;
  readonly type: string;
  readonly response: {
    readonly clientDataJSON: string;
    readonly attestationObject?: string | undefined;
    readonly transports?: readonly string[] | undefined;
    readonly authenticatorData?: string | undefined;
    readonly signature?: string | undefined;
    readonly userHandle?: string | null | undefined;
  };
}

/** A credential whose registration was verified. */
export type NewPasskey = Pick<Passkey, 'credentialId' | 'publicKey' | 'signCount'>;

/** Verifies signatures of authenticators (WebAuthn level 2, sections 7.1 and 7.2) for one relying party. */
export interface PasskeyVerifier {
  /** `null` where the public address is unknown, or is one for which browsers offer no passkeys. */
  relyingParty(): RelyingParty | null;
  /** The challenge in a browser's answer, not verified; `null` for an answer that cannot be read. */
  challengeOf(response: PasskeyResponse): string | null;
  /** The registered credential; `null` when any check fails. */
  verifyRegistration(response: PasskeyResponse, challenge: string): Promise<NewPasskey | null>;
  /** The counter of the signature, which the caller compares; `null` when any other check fails. */
  verifyAssertion(response: PasskeyResponse, challenge: string, passkey: Passkey): Promise<number | null>;
}
