/** Passkeys (WebAuthn) on `@simplewebauthn/server`. @packageDocumentation */
export * from './webauthn-verifier.ts';
