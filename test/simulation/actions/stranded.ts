import { NOTHING, outside } from './action.ts';
import type { Action, Scene } from './action.ts';
import { ordersOf } from './merchants.ts';

/** A contract sends the chain's coin to a deposit address at any time, whatever coin its order expects. */
function payByContract(scene: Scene): string {
  const { world, random } = scene;
  const target = random.pick(ordersOf(scene).filter(({ chain, address }) => chain === 'ETH' && address !== null));
  if (target?.address == null) return NOTHING;
  const due = target.currency === 'ETH' ? BigInt(target.units ?? '0') : 0n;
  const units = due > 0n && random.chance(0.7) ? due : 10n ** BigInt(random.int(12, 16));
  const { chain } = world.node('ETH');
  const { txid } = world.pay(chain, [{ to: target.address, currency: chain.native, units, hidden: true }]);
  return `${target.id} ${units} ${txid}`;
}

/** A node keeps the state of only its last few blocks. */
function prune({ world, random }: Scene): string {
  const { trouble } = world.node('ETH');
  trouble.keeps = random.int(2, 6);
  return `ETH keeps ${trouble.keeps}`;
}

/** Payments that blocks do not show, and nodes that have pruned their state. */
export const STRANDED: readonly Action[] = [outside('contract-pay', 1.5, payByContract), outside('prune', 0.4, prune)];
