import { token } from './token.ts';

/**
 * Encrypts stored secrets. The encryption is authenticated and bound to the record, so that a text copied to another row cannot
 * be decrypted. Keyed hashes are for looking secrets up.
 */
export interface Vault {
  /** @param context - the record it belongs to, `credential:123` */
  seal(plain: string, context: string): string;
  /** @throws Error when the text was altered, belongs to another context or to another master key. */
  open(sealed: string, context: string): string;
  /** A keyed hash, 64 hexadecimal digits: equal for the same text and purpose, useless without the master key. */
  lookupHash(purpose: string, text: string): string;
}

export const VAULT = token<Vault>('Vault');
