import type { AppId, AppKeyId, Clock, IdGenerator, Millis, Random, SealContext, Vault } from '../kernel/index.ts';
import { newAppKeyText } from './app-key-text.ts';
import type { KeyRestrictions } from './key-restrictions.ts';

/** The states of an App key. `expired` is never stored: it follows from the key's end. */
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
  /** The time from which it is refused: its own end, or that of its grace period if that is earlier; `null` for none. */
  readonly expiresAt: Millis | null;
  /** What it may do, beside the limits of its App; `null` for no restriction. */
  readonly restrictions: KeyRestrictions | null;
  readonly revokedAt: Millis | null;
  readonly createdAt: Millis;
  readonly lastUsedAt: Millis | null;
}

/** The present state of a key. The expiry is checked at each request and needs no background job. */
export function keyState({ state, expiresAt }: Pick<AppKey, 'state' | 'expiresAt'>, now: Millis): AppKeyState {
  return state !== 'revoked' && expiresAt !== null && expiresAt <= now ? 'expired' : state;
}

/** True for a usable key: active, or in grace. */
export function isAccepted(state: AppKeyState): boolean {
  return state === 'active' || state === 'grace';
}

/** The purpose of the look-up hash of App keys. */
export const APP_KEY_LOOKUP = 'app-key';

/** The vault context of an App key's text. */
export const appKeyContext = (id: AppKeyId): SealContext => `app-key:${id}`;

/** A key with its text. It must not be logged. */
export interface IssuedKey {
  readonly key: AppKey;
  readonly text: string;
  /** The state when it was read. */
  readonly state: AppKeyState;
}

const UNRESTRICTED = { expiresAt: null, restrictions: null } as const;

export interface KeyMaker {
  readonly vault: Vault;
  readonly random: Random;
  readonly ids: IdGenerator;
  readonly clock: Clock;
}

/** A new, active key of an App, not stored yet. */
export function makeKey(
  { vault, random, ids, clock }: KeyMaker,
  appId: AppId,
  { expiresAt, restrictions }: Pick<AppKey, 'expiresAt' | 'restrictions'> = UNRESTRICTED,
): IssuedKey {
  const text = newAppKeyText(random);
  const id = ids.next() as AppKeyId;
  const key: AppKey = {
    id,
    appId,
    lookupHash: vault.lookupHash(APP_KEY_LOOKUP, text),
    sealed: vault.seal(text, appKeyContext(id)),
    state: 'active',
    expiresAt,
    restrictions,
    revokedAt: null,
    createdAt: clock.now(),
    lastUsedAt: null,
  };
  return { key, text, state: 'active' };
}

/** A stored key with its text and its present state. */
export function openKey(vault: Vault, key: AppKey, now: Millis): IssuedKey {
  return { key, text: vault.open(key.sealed, appKeyContext(key.id)), state: keyState(key, now) };
}
