import type { Millis } from './time.ts';

/** Milliseconds after which a claim of an `Idempotency-Key` expires, with the first answer. */
export const CLAIM_KEPT_MS = 86_400_000;

/** The first answer to an `Idempotency-Key`, kept for 24 hours. */
export interface IdempotencyClaim {
  /** The operation's path, part of the key's scope. */
  readonly route: string;
  readonly key: string;
  /** SHA-256 of the body's bytes: the same key with another body is refused. */
  readonly bodyHash: string;
  readonly expiresAt: Millis;
}
