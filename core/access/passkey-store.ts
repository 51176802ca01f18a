import type { Passkey, PasskeyChallenge } from './passkey.ts';
import type { AccountId, Millis, PasskeyId } from '../kernel/index.ts';

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
  /** Adds a passkey; false when the credential is already registered, by this account or another. */
  add(passkey: Passkey): Promise<boolean>;
  rename(id: PasskeyId, name: string): Promise<void>;
  /** Stores the counter and the time of a signature. */
  noteUse(id: PasskeyId, signCount: number, at: Millis): Promise<void>;
  remove(id: PasskeyId): Promise<void>;
  /** Stores a challenge and keeps the newest `MAX_CHALLENGES` of the same use. */
  addChallenge(challenge: PasskeyChallenge): Promise<void>;
  /** Deletes the challenge and returns it; `null` when it is unknown or was used before. */
  takeChallenge(hash: string): Promise<PasskeyChallenge | null>;
}

declare module '../kernel/storage.ts' {
  interface Storage {
    readonly passkeys: PasskeyStore;
  }
  interface Transaction {
    readonly passkeys: PasskeyWrites;
  }
}
