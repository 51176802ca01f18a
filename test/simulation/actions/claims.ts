import { OPERATOR } from '../../../core/index.ts';
import type { Actor, ClaimId, Decimal, OrderId, PullPaymentId } from '../../../core/index.ts';
import { inside, NOTHING } from './action.ts';
import type { Action, Scene } from './action.ts';
import { decimal, merchantOf, ordersOf } from './merchants.ts';

const DOLLARS = ['3', '12.34', '80'] as const;
const COINS = ['ETH', 'USDT-ERC20', 'BTC'] as const;
const PARTS = [
  [1n, 1n],
  [1n, 2n],
  [1n, 3n],
  [9n, 10n],
] as const;

interface PullRow {
  readonly id: PullPaymentId;
  readonly account_id: string;
  readonly token: string;
  readonly currency: string;
  readonly amount: string;
  readonly claimed: string;
}

interface ClaimRow {
  readonly id: ClaimId;
  readonly account_id: string;
  readonly token: string;
  readonly claim_key: string;
  readonly currency: string;
  readonly to_address: string;
}

/** Mostly those of which something is left. */
function pullsOf({ world, random }: Scene): readonly PullRow[] {
  const rows = world.driver.all<PullRow & { readonly archived_at: number | null }>(
    'SELECT id, account_id, token, currency, amount, claimed, archived_at FROM pull_payments ORDER BY id DESC LIMIT 8',
  );
  const open = rows.filter(({ amount, claimed, archived_at: archivedAt }) => amount !== claimed && archivedAt === null);
  return random.chance(0.85) ? open : rows;
}
const claimsOf = ({ world }: Scene): readonly ClaimRow[] =>
  world.driver.all<ClaimRow>(
    `SELECT c.id, c.account_id, c.claim_key, c.currency, c.to_address, p.token FROM claims c
     JOIN pull_payments p ON p.id = c.pull_payment_id ORDER BY c.id DESC LIMIT 8`,
  );
const personOf = (accountId: string): Actor => ({
  accountId: accountId as Actor['accountId'],
  role: 'user',
  ip: null,
  traceId: null,
});

/** A merchant promises an amount, sometimes a part of what an order received. */
async function promise(scene: Scene): Promise<string> {
  const { world, random, instance } = scene;
  const { principal } = merchantOf(scene);
  const actor = personOf(principal.accountId);
  const common = {
    name: 'A promise',
    autoApprove: random.chance(0.5),
    expiresAt: random.chance(0.4) ? world.now + random.int(1, 40) * 3_600_000 : null,
  };
  if (random.chance(0.4)) return promiseRefund(scene, common);
  const { currency, amount } = affordable(scene, principal.accountId);
  const { pull } = await instance.pullPayments.create(actor, { ...common, currency, amount });
  return `${pull.id} ${currency}`;
}

/** Mostly a part of what the merchant can spend of a coin; otherwise dollars. */
function affordable(
  { world, random }: Scene,
  accountId: string,
): { readonly currency: string; readonly amount: Decimal } {
  const rows = world.driver.all<{ currency: string; units: string }>(
    `SELECT currency, units FROM ledger_balances WHERE account = ? AND units <> '0' AND currency <> 'BTC-LN' ORDER BY currency`,
    `merchant:${accountId}:available`,
  );
  const row = random.chance(0.8) ? random.pick(rows) : undefined;
  const scale = world.assets.find(row?.currency ?? '')?.decimals;
  if (row === undefined || scale === undefined)
    return { currency: 'USD', amount: decimal(random.pick(DOLLARS) ?? '3') };
  const [part, whole] = random.pick(PARTS) ?? PARTS[0];
  return { currency: row.currency, amount: { digits: (BigInt(row.units) * part) / whole, scale } };
}

type Promised = Readonly<Record<'name', string>> & { readonly autoApprove: boolean; readonly expiresAt: number | null };

async function promiseRefund(scene: Scene, common: Promised): Promise<string> {
  const { world, random, instance } = scene;
  const paid = ordersOf(scene, 'SUCCESS', 'RESOLVED', 'PARTIAL', 'OVERDUE').filter(
    ({ chain, received }) => chain !== 'BLN' && received !== '0',
  );
  const order = random.pick(paid);
  const known = world.orders.find(({ id }) => id === order?.id);
  const asset = world.assets.find(order?.currency ?? '');
  if (order === undefined || known === undefined || asset === null) return NOTHING;
  const [part, whole] = random.pick(PARTS) ?? PARTS[0];
  const amount: Decimal = { digits: (BigInt(order.received) * part) / whole, scale: asset.decimals };
  const merchant = world.merchants[known.merchant] as (typeof world.merchants)[number];
  const { pull } = await instance.pullPayments.create(personOf(merchant.principal.accountId), {
    ...common,
    currency: asset.currency,
    amount,
    orderId: order.id as OrderId,
  });
  return `${pull.id} of ${order.id}`;
}

function coinOf({ random }: Scene, { currency }: PullRow): string {
  return currency === 'USD' ? (random.pick(COINS) ?? 'ETH') : currency;
}

/** An address of a payee, who may claim to it more than once, or one of the till's. */
function addressOf({ world, random }: Scene, coin: string): string {
  const chain = coin === 'BTC' ? 'BTC' : 'ETH';
  if (random.chance(0.05)) return world.node(chain).chain.hot;
  return `${chain.toLowerCase()}-claimant-${random.int(1, 9)}`;
}

/** Mostly a part of what is left; sometimes more than that. */
function partOf({ random }: Scene, { amount, claimed, currency }: PullRow, decimalsOf: (code: string) => number) {
  if (random.chance(0.4)) return null;
  const [part, whole] = random.pick(PARTS) ?? PARTS[0];
  const left = random.chance(0.9) ? BigInt(amount) - BigInt(claimed) : BigInt(amount) * 2n;
  return { digits: (left * part) / whole, scale: decimalsOf(currency) };
}

const decimalsIn =
  ({ world }: Scene) =>
  (code: string): number =>
    code === 'USD' ? 2 : (world.assets.find(code)?.decimals ?? 0);

async function claim(scene: Scene): Promise<string> {
  const { random, instance } = scene;
  const pull = random.pick(pullsOf(scene));
  if (pull === undefined) return NOTHING;
  const currency = coinOf(scene, pull);
  const { claim: made } = await instance.claims.claim(pull.token, {
    currency,
    address: addressOf(scene, currency),
    amount: partOf(scene, pull, decimalsIn(scene)),
    key: `claim-${random.int(1, 1e9)}`,
  });
  return `${made.id} ${made.units} ${currency}`;
}

/** Several payees claim all that is left at once. */
async function crowd(scene: Scene): Promise<string> {
  const { random, instance } = scene;
  const pull = random.pick(pullsOf(scene));
  if (pull === undefined) return NOTHING;
  const currency = coinOf(scene, pull);
  const address = addressOf(scene, currency);
  const key = `crowd-${random.int(1, 1e9)}`;
  const asked = await Promise.allSettled(
    [key, key, `${key}-b`].map((one) => instance.claims.claim(pull.token, { currency, address, key: one })),
  );
  const refused = asked.find(({ status }) => status === 'rejected');
  const made = asked.filter(({ status }) => status === 'fulfilled').length;
  if (made === 0 && refused?.status === 'rejected') throw refused.reason;
  return `${pull.id} ${made} of ${asked.length}`;
}

/** A payee whose answer was lost sends its claim again. */
async function again(scene: Scene): Promise<string> {
  const { world, random, instance } = scene;
  const row = random.pick(claimsOf(scene));
  if (row === undefined) return NOTHING;
  const { currency, to_address: address, claim_key: key, token, id } = row;
  const { claim: found } = await instance.claims.claim(token, { currency, address, key });
  if (found.id !== id) world.breaches.push(`one-key-one-claim: ${key} made ${id} and ${found.id}`);
  return found.id;
}

/** The account, or an operator, approves or rejects a claim. */
async function decide(scene: Scene): Promise<string> {
  const { random, instance } = scene;
  const row = random.pick(claimsOf(scene));
  if (row === undefined) return NOTHING;
  const actor = random.chance(0.6) ? personOf(row.account_id) : OPERATOR;
  const { pullPayments } = instance;
  if (random.chance(0.65)) return `approved ${(await pullPayments.approve(actor, row.id)).transfer?.status}`;
  const rejected = await pullPayments.reject(actor, row.id, 'Rejected.');
  return `rejected ${rejected.claim.status}`;
}

async function archive(scene: Scene): Promise<string> {
  const pull = scene.random.pick(pullsOf(scene));
  if (pull === undefined) return NOTHING;
  return (await scene.instance.pullPayments.archive(personOf(pull.account_id), pull.id)).state;
}

/** The actions of merchants who promise amounts, and of their payees. */
export const CLAIMS: readonly Action[] = [
  inside('promise', 2, promise),
  inside('claim', 2.4, claim),
  inside('claim-crowd', 0.4, crowd),
  inside('claim-again', 0.5, again),
  inside('decide-claim', 1.4, decide),
  inside('archive-promise', 0.3, archive),
  inside('expire-promises', 0.8, ({ instance }) => instance.expirePullPayments()),
];
