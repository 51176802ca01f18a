import type { AppId, AppKeyId, Millis } from '../kernel/index.ts';

/** The states of an App key. `expired` is never stored: a key in grace is expired after the end of its grace period. */
export const APP_KEY_STATES = ['active', 'grace', 'revoked', 'expired'] as const;
export type AppKeyState = (typeof APP_KEY_STATES)[number];
export type StoredKeyState = Exclude<AppKeyState, 'expired'>;

/** The legal transitions of a stored key, by event. */
export const APP_KEY_TRANSITIONS = {
  rotate: { from: ['active'], to: 'grace' },
  revoke: { from: ['active', 'grace'], to: 'revoked' },
} as const satisfies Record<string, { from: readonly StoredKeyState[]; to: StoredKeyState }>;

/** A key of an App. Its text is stored encrypted, to show it, and as a keyed hash, to find it. */
export interface AppKey {
  readonly id: AppKeyId;
  readonly appId: AppId;
  readonly lookupHash: string;
  /** The encrypted text of the key, in the context `app-key:<id>`. */
  readonly sealed: string;
  readonly state: StoredKeyState;
  /** The end of the grace period; `null` for a key that was never rotated. */
  readonly expiresAt: Millis | null;
  readonly revokedAt: Millis | null;
  readonly createdAt: Millis;
  readonly lastUsedAt: Millis | null;
}

/** The present state of a key. The expiry is checked at each request and needs no background job. */
export function keyState({ state, expiresAt }: Pick<AppKey, 'state' | 'expiresAt'>, now: Millis): AppKeyState {
  return state === 'grace' && expiresAt !== null && expiresAt <= now ? 'expired' : state;
}

/** True for a usable key: active, or in grace. */
export function isAccepted(state: AppKeyState): boolean {
  return state === 'active' || state === 'grace';
}
