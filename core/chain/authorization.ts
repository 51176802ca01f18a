import type { CurrencyCode, Millis } from '../kernel/index.ts';

/**
 * A payer's signed permission to move the payer's tokens to a deposit address (EIP-3009 `transferWithAuthorization`).
 * Anyone who has it can send it, once; the payer needs no native coin.
 */
export interface Authorization {
  /** The token. */
  readonly currency: CurrencyCode;
  readonly units: bigint;
  readonly from: string;
  /** Unix time in seconds: it can only be mined in a block after this time. */
  readonly validAfter: bigint;
  /** Unix time in seconds: it can only be mined in a block before this time. */
  readonly validBefore: bigint;
  /** 32 bytes as `0x` and lower-case hexadecimal. The token's contract accepts each nonce of a payer once. */
  readonly nonce: string;
  /** 65 bytes as `0x` and lower-case hexadecimal. */
  readonly signature: string;
}

/** The remaining validity in seconds; 0 or less when no block can include it any more. */
export function secondsLeft({ validBefore }: Pick<Authorization, 'validBefore'>, now: Millis): bigint {
  return validBefore - BigInt(Math.floor(now / 1000));
}

/** Identifies an authorization on its chain. Two with the same key exclude each other in the token's contract. */
export function authorizationKey({ currency, from, nonce }: Authorization): string {
  return `${currency} ${from.toLowerCase()} ${nonce.toLowerCase()}`;
}
