import { NOTHING, outside } from './action.ts';
import type { Action, Scene } from './action.ts';
import { ordersOf } from './merchants.ts';

/** The token's issuer freezes an address: mostly one that was recently paid, sometimes the till's hot wallet. */
function freeze(scene: Scene): string {
  const { world, random } = scene;
  const { chain } = world.node('ETH');
  const paid = ordersOf(scene, 'PENDING', 'SUCCESS').filter(({ currency }) => currency === 'USDT-ERC20');
  const address = random.chance(0.12) ? chain.hot : random.pick(paid.slice(-6))?.address;
  if (address == null) return NOTHING;
  chain.frozen.add(address);
  return address;
}

/** The issuer releases an address. */
function thaw({ world, random }: Scene): string {
  const { frozen } = world.node('ETH').chain;
  const address = random.pick([...frozen].filter((each) => each !== 'eth-cold').sort());
  if (address === undefined) return NOTHING;
  frozen.delete(address);
  return address;
}

/** The actions of a token's issuer on addresses. */
export const ISSUER: readonly Action[] = [outside('freeze-coins', 0.5, freeze), outside('thaw-coins', 0.4, thaw)];
