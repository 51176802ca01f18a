import type { Principal } from '../../../core/index.ts';
import { payeeOf } from '../world/image.ts';
import { BEHAVIOURS, payeeThat } from '../world/payees.ts';
import type { SimWish } from '../world/world.ts';
import { inside, NOTHING, outside } from './action.ts';
import type { Action, Scene } from './action.ts';
import { ask, COINS, merchantOf, ordersOf } from './merchants.ts';

const CLAIM_MS = 86_400_000;

/** A merchant uses its own contract, or again an ordinary address, as its withdrawal address. */
async function payee(scene: Scene): Promise<string> {
  const { world, random, instance } = scene;
  const { number, principal } = merchantOf(scene);
  const hostile = random.chance(0.5);
  const address = hostile ? payeeThat('ETH', random.pick(BEHAVIOURS) ?? 'burns', number) : payeeOf('ETH', number);
  const at = world.now;
  await instance.storage.transaction((tx) =>
    tx.wallets.saveWithdrawalAddress({
      accountId: principal.accountId,
      chain: 'ETH',
      formerAddress: null,
      address,
      activeFrom: at,
      updatedAt: at,
    }),
  );
  return address;
}

/** A payer leaves a refund address that cannot be paid, or one of the till's own that payers have seen. */
async function refundAddress(scene: Scene): Promise<string> {
  const { world, random, instance } = scene;
  const order = random.pick(world.orders.slice(-8));
  if (order === undefined) return NOTHING;
  const address = random.pick([
    ...BEHAVIOURS.map((behaviour) => payeeThat('ETH', behaviour, random.int(1, 9))),
    'eth-hot',
    random.pick(ordersOf(scene).filter(({ chain }) => chain === 'ETH'))?.address ?? 'eth-hot',
  ]) as string;
  await instance.choosePayment.setRefundAddress(order.checkoutToken, address);
  return `${order.id} ${address}`;
}

/** A payer changes the coin many times. */
async function flip({ world, random, instance }: Scene): Promise<string> {
  const order = random.pick(world.orders.filter(({ hosted }) => hosted).slice(-4));
  if (order === undefined) return NOTHING;
  for (let i = random.int(2, 6); i > 0; i--) {
    const [chain, currency] = random.pick(COINS) ?? COINS[0];
    await instance.choosePayment.choose(order.checkoutToken, chain, currency);
  }
  return order.id;
}

/** A payer sends the smallest possible amounts. */
function crumble(scene: Scene): string {
  const { world, random } = scene;
  const target = random.pick(ordersOf(scene, 'PENDING').filter(({ chain }) => chain === 'ETH' || chain === 'BTC'));
  if (target?.chain == null || target.address === null || target.currency === null) return NOTHING;
  const line = { to: target.address, currency: target.currency, units: 1n };
  const count = random.int(1, 8);
  for (let i = 0; i < count; i++) world.intended.set(world.pay(world.node(target.chain).chain, [line]).txid, target.id);
  return `${target.id} ${count} times`;
}

/** A payer pays long after the order's end. */
function payLate(scene: Scene): string {
  const { world, random } = scene;
  const over = ordersOf(scene).filter(({ chain, watch_until }) => chain !== 'BLN' && world.now > watch_until);
  const target = random.pick(over);
  if (target?.chain == null || target.address === null || target.currency === null) return NOTHING;
  const units = BigInt(target.units ?? '1') / BigInt(random.int(1, 3)) + 1n;
  const line = { to: target.address, currency: target.currency, units };
  const { txid } = world.pay(world.node(target.chain).chain, [line]);
  world.intended.set(txid, target.id);
  return `${target.id} ${txid}`;
}

/** A merchant requests one withdrawal with one key many times at once. */
async function crowd(scene: Scene): Promise<string> {
  const { world, random } = scene;
  const [chain, currency] = random.pick(COINS) ?? COINS[0];
  const wish: SimWish = {
    merchant: merchantOf(scene).number,
    key: `wish-${world.wishes.length}`,
    chain,
    currency,
    amount: currency === 'USDT-ERC20' ? '3' : '0.002',
    askedAt: world.now,
    answer: null,
  };
  world.wishes.push(wish);
  const answers = await Promise.allSettled(Array.from({ length: random.int(2, 4) }, () => ask(scene, wish)));
  const refused = answers.find(({ status }) => status === 'rejected');
  if (refused?.status === 'rejected') throw refused.reason;
  return `${answers.length} times`;
}

/** A merchant requests one refund many times at once, with a key and without. */
async function refundCrowd(scene: Scene): Promise<string> {
  const { world, random, instance } = scene;
  const row = random.pick(ordersOf(scene, 'SUCCESS', 'RESOLVED', 'PARTIAL', 'OVERDUE'));
  const known = world.orders.find(({ id }) => id === row?.id);
  if (known === undefined) return NOTHING;
  const { principal } = world.merchants[known.merchant] as { readonly principal: Principal };
  const claim = {
    route: `/api/v2/order/refund/${known.id}`,
    key: `refund-${known.id}`,
    bodyHash: '0'.repeat(64),
    expiresAt: world.now + CLAIM_MS,
  };
  const answers = await Promise.allSettled([
    instance.refund.run(principal, known.id, claim),
    instance.refund.run(principal, known.id, claim),
    instance.refund.run(principal, known.id),
  ]);
  const made = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value.refund.id] : []));
  // The key repeats its first answer, also once that refund has failed: then another may be made without it.
  const failed = new Set(
    world.driver.all<{ id: string }>("SELECT id FROM transfers WHERE status = 'FAILED'").map(({ id }) => id),
  );
  if (new Set(made.filter((id) => !failed.has(id))).size > 1)
    world.breaches.push(`one-refund: order ${known.id} got ${made.join(' and ')} at once`);
  const refused = answers.find(({ status }) => status === 'rejected');
  if (made.length === 0 && refused?.status === 'rejected') throw refused.reason;
  return `${known.id} ${made.length} of ${answers.length}`;
}

/** Attempts of payers and merchants to get more than is theirs. Every call is one that they are allowed. */
export const HOSTILE: readonly Action[] = [
  inside('hostile-payee', 0.4, payee),
  inside('hostile-refund-address', 0.5, refundAddress),
  inside('flip-choice', 0.3, flip),
  inside('crowd', 0.5, crowd),
  inside('refund-crowd', 0.5, refundCrowd),
  outside('crumble', 0.3, crumble),
  outside('pay-late', 0.6, payLate),
];
