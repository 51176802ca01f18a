import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { PASSKEY_ALGORITHMS } from '../../core/index.ts';
import type { NewPasskey, Passkey, PasskeyResponse, PasskeyVerifier, RelyingParty } from '../../core/index.ts';
import { readClientData } from './client-data.ts';

/** The site for which passkeys are created. */
export interface WebauthnSite {
  /** The public address of the till, never one from a request. */
  readonly address: () => string;
  /** The name that browsers show. */
  readonly name: string;
  /** If false, http is accepted too, which browsers allow for localhost. */
  readonly onlyHttps: boolean;
}

/** The libraries are loaded with the first passkey: most tills start without one. */
const load = () => import('@simplewebauthn/server');
const loadHelpers = () => import('@simplewebauthn/server/helpers');

/** A host name; to browsers an IP address is no relying party. */
const HOST_NAME = /^(?=.*[a-z])[a-z0-9.-]+$/;

/** Verifies registrations and assertions with `@simplewebauthn/server`. */
export class WebauthnVerifier implements PasskeyVerifier {
  readonly #site: WebauthnSite;

  constructor(site: WebauthnSite) {
    this.#site = site;
  }

  relyingParty(): RelyingParty | null {
    const url = this.#url();
    return url === null ? null : { id: url.hostname, name: this.#site.name };
  }

  challengeOf({ response: { clientDataJSON } }: PasskeyResponse): string | null {
    return readClientData(clientDataJSON)?.challenge ?? null;
  }

  async verifyRegistration(answer: PasskeyResponse, challenge: string): Promise<NewPasskey | null> {
    const { attestationObject = '' } = answer.response;
    const expected = this.#expected(answer, challenge);
    if (expected === null || !(await isSelfContained(attestationObject))) return null;
    const { verifyRegistrationResponse } = await load();
    return orNull(async () => {
      const supportedAlgorithmIDs = [...PASSKEY_ALGORITHMS];
      const response = { ...common(answer), response: { ...answer.response, attestationObject } };
      const options = { ...expected, supportedAlgorithmIDs, response: response as RegistrationResponseJSON };
      const { registrationInfo } = await verifyRegistrationResponse(options);
      if (registrationInfo === undefined) return null;
      const { id, publicKey, counter } = registrationInfo.credential;
      if (id !== answer.id) return null;
      return { credentialId: id, publicKey: Buffer.from(publicKey).toString('base64url'), signCount: counter };
    });
  }

  async verifyAssertion(answer: PasskeyResponse, challenge: string, passkey: Passkey): Promise<number | null> {
    const { authenticatorData = '', signature = '', clientDataJSON } = answer.response;
    const expected = this.#expected(answer, challenge);
    if (expected === null || !isOf(answer, passkey)) return null;
    const { verifyAuthenticationResponse } = await load();
    return orNull(async () => {
      const response = { ...common(answer), response: { clientDataJSON, authenticatorData, signature } };
      const { verified, authenticationInfo } = await verifyAuthenticationResponse({
        ...expected,
        response: response as AuthenticationResponseJSON,
        // The counter is compared by the caller, in the transaction that stores it.
        credential: {
          id: passkey.credentialId,
          publicKey: new Uint8Array(fromBase64Url(passkey.publicKey)),
          counter: 0,
        },
      });
      return verified ? authenticationInfo.newCounter : null;
    });
  }

  /** The expected challenge and origin of an answer; `null` for an answer from a frame in another site. */
  #expected({ response: { clientDataJSON } }: PasskeyResponse, expectedChallenge: string) {
    const url = this.#url();
    if (url === null || readClientData(clientDataJSON)?.crossOrigin !== false) return null;
    return { expectedChallenge, expectedOrigin: url.origin, expectedRPID: url.hostname, requireUserVerification: true };
  }

  #url(): URL | null {
    const { address, onlyHttps } = this.#site;
    const url = URL.canParse(address()) ? new URL(address()) : null;
    if (url === null || !HOST_NAME.test(url.hostname)) return null;
    return url.protocol === 'https:' || !onlyHttps ? url : null;
  }
}

const fromBase64Url = (text: string): Buffer => Buffer.from(text, 'base64url');

const common = ({ id, rawId, type }: PasskeyResponse) => ({ id, rawId, type, clientExtensionResults: {} });

/** False for an answer of another credential, or for another account. */
function isOf({ id, response: { userHandle } }: PasskeyResponse, { credentialId, accountId }: Passkey): boolean {
  const handle = userHandle ?? null;
  return id === credentialId && (handle === null || fromBase64Url(handle).toString('latin1') === accountId);
}

/**
 * Whether an attestation is without certificates. None is requested, and foreign ones are not read: the library would
 * fetch revocation lists from addresses inside some of them.
 */
async function isSelfContained(attestationObject: string): Promise<boolean> {
  const { decodeAttestationObject } = await loadHelpers();
  const found = await orNull(() => {
    const decoded = decodeAttestationObject(new Uint8Array(fromBase64Url(attestationObject)));
    const format: string = decoded.get('fmt');
    return format === 'none' || (format === 'packed' && decoded.get('attStmt').get('x5c') === undefined);
  });
  return found === true;
}

/** The value; `null` when the library throws, as it does for an invalid answer. Its messages contain the challenge. */
async function orNull<T>(work: () => T | Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch {
    return null;
  }
}
