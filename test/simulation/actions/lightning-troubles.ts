import { confirmNodeLife, dismissNodeLife, OPERATOR } from '../../../core/index.ts';
import { inside, NOTHING, outside } from './action.ts';
import type { Action, Scene } from './action.ts';

/** An error message that no release of a node has used. */
const WORDS = 'this payment is not to our liking';

/** The node refuses every payment, one payment, or none, before it registers it. */
function refuse({ world, random }: Scene): string {
  const { refusals } = world.lightning;
  if (refusals.size > 0 && random.chance(0.5)) {
    refusals.clear();
    return 'none';
  }
  const invoice = random.chance(0.3) ? undefined : random.pick(world.invoices.slice(-5));
  refusals.set(invoice?.paymentHash ?? 'every', WORDS);
  return invoice?.paymentHash ?? 'every';
}

/** The node is created again from its seed, once the till has read its settlements, which would be lost. */
function beginAnew({ world }: Scene): string {
  const booked = new Set(
    world.driver.all<{ txid: string }>("SELECT txid FROM deposits WHERE chain = 'BLN'").map(({ txid }) => txid),
  );
  if ([...world.lightning.settled.keys()].some((hash) => !booked.has(hash))) return NOTHING;
  world.lightning.beginAnew();
  return 'its key and its channels are left';
}

/** An operator decides with knowledge of the node's past. */
async function decide({ world, instance }: Scene): Promise<string> {
  const { storage, ids } = instance;
  const { status } = await storage.lightning.life();
  if (status !== 'pending') return NOTHING;
  const deps = { storage, ids, clock: { now: () => world.now } };
  const life = await (world.lightning.anew > 0 ? confirmNodeLife : dismissNodeLife)(deps, OPERATOR);
  return life.status;
}

/** Failures of a Lightning node other than those of its payments. */
export const LIGHTNING_TROUBLES: readonly Action[] = [
  outside('ln-refuse', 0.4, refuse),
  outside('ln-anew', 0.1, beginAnew),
  inside('ln-decide', 0.4, decide),
];
