import type { KeyView } from './admission.ts';
import type { AppKeyId, Millis } from '../kernel/index.ts';
import { token } from '../kernel/index.ts';

/**
 * Every App key with its App and account, in memory. Once any instance has answered a revocation, it is in force here
 * for the next look-up.
 */
export interface KeyDirectory {
  /**
   * Finds a key by its text, in any state; `null` when it is unknown.
   *
   * @throws TillgateError `NOT_READY` while this instance cannot be sure that its memory is current
   */
  find(keyText: string): KeyView | null;
  /** Calls the listener after a change, which checks open WebSockets again. Returns a function that unsubscribes. */
  onChange(listener: () => void): () => void;
  /** Records that a key was used; stored at intervals. */
  used(id: AppKeyId, at: Millis): void;
}

export const KEY_DIRECTORY = token<KeyDirectory>('KeyDirectory');
