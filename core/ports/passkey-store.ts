import type { Passkey, PasskeyChallenge } from '../auth/passkey.ts';
import type { AccountId, PasskeyId } from '../kernel/ids.ts';
import type { Millis } from '../kernel/time.ts';

/** Passkeys of accounts. */
export interface PasskeyStore {
  /** The passkeys of an account, oldest first. */
  ofAccount(accountId: AccountId): Promise<readonly Passkey[]>;
  /** Deletes expired challenges; returns how many. */
  pruneChallenges(now: Millis, limit: number): Promise<number>;
}

/** Passkeys and their challenges, inside a transaction. Lock the account before its passkeys are changed. */
export interface PasskeyWrites {
  ofAccount(accountId: AccountId): Promise<readonly Passkey[]>;
  find(id: PasskeyId): Promise<Passkey | null>;
  /** False when the credential is registered already, by this account or another. */
  add(passkey: Passkey): Promise<boolean>;
  rename(id: PasskeyId, name: string): Promise<void>;
  /** Notes the counter of a signature, and when it was made. */
  noteUse(id: PasskeyId, signCount: number, at: Millis): Promise<void>;
  remove(id: PasskeyId): Promise<void>;
  /** Stores a challenge; of those for the same use, the newest `MAX_CHALLENGES` stay. */
  addChallenge(challenge: PasskeyChallenge): Promise<void>;
  /** Deletes the challenge and returns it, once; `null` for one that is unknown or was taken. */
  takeChallenge(hash: string): Promise<PasskeyChallenge | null>;
}
