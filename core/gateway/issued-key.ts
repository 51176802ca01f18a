import type { AppId, AppKeyId, Clock, IdGenerator, Millis, Random, SealContext, Vault } from '../kernel/index.ts';
import { newAppKeyText } from './app-key-text.ts';
import { keyState } from './app-key.ts';
import type { AppKey, AppKeyState } from './app-key.ts';

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

export interface KeyMaker {
  readonly vault: Vault;
  readonly random: Random;
  readonly ids: IdGenerator;
  readonly clock: Clock;
}

/** A new, active key of an App, not stored yet. */
export function makeKey({ vault, random, ids, clock }: KeyMaker, appId: AppId): IssuedKey {
  const text = newAppKeyText(random);
  const id = ids.next() as AppKeyId;
  const key: AppKey = {
    id,
    appId,
    lookupHash: vault.lookupHash(APP_KEY_LOOKUP, text),
    sealed: vault.seal(text, appKeyContext(id)),
    state: 'active',
    expiresAt: null,
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
