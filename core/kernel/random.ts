import { token } from './token.ts';

/** Cryptographically strong randomness. */
export interface Random {
  bytes(length: number): Uint8Array;
}

export const RANDOM = token<Random>('Random');
