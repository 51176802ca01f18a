import type { SimOutput } from '../world/chain.ts';
import { NOTHING, outside } from './action.ts';
import type { Action, Scene } from './action.ts';
import { ordersOf } from './merchants.ts';

/** A payer's contract pays an order in the blocks of some proposers, and does something else in those of others. */
function payByContract(scene: Scene): string {
  const { world, random } = scene;
  const open = ordersOf(scene, 'PENDING').filter(({ chain, address }) => chain === 'ETH' && address !== null);
  const [target, other] = [random.pick(open), random.pick(open)];
  if (target?.address == null || target.currency === null || other?.address == null) return NOTHING;
  const { chain } = world.node('ETH');
  const [to, currency] = [target.address, target.currency];
  const due = BigInt(target.units ?? '1');
  const [kind, elsewhere] = random.weighted<readonly [string, readonly Omit<SimOutput, 'index'>[]]>([
    [['a unit', [{ to, currency, units: 1n }]], 3],
    [['nothing', []], 2],
    [['another order', [{ to: other.address, currency, units: due }]], 2],
    [['another coin', [{ to, currency: currency === 'ETH' ? 'USDT-ERC20' : 'ETH', units: due }]], 1],
    [['more', [{ to, currency, units: due * 2n }]], 1],
  ]);
  const { txid } = world.pay(chain, [{ to, currency, units: due }]);
  const effects = [[{ to, currency, units: due }], elsewhere].map((outputs) =>
    outputs.map((output, index) => ({ ...output, index: String(index) })),
  );
  chain.dependent.set(txid, random.chance(0.5) ? effects : effects.toReversed());
  return `${target.id} or ${kind} ${txid}`;
}

/** The actions of contracts. */
export const CONTRACTS: readonly Action[] = [outside('pay-by-contract', 1.2, payByContract)];
