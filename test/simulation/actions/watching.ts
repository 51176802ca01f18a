import { AWAY } from '../world/away.ts';
import type { Instance } from '../world/instance.ts';
import type { SimNode } from '../world/node.ts';
import { inside, NOTHING, outside } from './action.ts';
import type { Action, Scene } from './action.ts';

interface Reading {
  readonly chain: string;
  readonly read_at: number | null;
  readonly caught_up_at: number | null;
}

/** A minute, plus the tolerated difference between the clocks of two instances. */
const UNREAD_MS = 75_000;
const MOST_PASSES = 4;
/** When each instance began to watch its chains. */
const watching = new WeakMap<Instance, number>();

/**
 * An instance checks when its chains were last read; each has a state, and an alert when it was not read for a minute.
 */
async function watchChains({ world, instance }: Scene): Promise<string> {
  const began = world.now;
  await instance.watchChains();
  const since = watching.get(instance) ?? world.now;
  watching.set(instance, since);
  const rows = world.driver.all<Reading>('SELECT chain, read_at, caught_up_at FROM chain_states');
  const unread: string[] = [];
  for (const code of [...world.nodes.map((node) => node.code), 'BLN', AWAY]) {
    const row = rows.find(({ chain }) => chain === code);
    if (row === undefined) {
      world.breaches.push(`chain-state: ${code} is configured and has no state`);
      continue;
    }
    if (began - Math.max(row.read_at ?? 0, row.caught_up_at ?? 0, since) < UNREAD_MS) continue;
    unread.push(code);
    if (![...world.alerts].some((alert) => alert.startsWith(`chain ${code}: `) && alert.includes('has not been read')))
      world.breaches.push(`unread-alert: ${code} was not read for a minute, and nobody was told`);
  }
  return unread.join(' ') || 'all are read';
}

/** A node contradicts itself: its chain's payments must stop, with an alert within the step. */
async function contradict({ world, instance, random }: Scene): Promise<string> {
  const node = random.pick<SimNode>(world.nodes.filter(({ troubled }) => !troubled));
  if (node === undefined) return NOTHING;
  node.trouble.contradicts = true;
  try {
    for (let pass = 0; pass < MOST_PASSES; pass++) {
      node.chain.mine(random);
      await instance.follow(node.code, true);
    }
    return `${node.code} was not asked`;
  } catch (error) {
    if (!(error instanceof Error) || !error.message.includes('contradicts itself')) throw error;
    const told = [...world.alerts].some((alert) => alert.includes('contradicts itself'));
    if (!told) world.breaches.push(`contradiction-named: ${node.code}'s node contradicts itself, and nobody was told`);
    return node.code;
  } finally {
    node.trouble.contradicts = false;
  }
}

/** Another node behind the same address, on an abandoned branch, answers the request for the marks. */
function markDeadBranch({ world, random }: Scene): string {
  const { code, trouble } = world.node('ETH');
  if (trouble.deadMarks) return NOTHING;
  trouble.deadMarks = true;
  world.upheavals += 1;
  return `${code} ${random.int(1, 9)}`;
}

/** Nodes that contradict themselves, mark blocks of abandoned branches or never existed, and the watch of chains. */
export const WATCHING: readonly Action[] = [
  inside('watch-chains', 1.5, watchChains),
  inside('follow away', 0.3, ({ instance }) => instance.follow(AWAY, true)),
  inside('contradict', 0.4, contradict),
  outside('mark-dead-branch', 0.5, markDeadBranch),
];
