import type { AppId, AppKeyId } from '../kernel/ids.ts';
import type { Millis } from '../kernel/time.ts';

/** The states of the specification; `expired` is never stored: it is a key in grace whose time has come. */
export const APP_KEY_STATES = ['active', 'grace', 'revoked', 'expired'] as const;
export type AppKeyState = (typeof APP_KEY_STATES)[number];
export type StoredKeyState = Exclude<AppKeyState, 'expired'>;

/** Every legal move of a stored key, by event (specification, "Application key"). */
export const APP_KEY_TRANSITIONS = {
  rotate: { from: ['active'], to: 'grace' },
  revoke: { from: ['active', 'grace'], to: 'revoked' },
} as const satisfies Record<string, { from: readonly StoredKeyState[]; to: StoredKeyState }>;

/** A key of an App. Its text is stored sealed, for the dashboard, and as a keyed hash, for the look-up. */
export interface AppKey {
  readonly id: AppKeyId;
  readonly appId: AppId;
  readonly lookupHash: string;
  /** Opens to the key's text in the context `app-key:<id>`. */
  readonly sealed: string;
  readonly state: StoredKeyState;
  /** The end of its grace; `null` for a key that was never rotated. */
  readonly expiresAt: Millis | null;
  readonly revokedAt: Millis | null;
  readonly createdAt: Millis;
  readonly lastUsedAt: Millis | null;
}

/** A key's state now: its time is compared at each request, so that no sweeper decides when a key ends. */
export function keyState({ state, expiresAt }: Pick<AppKey, 'state' | 'expiresAt'>, now: Millis): AppKeyState {
  return state === 'grace' && expiresAt !== null && expiresAt <= now ? 'expired' : state;
}

/** True for a key that opens its App: active, or in grace. */
export function isAccepted(state: AppKeyState): boolean {
  return state === 'active' || state === 'grace';
}
