import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { PASSKEY_ALGORITHMS } from '../../core/index.ts';
import type { NewPasskey, Passkey, PasskeyResponse, PasskeyVerifier, RelyingParty } from '../../core/index.ts';
import { readClientData } from './client-data.ts';

/** The site that passkeys are made for. */
export interface WebauthnSite {
  /** The public address; never one that a request names. */
  readonly address: () => string;
  /** What browsers show. */
  readonly name: string;
  /** Without it also http, which browsers accept for localhost. */
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

  /** What an answer must be about; `null` for one that comes from a frame in another site. */
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
 * True for an attestation without certificates. None is asked for, and a stranger's are not read: the library checks some of them
 * against lists at addresses that are in them.
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

/** The value; `null` where the library throws, which is its answer to what is wrong. Its messages have the challenge in them. */
async function orNull<T>(work: () => T | Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch {
    return null;
  }
}
