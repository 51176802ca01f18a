import type { Action, Scene } from './actions/action.ts';
import { BATCHES } from './actions/batches.ts';
import { CLAIMS } from './actions/claims.ts';
import { MERCHANTS } from './actions/merchants.ts';
import { OPERATORS } from './actions/operators.ts';
import type { SimRandom } from './random.ts';
import type { Instance } from './world/instance.ts';

/** An action that runs at the same time as another one. */
export interface ConcurrentAction {
  readonly action: Action;
  readonly instance: Instance;
  /** The number of other turns before it begins. */
  readonly after: number;
}

/** Groups of actions that use the same rows: beside one of a group, another of the group may run. */
const MEETINGS: readonly (readonly string[])[] = [
  [
    'withdraw',
    'withdraw-all',
    'ask-again',
    'refund',
    'follow ETH',
    'follow BTC',
    'pay-out ETH',
    'pay-out BTC',
    'decide',
  ],
  ['withdraw-all', 'withdraw-all', 'withdraw', 'ask-again'],
  ['ln-withdraw', 'ln-again', 'withdraw', 'pay-out BLN'],
  ['follow ETH', 'expire', 'terminate', 'resolve', 'choose', 'refund', 'follow ETH'],
  ['follow BTC', 'expire', 'terminate', 'resolve', 'choose', 'refund', 'follow BTC'],
  ['follow BLN', 'expire', 'terminate', 'resolve', 'choose', 'refund', 'follow BLN'],
  ['pay-out ETH', 'pay-out ETH', 'decide', 'follow ETH', 'refund'],
  ['pay-out BTC', 'pay-out BTC', 'decide', 'follow BTC', 'refund'],
  ['pay-out BLN', 'pay-out BLN', 'decide', 'ln-again'],
  ['deliver', 'deliver', 'send-again'],
  ['refund', 'refund', 'refund-address', 'withdraw-all'],
  ['batch', 'batch', 'batch-approve', 'batch-cancel', 'pay-batches', 'withdraw-all'],
  ['order', 'order', 'ln-order', 'refill', 'choose'],
  ['choose', 'choose', 'refund-address', 'terminate'],
  ['rotate', 'rotate', 'use-keys'],
  ['signed', 'replay', 'replay'],
  ['decide', 'decide', 'unfreeze', 'resume'],
  ['claim', 'claim-crowd', 'claim-again', 'decide-claim', 'archive-promise', 'expire-promises'],
  ['claim', 'decide-claim', 'decide', 'pay-out ETH', 'withdraw-all', 'promise'],
];
/** A process runs any number of these at once; of the other kinds, one each at a time. */
const REQUESTS: ReadonlySet<string> = new Set(
  [...MERCHANTS, ...BATCHES, ...CLAIMS, ...OPERATORS].filter(({ faulty }) => faulty).map(({ name }) => name),
);

/** Chooses the concurrent actions of an action: mostly on the same rows, and mostly on other instances. */
export function concurrentActionsOf(
  action: Action,
  { world, instance }: Scene,
  random: SimRandom,
  all: readonly (readonly [Action, number])[],
): readonly ConcurrentAction[] {
  const concurrent: ConcurrentAction[] = [];
  const busy = new Set([`${instance.name} ${action.name}`]);
  for (
    let i = random.weighted([
      [0, 3],
      [1, 4],
      [2, 3],
    ]);
    i > 0;
    i--
  ) {
    const meeting = random.pick(MEETINGS.filter((names) => names.includes(action.name))) ?? [];
    const rival = random.chance(0.7) ? random.pick(meeting) : undefined;
    const chosen = all.find(([{ name }]) => name === rival)?.[0] ?? random.weighted(all);
    const others = world.instances.filter((each) => each !== instance);
    const other = REQUESTS.has(chosen.name) && random.chance(0.3) ? instance : (random.pick(others) ?? instance);
    const key = `${other.name} ${chosen.name}`;
    if (busy.has(key) && !REQUESTS.has(chosen.name)) continue;
    busy.add(key);
    concurrent.push({
      action: chosen,
      instance: other,
      after: random.weighted<() => number>([
        [() => 0, 3],
        [() => random.int(1, 12), 3],
        [() => random.int(1, 40), 1],
      ])(),
    });
  }
  return concurrent;
}
