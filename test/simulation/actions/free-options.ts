import { LATE_GRACE_MS } from '../rules/order-worth.ts';
import { inside, NOTHING, outside } from './action.ts';
import type { Action, Scene } from './action.ts';
import { ordersOf, refundOf } from './merchants.ts';
import type { OrderRow } from './merchants.ts';

const HOUR_MS = 3_600_000;
const REFUNDED = `SELECT order_id FROM transfers WHERE kind = 'refund' AND status NOT IN ('CONFIRMED', 'FAILED')`;
const UNPAID = `SELECT id FROM orders o WHERE status = 'PENDING' AND expires_at > ? AND
  NOT EXISTS (SELECT 1 FROM deposits d WHERE d.order_id = o.id)`;

/** Pays an order's amount to its address. */
function payInFull({ world }: Scene, order: OrderRow | undefined): string {
  if (order?.chain == null || order.currency === null || order.address === null) return NOTHING;
  const { id, chain, currency, address: to } = order;
  const { txid } = world.pay(world.node(chain).chain, [{ to, currency, units: BigInt(order.units ?? '1') }]);
  world.intended.set(txid, id);
  return `${id} ${txid}`;
}

/** Orders that were not paid in time, and whose addresses are still watched. */
function missed(scene: Scene): readonly OrderRow[] {
  return ordersOf(scene, 'OVERDUE', 'PARTIAL').filter(
    ({ chain, address, watch_until }) =>
      chain !== null && chain !== 'BLN' && address !== null && scene.world.now < watch_until - HOUR_MS,
  );
}

/** A payer waits past the deadline until the coin is cheap, and pays the amount that was due while it was expensive. */
function waitForTheRate(scene: Scene): string {
  const { world, random } = scene;
  const order = random.pick(missed(scene).filter(({ expires_at }) => world.now > expires_at + LATE_GRACE_MS));
  const symbol = world.assets.find(order?.currency ?? '')?.symbol;
  const price = world.prices.get(symbol ?? '');
  if (symbol !== undefined && price !== undefined)
    world.prices.set(symbol, ((Number(price) * random.int(60, 95)) / 100).toFixed(4));
  return payInFull(scene, order);
}

/** Mines some of a chain's blocks. */
function mine({ world, random }: Scene, code: string, blocks: number): void {
  const { chain } = world.node(code);
  for (let i = 0; i < blocks; i++) chain.mine(random);
}

/** A payer pays a part of an order, and lets the deadline pass. */
async function payPart(scene: Scene): Promise<string> {
  const { world, random, instance } = scene;
  const open = ordersOf(scene, 'PENDING').filter(({ chain, address }) => chain === 'ETH' && address !== null);
  const part = open.find(({ received }) => received !== '0');
  if (part !== undefined) {
    world.advance(Math.max(0, part.expires_at - world.now) + world.skewMs + 1_000);
    mine(scene, 'ETH', 4);
    world.look();
    await instance.follow('ETH', true);
    return `${part.id} expires ${await instance.expire(true)}`;
  }
  const paid = new Set(world.intended.values());
  const order = random.pick(open.filter(({ id }) => !paid.has(id)));
  if (order === undefined) return NOTHING;
  const units = (BigInt(order.units ?? '0') * BigInt(random.int(40, 60))) / 100n;
  const payment = payInFull(scene, { ...order, units: String(units) });
  mine(scene, 'ETH', random.int(3, 7));
  return `${payment} in part`;
}

/**
 * A payer pays a part in time, and completes the order after the deadline, as soon as its merchant has requested a
 * refund of that part.
 */
async function raceTheRefund(scene: Scene): Promise<string> {
  const { world, random } = scene;
  const late = missed(scene).filter(({ received }) => received !== '0');
  const refunded = new Set(world.driver.all<{ order_id: string }>(REFUNDED).map(({ order_id }) => order_id));
  const racing = late.filter(({ id }) => refunded.has(id));
  const order = random.pick(racing.length > 0 ? racing : late);
  if (order?.chain == null || random.chance(0.2)) return payPart(scene);
  const asked = racing.includes(order) ? 'refund under way' : await refundOf(scene, order);
  const paid = payInFull(scene, order);
  mine(scene, order.chain, random.int(1, 4));
  return `${asked} ${paid}`;
}

/** A payer of a hosted order switches from one coin to another and back, after the rate of the first has moved. */
async function switchCoins({ world, random, instance }: Scene): Promise<string> {
  const open = new Set(world.driver.all<{ id: string }>(UNPAID, world.now).map(({ id }) => id));
  const order = random.pick(world.orders.filter(({ id, hosted }) => hosted && open.has(id)));
  if (order === undefined) return NOTHING;
  const choose = (coin: string): Promise<unknown> => instance.choosePayment.choose(order.checkoutToken, coin, coin);
  const [coin, other] = random.chance(0.5) ? ['ETH', 'BTC'] : ['BTC', 'ETH'];
  await choose(coin);
  const price = Number(world.prices.get(coin));
  world.prices.set(coin, ((price * random.int(70, 140)) / 100).toFixed(4));
  // Rates are refreshed after a minute.
  world.advance(61_000);
  await choose(other);
  await choose(coin);
  return `${order.id} ${coin} ${other} ${coin}`;
}

/** Payers' attempts to get more than they pay for. */
export const FREE_OPTIONS: readonly Action[] = [
  outside('wait-for-the-rate', 0.5, waitForTheRate),
  inside('race-the-refund', 2, raceTheRefund),
  inside('switch-coins', 0.8, switchCoins),
];
