import { raiseAlert } from '../notify/index.ts';
import type { AlertChannels } from '../notify/index.ts';
import type { ChainCode, Millis } from '../kernel/index.ts';
import type { ChainState } from './chain-store.ts';

/** A chain that was not read for this long, in milliseconds, raises an alert, whatever the reason. */
export const UNREAD_ALERT_MS = 60_000;

/** When a chain was last read; when its state was created, if it never was. */
export function lastReadAt({ readAt, caughtUpAt }: Pick<ChainState, 'readAt' | 'caughtUpAt'>): Millis | null {
  if (readAt === null || caughtUpAt === null) return readAt ?? caughtUpAt;
  return Math.max(readAt, caughtUpAt);
}

/**
 * Whether a chain is not read up to the present, according to its stored state: it never was, it no longer is, or its
 * node has a trouble.
 */
export function isUnread(state: ChainState, now: Millis): boolean {
  const { trouble, cursor, caughtUpAt } = state;
  if (trouble !== null || (cursor === null && caughtUpAt === null)) return true;
  return now - (lastReadAt(state) ?? 0) >= UNREAD_ALERT_MS;
}

const NO_REASON =
  'no attempt to read it has succeeded; see the log for errors, and check that an instance holds its lease and that the clocks agree';

/**
 * Raises an alert for each chain that is not read, based on the stored times alone: it does not depend on the follower,
 * which may fail before its first step, wait for a lease or hang. One alert is raised each time reading stops.
 */
export class ChainWatchdog {
  readonly #channels: AlertChannels;
  readonly #alerted = new Set<ChainCode>();
  #since: Millis | null = null;

  constructor(channels: AlertChannels) {
    this.#channels = channels;
  }

  /** Checks the stored states. Time before the first check does not count, because the till may have been off. */
  look(states: readonly ChainState[], names: ReadonlyMap<ChainCode, string>, now: Millis): void {
    const since = (this.#since ??= now);
    for (const state of states) {
      const unreadMs = now - Math.max(lastReadAt(state) ?? since, since);
      if (unreadMs < UNREAD_ALERT_MS) {
        this.#alerted.delete(state.chain);
        continue;
      }
      if (this.#alerted.has(state.chain)) continue;
      this.#alerted.add(state.chain);
      this.#raise(state, names.get(state.chain) ?? state.chain, unreadMs);
    }
  }

  #raise({ chain, haltedReason, trouble }: ChainState, name: string, unreadMs: number): void {
    const reason = (haltedReason ?? trouble?.text ?? NO_REASON).replace(/\.$/, '');
    raiseAlert(
      this.#channels,
      'node',
      `chain ${chain}`,
      `${name} has not been read for ${Math.floor(unreadMs / 1_000)} s, so that its payments are not seen and its orders do not expire: ${reason}.`,
    );
  }
}
