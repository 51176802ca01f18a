import { formatUnits, readDecimal, signRequest } from '../../../core/index.ts';
import type { Decimal, IdempotencyClaim, RefundInput } from '../../../core/index.ts';
import { judgeRefund } from '../rules/refunds.ts';
import type { SimWish } from '../world/world.ts';
import { inside, NOTHING, outside } from './action.ts';
import type { Action, Scene } from './action.ts';

export const COINS = [
  ['ETH', 'ETH'],
  ['ETH', 'USDT-ERC20'],
  ['ETH', 'USDT-ERC20'],
  ['BTC', 'BTC'],
] as const;
const PRICES = ['1.37', '10', '20', '33.33', '99.99', '250', '1999.99'];
const AMOUNTS: Readonly<Record<string, readonly string[]>> = {
  ETH: ['0.003', '0.01', '0.05', '0.123456789123456789', '0.4'],
  'USDT-ERC20': ['1.5', '7', '33.333333', '120'],
  BTC: ['0.0003', '0.001', '0.00500001', '0.02'],
};
const CLAIM_MS = 86_400_000;
const REFUNDED = "SELECT order_id AS id, units, status FROM transfers WHERE kind = 'refund' AND status <> 'FAILED'";

export interface OrderRow {
  readonly id: string;
  readonly status: string;
  readonly chain: string | null;
  readonly currency: string | null;
  readonly units: string | null;
  readonly received: string;
  readonly refund_address: string | null;
  readonly address: string | null;
  readonly expires_at: number;
  readonly watch_until: number;
}

/** The present orders, of some statuses or all. */
export function ordersOf({ world }: Scene, ...statuses: readonly string[]): readonly OrderRow[] {
  const rows = world.driver.all<OrderRow>(
    'SELECT id, status, chain, currency, units, received, refund_address, address, expires_at, watch_until FROM orders ORDER BY id',
  );
  return statuses.length === 0 ? rows : rows.filter(({ status }) => statuses.includes(status));
}

export const merchantOf = ({ world, random }: Scene) =>
  world.merchants[random.int(0, world.merchants.length - 1)] as (typeof world.merchants)[number];
export const decimal = (text: string): Decimal => readDecimal(text) as Decimal;

async function order(scene: Scene): Promise<string> {
  const { world, random, instance } = scene;
  const merchant = merchantOf(scene);
  const [chain, currency] = random.pick(COINS) ?? COINS[0];
  const url = random.chance(0.8) ? 'http://shop.example' : null;
  const links = { callbackUrl: url && `${url}/order.succeeded`, timeoutCallback: url && `${url}/order.timeout` };
  const common = { links, fixedEncryptPrice: random.chance(0.2), enablePostCallback: random.chance(0.5) };
  const vsCurrency = random.pick(['USD', 'USD', 'EUR', 'JPY']) ?? 'USD';
  const price = decimal(vsCurrency === 'JPY' ? '1500' : (random.pick(PRICES) ?? '10'));
  const hosted = random.chance(0.3);
  const made = hosted
    ? await instance.createOrder.hosted(merchant.principal, { ...common, vsCurrency, vsPrice: price })
    : await instance.createOrder.inCoin(merchant.principal, {
        ...common,
        chain,
        currency,
        vsCurrency,
        vsPrice: price,
      });
  world.orders.push({ id: made.id, merchant: merchant.number, checkoutToken: made.checkoutToken, hosted });
  return `${made.id} ${made.payment?.units ?? 'hosted'} ${made.payment?.currency ?? ''}`;
}

async function choose({ world, random, instance }: Scene): Promise<string> {
  const hosted = world.orders.filter((each) => each.hosted);
  const chosen = random.pick(hosted.slice(-4));
  const [chain, currency] = random.pick(COINS) ?? COINS[0];
  if (chosen === undefined) return NOTHING;
  await instance.choosePayment.choose(chosen.checkoutToken, chain, currency);
  return `${chosen.id} ${currency}`;
}

async function refundAddress({ world, random, instance }: Scene): Promise<string> {
  const chosen = random.pick(world.orders.slice(-8));
  if (chosen === undefined) return NOTHING;
  const chain = world.driver.all<OrderRow>('SELECT chain FROM orders WHERE id = ?', chosen.id)[0]?.chain ?? 'ETH';
  await instance.choosePayment.setRefundAddress(
    chosen.checkoutToken,
    `${chain.toLowerCase()}-payer-claims-${random.int(1, 9)}`,
  );
  return chosen.id;
}

/** What the refunds of each order use, and whether one is in progress. */
function refundsOf({ world }: Scene): ReadonlyMap<string, { readonly units: bigint; readonly live: boolean }> {
  const refunds = new Map<string, { readonly units: bigint; readonly live: boolean }>();
  for (const { id, units, status } of world.driver.all<{ id: string; units: string; status: string }>(REFUNDED)) {
    const former = refunds.get(id) ?? { units: 0n, live: false };
    refunds.set(id, { units: former.units + BigInt(units), live: former.live || status !== 'CONFIRMED' });
  }
  return refunds;
}

/** Mostly orders with confirmed money of which something is left, and without a refund in progress. */
export function paidOrders(scene: Scene): readonly OrderRow[] {
  const refundable = ordersOf(scene, 'SUCCESS', 'RESOLVED', 'PARTIAL', 'OVERDUE');
  const refunds = refundsOf(scene);
  const paid = refundable.filter(({ id, received }) => {
    const { units, live } = refunds.get(id) ?? { units: 0n, live: false };
    return !live && BigInt(received) > units;
  });
  return paid.length > 0 && scene.random.chance(0.8) ? paid : [...refundable, ...ordersOf(scene, 'REFUNDED')];
}

/** All of an order, or a part: in the coin, in fiat at either rate, or the surplus. Sometimes more than is left. */
function partOf(scene: Scene, row: OrderRow | undefined): RefundInput {
  const { world, random } = scene;
  const kind = random.pick(['all', 'all', 'coin', 'coin', 'fiat', 'surplus']);
  const asset = world.assets.find(row?.currency ?? '');
  if (row === undefined || asset === null || kind === 'all') return {};
  if (kind === 'surplus') return { surplus: true };
  if (kind === 'fiat')
    return {
      fiatAmount: decimal(random.pick(['1', '10', '33', '250']) ?? '1'),
      ...(random.chance(0.7) ? { rate: random.pick(['order', 'current'] as const) } : {}),
    };
  const left = BigInt(row.received) - (refundsOf(scene).get(row.id)?.units ?? 0n);
  const units = random.chance(0.4) ? left + BigInt(random.int(0, 1)) : (left * BigInt(random.int(0, 99))) / 100n;
  return { amount: decimal(formatUnits(units < 0n ? 0n : units, asset.decimals)) };
}

/** A merchant refunds an order: mostly to the address that the payer left or, without one, to the sender. */
export async function refundOf(scene: Scene, row: OrderRow | undefined): Promise<string> {
  const { world, random, instance } = scene;
  const known = world.orders.find(({ id }) => id === row?.id);
  if (known === undefined) return NOTHING;
  const merchant = world.merchants[known.merchant] as (typeof world.merchants)[number];
  const left = random.chance(0.8) ? row?.refund_address !== null : random.chance(0.5);
  const to = left ? 'payer' : 'sender';
  const { refund: transfer } = await instance.refund.run(merchant.principal, known.id, null, null, {
    to,
    ...partOf(scene, row),
  });
  judgeRefund(world, known.id, transfer, to);
  return `${known.id} ${transfer.units} ${transfer.status}`;
}

export async function ask({ world, instance }: Scene, wish: SimWish): Promise<string> {
  const { principal } = world.merchants[wish.merchant] as (typeof world.merchants)[number];
  const claim: IdempotencyClaim = {
    route: '/api/withdraw',
    key: wish.key,
    bodyHash: wish.key.padEnd(64, '0').slice(0, 64),
    expiresAt: world.now + CLAIM_MS,
  };
  const input = { chain: wish.chain, currency: wish.currency, amount: decimal(wish.amount) };
  const { id } = (await instance.withdrawal.run(principal, input, claim)).withdrawal;
  if (wish.answer !== id) {
    // A key is kept for a day.
    if (wish.answer !== null && world.now < wish.askedAt + CLAIM_MS)
      world.breaches.push(`one-key-one-withdrawal: ${wish.key} made ${wish.answer} and ${id}`);
    Object.assign(wish, { answer: id, askedAt: world.now });
  }
  return `${id} ${wish.amount} ${wish.currency}`;
}

export function withdraw(scene: Scene): Promise<string> {
  const { world, random } = scene;
  const [chain, currency] = random.pick(COINS) ?? COINS[0];
  const amount = random.pick(AMOUNTS[currency] ?? []) ?? '1';
  const wish: SimWish = {
    merchant: merchantOf(scene).number,
    key: `wish-${world.wishes.length}`,
    chain,
    currency,
    amount,
    askedAt: world.now,
    answer: null,
  };
  world.wishes.push(wish);
  return ask(scene, wish);
}

/** Withdraws everything that a merchant can spend of a coin. */
function withdrawAll(scene: Scene): Promise<string> {
  const { world, random } = scene;
  const merchant = merchantOf(scene);
  const [chain, currency] = random.pick(COINS) ?? COINS[0];
  const rows = world.driver.all<{ units: string }>(
    'SELECT units FROM ledger_balances WHERE account = ? AND currency = ?',
    `merchant:${merchant.principal.accountId}:available`,
    currency,
  );
  const units = rows[0]?.units ?? '0';
  if (units === '0') return Promise.resolve(NOTHING);
  const { decimals } = world.assets.find(currency) as { decimals: number };
  const digits = units.padStart(decimals + 1, '0');
  const wish: SimWish = {
    merchant: merchant.number,
    key: `wish-${world.wishes.length}`,
    chain,
    currency,
    amount: `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`,
    askedAt: world.now,
    answer: null,
  };
  world.wishes.push(wish);
  return ask(scene, wish);
}

async function retry(scene: Scene): Promise<string> {
  const { world, random } = scene;
  const wish = random.pick(world.wishes.slice(-5));
  return wish === undefined ? NOTHING : ask(scene, wish);
}

function pay(scene: Scene): string {
  const { world, random } = scene;
  const payable = ordersOf(scene).filter(
    ({ address, chain, watch_until }) => address !== null && chain !== 'BLN' && world.now < watch_until - 3_600_000,
  );
  const open = payable.filter(({ status }) => status === 'PENDING');
  const target = random.pick(open.length > 0 && random.chance(0.85) ? open : payable);
  if (target === undefined || target.chain === null || target.currency === null || target.address === null)
    return NOTHING;
  const { chain } = world.node(target.chain);
  const due = BigInt(target.units ?? '0');
  const { address: to, currency } = target;
  const line = (units: bigint, coin = currency) => ({ to, currency: coin, units: units > 0n ? units : 1n });
  const [kind, lines] = random.weighted<readonly [string, readonly ReturnType<typeof line>[]]>([
    [['exact', [line(due)]], 6],
    [['just short', [line(due - 1n)]], 1],
    [['a little short', [line((due * BigInt(random.pick([9_850, 9_900, 9_925, 9_950, 9_975]) ?? 1)) / 10_000n)]], 1.5],
    [['half', [line(due / 2n)]], 1.2],
    [['over', [line((due * 3n) / 2n)]], 0.8],
    [['split', [line(due / 2n), line(due - due / 2n)]], 0.8],
    [['other coin', [line(due, currency === 'ETH' ? 'USDT-ERC20' : currency === 'BTC' ? 'BTC' : 'ETH')]], 0.4],
  ]);
  const { txid } = world.pay(chain, lines);
  world.intended.set(txid, target.id);
  return `${target.id} ${kind} ${txid}`;
}

async function rotate(scene: Scene): Promise<string> {
  const { world, random, instance } = scene;
  const merchant = merchantOf(scene);
  const former = world.keys.find((key) => key.merchant === merchant.number && key.until === null);
  const grace = random.pick([0, 60, 900, 7_200]) ?? 0;
  if (former === undefined) return NOTHING;
  // Until the answer arrives it is unknown whether the key was replaced.
  former.until = Number.NaN;
  const asked = world.now;
  const { key, replaced } = await instance.appKeys.rotate(merchant.appId, grace);
  former.until = replaced.key.expiresAt ?? Number.NaN;
  const { skewMs } = world;
  if (former.until < asked + grace * 1000 - skewMs || former.until > world.now + grace * 1000 + skewMs)
    world.breaches.push(`grace: a key rotated with a grace of ${grace} s ends at ${former.until - world.now} ms`);
  world.keys.push({ merchant: merchant.number, text: key.text, until: null });
  return `merchant ${merchant.number} grace ${grace}`;
}

const TARGET = '/api/withdraw';

/** A signed request that moves money, sent for the first time or repeated. */
async function signed(scene: Scene, again: boolean): Promise<string> {
  const { world, random, instance } = scene;
  const merchant = merchantOf(scene);
  let request = again ? random.pick(world.requests.slice(-6)) : undefined;
  if (again && request === undefined) return NOTHING;
  const body = new TextEncoder().encode('{}');
  if (request === undefined) {
    const pair = { apiToken: merchant.apiToken, secret: merchant.signingSecret };
    const headers = signRequest(
      { method: 'POST', target: `${TARGET}?n=${world.requests.length}`, body },
      pair,
      world.settings.digest,
      world.now,
    );
    request = {
      headers: new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), [value]])),
      target: `${TARGET}?n=${world.requests.length}`,
      accepted: false,
    };
    world.requests.push(request);
  }
  await instance.authenticate.run(
    { method: 'POST', target: request.target, headers: request.headers, body },
    { places: ['api-key'], scope: 'move' },
  );
  if (request.accepted) world.breaches.push('replay: a signature was accepted twice');
  request.accepted = true;
  return 'accepted';
}

/** The actions of merchants, their payers and their programs. */
export const MERCHANTS: readonly Action[] = [
  inside('order', 6, order),
  inside('choose', 1.5, choose),
  inside('refund-address', 2, refundAddress),
  inside('terminate', 0.5, async (scene) => {
    const row = scene.random.pick(ordersOf(scene, 'PENDING'));
    if (row === undefined) return NOTHING;
    await scene.instance.orderAdminActions.terminate(row.id, 'merchant');
    return row.id;
  }),
  inside('resolve', 0.4, async (scene) => {
    const row = scene.random.pick(ordersOf(scene, 'OVERDUE', 'PARTIAL'));
    if (row === undefined) return NOTHING;
    await scene.instance.orderAdminActions.resolve(row.id, 'merchant');
    return row.id;
  }),
  inside('refund', 2, (scene) => refundOf(scene, scene.random.pick(paidOrders(scene)))),
  inside('withdraw', 3, withdraw),
  inside('withdraw-all', 0.8, withdrawAll),
  inside('ask-again', 1, retry),
  outside('pay', 9, pay),
  inside('rotate', 0.5, rotate),
  inside('signed', 0.6, (scene) => signed(scene, false)),
  inside('replay', 0.6, (scene) => signed(scene, true)),
];
