import type { Millis } from '../kernel/index.ts';
import { chooseUpstream, thatHave } from './upstream-health.ts';
import type { ShownBlock } from './shown-blocks.ts';
import type { Choice, Choosable } from './upstream-health.ts';

/** An upstream that the reads of an App's newest block can stay with. */
export interface Home extends Choosable {
  readonly shown: ShownBlock;
  /** The same 32-bit number on every instance, from what the configuration says of it. */
  readonly seed: number;
}

/** An upstream is left for a quicker one when its wait is longer than this many times the other's, and {@link SLOWER_MS}. */
const SLOWER = 3;
const SLOWER_MS = 100;

/** A 32-bit number of a text (FNV-1a), to spread Apps over upstreams alike on every instance. */
export function seedOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/**
 * The upstream for a read of the newest block, so that no App is answered from an older block than before.
 *
 * Each App has a home among the upstreams, by the highest of their hashes with it, which is the same one on all
 * instances. While it serves, it alone answers. Otherwise, and for a minute afterwards, an upstream answers only if it
 * has every block that an answer is known to have been of.
 *
 * @param spread - {@link seedOf} the App's id
 * @returns `null` when none is known to be up, or those that are up are not known to have that block
 */
export function chooseHome<T extends Home>(
  upstreams: readonly T[],
  excluded: readonly T[],
  choice: Choice<T>,
  spread: number,
): T | null {
  const { now, lacks } = choice;
  const left = upstreams.filter((upstream) => !excluded.includes(upstream));
  const up = left.filter(
    (upstream) => !upstream.cordoned && upstream.health.state(now) === 'up' && lacks?.(upstream) !== true,
  );
  const usable = up.length === 0 ? up : quickOf(thatHave(up, choice), now);
  const home = homeOf(upstreams, spread);
  const kept = home !== null && usable.includes(home);
  if (kept && !home.shown.isAvoided(now)) return home;
  if (!kept) home?.shown.leave(now);
  const block = newestShown(upstreams, now);
  const has = (upstream: T): boolean => hasReached(upstream, block);
  return homeOf(usable.filter(has), spread) ?? chooseUpstream(left.filter(has), [], choice);
}

/** The newest block that answers of the last minute are known to be of; 0 for none. */
export function newestShown(upstreams: readonly Home[], now: Millis): number {
  return Math.max(0, ...upstreams.map(({ shown }) => shown.at(now)));
}

/** True also for an upstream that does not say what its newest block is. */
export function hasReached({ health }: Choosable, block: number): boolean {
  return health.latest === null || health.latest >= block;
}

/** Those that are not much slower than the quickest. */
function quickOf<T extends Choosable>(upstreams: readonly T[], now: Millis): readonly T[] {
  if (upstreams.length < 2) return upstreams;
  const waits = upstreams.map(({ health }) => health.waitMs(now));
  const most = SLOWER * Math.min(...waits) + SLOWER_MS;
  return upstreams.filter((_upstream, index) => (waits[index] ?? 0) <= most);
}

/** An App's home: the upstream with the highest hash (rendezvous hashing): where one is missing, only its Apps go elsewhere. */
export function homeOf<T extends Home>(upstreams: readonly T[], spread: number): T | null {
  let best: T | null = null;
  let highest = -1;
  for (const upstream of upstreams) {
    const rank = mixed(upstream.seed ^ spread);
    if (rank > highest) [best, highest] = [upstream, rank];
  }
  return best;
}

/** Every bit of the input changes half of the output's (the finaliser of MurmurHash3). */
function mixed(input: number): number {
  let hash = input;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
