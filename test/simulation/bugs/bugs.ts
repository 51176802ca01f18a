import type { Bug } from './bug.ts';
import { CANONICAL_BUGS } from './canonical-bugs.ts';
import { FROZEN_COIN_BUGS } from './frozen-coin-bugs.ts';
import { HOSTILE_WORLD_BUGS } from './hostile-world-bugs.ts';
import { KEY_BUGS, LIGHTNING_BUGS } from './lightning-and-key-bugs.ts';
import { LIGHTNING_LIFE_BUGS } from './lightning-life-bugs.ts';
import { MANAGEMENT_BUGS } from './management-bugs.ts';
import { CALLBACK_BUGS, DEPOSIT_BUGS, ORDER_BUGS } from './money-in-bugs.ts';
import { ORDER_WORTH_BUGS } from './order-worth-bugs.ts';
import { EXPIRY_BUGS, PAYOUT_BUGS, REQUEST_BUGS } from './money-out-bugs.ts';
import { PG_BUGS } from './pg-bugs.ts';
import { STRANDED_BUGS } from './stranded-bugs.ts';
import { WATCHING_BUGS } from './watching-bugs.ts';
import { REFUND_BUGS } from './refund-bugs.ts';

/** Every planted bug. */
export const BUGS: readonly Bug[] = [
  ...DEPOSIT_BUGS,
  ...CANONICAL_BUGS,
  ...ORDER_BUGS,
  ...ORDER_WORTH_BUGS,
  ...CALLBACK_BUGS,
  ...REQUEST_BUGS,
  ...REFUND_BUGS,
  ...PAYOUT_BUGS,
  ...EXPIRY_BUGS,
  ...HOSTILE_WORLD_BUGS,
  ...FROZEN_COIN_BUGS,
  ...LIGHTNING_BUGS,
  ...LIGHTNING_LIFE_BUGS,
  ...KEY_BUGS,
  ...MANAGEMENT_BUGS,
  ...PG_BUGS,
  ...STRANDED_BUGS,
  ...WATCHING_BUGS,
];

/** The bug of a name. @throws Error for an unknown name */
export function bugNamed(name: string): Bug {
  const bug = BUGS.find((each) => each.name === name);
  if (bug === undefined) throw new Error(`there is no planted bug "${name}"`);
  return bug;
}
