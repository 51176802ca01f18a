/** Hashes, secrets at rest, passwords, tokens and randomness on `node:crypto` and jose. @packageDocumentation */
export * from './crypto-digest.ts';
export * from './crypto-random.ts';
export * from './master-keys.ts';
export * from './aes-gcm-vault.ts';
export * from './scrypt-hasher.ts';
export * from './jose-token-issuer.ts';
