import { inside } from './action.ts';
import type { Action, Scene } from './action.ts';

/** A timer renews leases, unless the machine was suspended. */
const renews = ({ random }: Scene): boolean => random.chance(0.8);
const chain = ({ random }: Scene): string => (random.chance(0.6) ? 'ETH' : 'BTC');

/** One pass of each loop of the host. */
export const WORKERS: readonly Action[] = [
  inside('follow ETH', 9, (scene) => scene.instance.follow('ETH', renews(scene))),
  inside('follow BTC', 6, (scene) => scene.instance.follow('BTC', renews(scene))),
  inside('pay-out ETH', 8, (scene) => scene.instance.payOut('ETH', renews(scene))),
  inside('pay-out BTC', 6, (scene) => scene.instance.payOut('BTC', renews(scene))),
  inside('pay-batches', 3, (scene) => scene.instance.payBatches(renews(scene))),
  inside('expire', 3, (scene) => scene.instance.expire(renews(scene))),
  inside('deliver', 5, ({ instance }) => instance.deliver()),
  inside('refill', 0.7, (scene) => scene.instance.refill(chain(scene))),
];
