import type { KeyView } from '../gateway/admission.ts';
import type { AppKeyId } from '../kernel/ids.ts';
import type { Millis } from '../kernel/time.ts';
import { token } from './token.ts';

/**
 * Every App key with its App and account, in memory, exact at once: a revocation that was answered anywhere holds here
 * for the next look-up.
 */
export interface KeyDirectory {
  /**
   * The key of a text, whatever its state; `null` when it is unknown.
   *
   * @throws TillgateError `NOT_READY` while this instance cannot be sure that what it knows is current
   */
  find(keyText: string): KeyView | null;
  /** Called after anything changed: what is open (a WebSocket) is checked anew. Returns the end of the subscription. */
  onChange(listener: () => void): () => void;
  /** Notes that a key was used; written to its record now and then. */
  used(id: AppKeyId, at: Millis): void;
}

export const KEY_DIRECTORY = token<KeyDirectory>('KeyDirectory');
