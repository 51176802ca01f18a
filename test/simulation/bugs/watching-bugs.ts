import { isContradiction } from '../../../core/deposits/contradiction.ts';
import { followedMark } from '../../../core/deposits/settled-heights.ts';
import { ChainWatchdog } from '../../../core/chain/watch-chains.ts';
import { edited, patched } from './bug.ts';
import type { Bug } from './bug.ts';
import { within } from './edits.ts';
import { replaced, wrapStorage } from './patches.ts';

/** Trusting every mark, treating a false node as a slow one, and missing that a chain is not read. */
export const WATCHING_BUGS: readonly Bug[] = [
  edited(
    'a mark above the cursor is believed',
    within(followedMark)
      .binary('<')
      .becomes(() => 'true'),
  ),
  edited(
    'a node that contradicts itself has only failed',
    within(isContradiction)
      .binary('===')
      .becomes(() => 'false'),
  ),
  patched('a chain that is not read raises no alert', () => {
    ChainWatchdog.prototype.look = () => undefined;
  }),
  patched('a chain has no state before its node answers', () => {
    wrapStorage((storage) =>
      replaced(storage, { chains: replaced(storage.chains, { begin: () => Promise.resolve() }) }),
    );
  }),
];
