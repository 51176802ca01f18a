import { ApiError } from './api-error.ts';

/** Whether the browser has the JSON helpers of WebAuthn level 3. */
const supported = (): boolean =>
  typeof PublicKeyCredential !== 'undefined' && 'parseRequestOptionsFromJSON' in PublicKeyCredential;

export const hasPasskeys = supported;

/** Signs with a passkey. @throws ApiError when the person or the browser refuses */
export async function answerWithPasskey(options: unknown): Promise<unknown> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as PublicKeyCredentialRequestOptionsJSON);
  return asJson(navigator.credentials.get({ publicKey }));
}

/** Creates a passkey. @throws ApiError when the person or the browser refuses */
export async function makePasskey(options: unknown): Promise<unknown> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options as PublicKeyCredentialCreationOptionsJSON);
  return asJson(navigator.credentials.create({ publicKey }));
}

async function asJson(asked: Promise<Credential | null>): Promise<unknown> {
  const credential = await asked.catch(() => null);
  if (!(credential instanceof PublicKeyCredential)) throw new ApiError(0, 'tillgate.error.passkey');
  return credential.toJSON();
}
