import { z } from 'zod';
import { text } from '../fields.ts';

/** Longer than any authenticator's: a credential id has at most 1,023 bytes, an attestation some hundreds. */
const MAX_ID = 1400;
const MAX_TEXT = 16_384;

const part = (description: string) => text(MAX_TEXT, `${description}, in base64url`);
const credentialId = text(MAX_ID, 'The credential id, in base64url');
const clientDataJSON = part('What the browser had signed');

/** What every answer of a browser has. */
const answer = { id: credentialId, rawId: credentialId, type: text(32, '"public-key"') };

/** The answer of `startRegistration` of `@simplewebauthn/browser`: `RegistrationResponseJSON`. */
export const registrationField = z
  .object({
    ...answer,
    response: z.object({
      clientDataJSON,
      attestationObject: part('The new credential'),
      transports: z
        .array(text(32, 'A transport'))
        .max(10, { error: 'must have at most 10 entries' })
        .optional()
        .meta({ description: 'How the authenticator is reached' }),
    }),
  })
  .meta({ id: 'PasskeyRegistration', description: 'RegistrationResponseJSON (WebAuthn level 3)' });

/** The answer of `startAuthentication` of `@simplewebauthn/browser`: `AuthenticationResponseJSON`. */
export const assertionField = z
  .object({
    ...answer,
    response: z.object({
      clientDataJSON,
      authenticatorData: part('What the authenticator signed'),
      signature: part('Its signature'),
      userHandle: text(128, 'The account, in base64url').nullish(),
    }),
  })
  .meta({ id: 'PasskeyAssertion', description: 'AuthenticationResponseJSON (WebAuthn level 3)' });

const challenge = z.string().meta({ description: '32 random bytes, in base64url; answered once, within five minutes' });
const timeout = z.number().meta({ description: 'In milliseconds' });
const descriptors = z
  .array(z.object({ id: z.string(), type: z.literal('public-key'), transports: z.array(z.string()).readonly() }))
  .readonly();

/** Taken by `startAuthentication({ optionsJSON })`. */
export const requestOptionsSchema = z
  .object({
    challenge,
    rpId: z.string(),
    timeout,
    userVerification: z.literal('required'),
    allowCredentials: descriptors,
  })
  .meta({ id: 'PasskeyRequestOptions', description: 'PublicKeyCredentialRequestOptionsJSON (WebAuthn level 3)' });

/** Taken by `startRegistration({ optionsJSON })`. */
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
