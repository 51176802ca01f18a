import { token } from './token.ts';

/**
 * Secrets at rest: authenticated encryption, bound to the record that holds them, so that a sealed text moved to
 * another row does not open; and keyed hashes to look secrets up by.
 */
export interface Vault {
  /** @param context - the record it belongs to, `credential:123` */
  seal(plain: string, context: string): string;
  /** @throws Error when the text was altered, belongs to another context or to another master key. */
  open(sealed: string, context: string): string;
  /** A keyed hash, 64 hexadecimal digits: the same for the same text and purpose, worthless without the master key. */
  lookupHash(purpose: string, text: string): string;
}

export const VAULT = token<Vault>('Vault');
