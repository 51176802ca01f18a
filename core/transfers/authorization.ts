import type { CurrencyCode } from '../kernel/asset.ts';
import type { Millis } from '../kernel/time.ts';

/**
 * A payer's signed permission to move tokens of theirs to a deposit address (EIP-3009 `transferWithAuthorization`). Whoever
 * has it can send it, once; the payer needs no coin of the chain.
 */
export interface Authorization {
  /** The token. */
  readonly currency: CurrencyCode;
  readonly units: bigint;
  /** Who pays. */
  readonly from: string;
  /** In seconds since 1970: it can be mined in a block after this time. */
  readonly validAfter: bigint;
  /** In seconds since 1970: it can be mined in a block before this time. */
  readonly validBefore: bigint;
  /** 32 bytes as `0x` and lower-case hexadecimal; the token's contract takes each nonce of a payer once. */
  readonly nonce: string;
  /** 65 bytes as `0x` and lower-case hexadecimal. */
  readonly signature: string;
}

/** For how many seconds it is valid yet; 0 or less when no block can take it any more. */
export function secondsLeft({ validBefore }: Pick<Authorization, 'validBefore'>, now: Millis): bigint {
  return validBefore - BigInt(Math.floor(now / 1000));
}

/** Names an authorization on its chain. Equal for two that the token's contract takes only one of. */
export function authorizationKey({ currency, from, nonce }: Authorization): string {
  return `${currency} ${from.toLowerCase()} ${nonce.toLowerCase()}`;
}
