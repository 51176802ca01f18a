import type { Bug } from './bug.ts';
import { HOSTILE_WORLD_BUGS } from './hostile-world-bugs.ts';
import { KEY_BUGS, LIGHTNING_BUGS } from './lightning-and-key-bugs.ts';
import { CALLBACK_BUGS, DEPOSIT_BUGS, ORDER_BUGS } from './money-in-bugs.ts';
import { EXPIRY_BUGS, PAYOUT_BUGS, REQUEST_BUGS } from './money-out-bugs.ts';
import { PG_BUGS } from './pg-bugs.ts';

/** Every planted bug. */
export const BUGS: readonly Bug[] = [
  ...DEPOSIT_BUGS,
  ...ORDER_BUGS,
  ...CALLBACK_BUGS,
  ...REQUEST_BUGS,
  ...PAYOUT_BUGS,
  ...EXPIRY_BUGS,
  ...HOSTILE_WORLD_BUGS,
  ...LIGHTNING_BUGS,
  ...KEY_BUGS,
  ...PG_BUGS,
];

/** The bug of a name. @throws Error for an unknown name */
export function bugNamed(name: string): Bug {
  const bug = BUGS.find((each) => each.name === name);
  if (bug === undefined) throw new Error(`there is no planted bug "${name}"`);
  return bug;
}
