import { z } from 'zod';
import { text } from '../../fields.ts';

/** The most characters of a credential id (at most 1,023 bytes) in base64url. */
const MAX_ID = 1400;
const MAX_TEXT = 16_384;

const part = (description: string) => text(MAX_TEXT, `${description}, in base64url`);
const credentialId = text(MAX_ID, 'Credential ID, in base64url');
const clientDataJSON = part('Client data signed by the browser');

/** The fields that every answer of a browser has. */
const answer = { id: credentialId, rawId: credentialId, type: text(32, '"public-key"') };

/** The result of `startRegistration` of `@simplewebauthn/browser`: `RegistrationResponseJSON`. */
export const registrationField = z
  .object({
    ...answer,
    response: z.object({
      clientDataJSON,
      attestationObject: part('New credential'),
      transports: z
        .array(text(32, 'Transport'))
        .max(10, { error: 'must have at most 10 entries' })
        .optional()
        .meta({ description: 'Transports of the authenticator' }),
    }),
  })
  .meta({ id: 'PasskeyRegistration', description: 'RegistrationResponseJSON (WebAuthn level 3)' });

/** The result of `startAuthentication` of `@simplewebauthn/browser`: `AuthenticationResponseJSON`. */
export const assertionField = z
  .object({
    ...answer,
    response: z.object({
      clientDataJSON,
      authenticatorData: part('Data signed by the authenticator'),
      signature: part('Signature'),
      userHandle: text(128, 'Account, in base64url').nullish(),
    }),
  })
  .meta({ id: 'PasskeyAssertion', description: 'AuthenticationResponseJSON (WebAuthn level 3)' });

const challenge = z.string().meta({ description: '32 random bytes, in base64url; valid once, for five minutes' });
const timeout = z.number().meta({ description: 'Timeout in milliseconds' });
const descriptors = z
  .array(z.object({ id: z.string(), type: z.literal('public-key'), transports: z.array(z.string()).readonly() }))
  .readonly();

/** The options for `startAuthentication({ optionsJSON })`. */
export const requestOptionsSchema = z
  .object({
    challenge,
    rpId: z.string(),
    timeout,
    userVerification: z.literal('required'),
    allowCredentials: descriptors,
  })
  .meta({ id: 'PasskeyRequestOptions', description: 'PublicKeyCredentialRequestOptionsJSON (WebAuthn level 3)' });

/** The options for `startRegistration({ optionsJSON })`. */
export const creationOptionsSchema = z
  .object({
    challenge,
    rp: z.object({ id: z.string(), name: z.string() }),
    user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
    pubKeyCredParams: z.array(z.object({ type: z.literal('public-key'), alg: z.number() })).readonly(),
    timeout,
    attestation: z.literal('none'),
    authenticatorSelection: z.object({
      residentKey: z.literal('preferred'),
      requireResidentKey: z.literal(false),
      userVerification: z.literal('required'),
    }),
    excludeCredentials: descriptors,
  })
  .meta({ id: 'PasskeyCreationOptions', description: 'PublicKeyCredentialCreationOptionsJSON (WebAuthn level 3)' });
