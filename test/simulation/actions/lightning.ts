import { createHash } from 'node:crypto';
import { readDecimal } from '../../../core/index.ts';
import type { Decimal, IdempotencyClaim } from '../../../core/index.ts';
import { requestOf } from '../../support/fake-lightning.ts';
import type { SimInvoice } from '../world/world.ts';
import { inside, NOTHING, outside } from './action.ts';
import type { Action, Scene } from './action.ts';

const PRICES = ['0.5', '10', '33.33', '250'];
const CLAIM_MS = 86_400_000;
const merchantOf = ({ world, random }: Scene) =>
  world.merchants[random.int(0, world.merchants.length - 1)] as (typeof world.merchants)[number];

interface InvoiceRow {
  readonly id: string;
  readonly status: string;
  readonly units: string;
  readonly address: string;
  readonly key: string;
  readonly expires_at: number;
}

async function order(scene: Scene): Promise<string> {
  const { world, random, instance } = scene;
  const merchant = merchantOf(scene);
  const url = random.chance(0.8) ? 'http://shop.example' : null;
  const links = { callbackUrl: url && `${url}/order.succeeded`, timeoutCallback: url && `${url}/order.timeout` };
  const vsPrice = readDecimal(random.pick(PRICES) ?? '10') as Decimal;
  const made = await instance.createOrder.lightning(merchant.principal, { vsCurrency: 'USD', vsPrice, links });
  world.orders.push({ id: made.id, merchant: merchant.number, checkoutToken: made.checkoutToken, hosted: false });
  return `${made.id} ${made.payment?.units ?? ''} msat`;
}

/** Mostly in time; a payment that a receiver held may be settled after the invoice's expiry. */
function pay({ world, random }: Scene): string {
  const rows = world.driver.all<InvoiceRow>(
    `SELECT o.id, o.status, o.units, o.address, o.expires_at, a.watch_key AS key FROM orders o JOIN order_addresses a ON a.order_id = o.id AND a.chain = 'BLN'
     WHERE o.chain = 'BLN' ORDER BY o.id DESC LIMIT 12`,
  );
  const open = rows.filter(
    ({ key, expires_at }) => !world.lightning.settled.has(key) && (world.now < expires_at || random.chance(0.1)),
  );
  const row = random.pick(open);
  if (row === undefined) return NOTHING;
  const msat = random.chance(0.85) ? BigInt(row.units) : (BigInt(row.units) * 3n) / 2n;
  world.lightning.receive(row.address, row.key, msat);
  return `${row.id} ${msat} msat`;
}

async function ask({ world, instance }: Scene, invoice: SimInvoice, key: string): Promise<string> {
  const { principal } = world.merchants[invoice.merchant] as (typeof world.merchants)[number];
  const claim: IdempotencyClaim = {
    route: '/api/bln/withdraw',
    key,
    bodyHash: key.padEnd(64, '0').slice(0, 64),
    expiresAt: world.now + CLAIM_MS,
  };
  const { id } = (await instance.lightningPayment.run(principal, { lnInvoices: invoice.text }, claim)).withdrawal;
  if (invoice.answer !== null && invoice.answer !== id)
    world.breaches.push(`one-hash-one-payment: an invoice was withdrawn to as ${invoice.answer} and ${id}`);
  invoice.answer = id;
  return id;
}

function withdraw(scene: Scene): Promise<string> {
  const { world, random } = scene;
  const number = world.invoices.length;
  const paymentHash = createHash('sha256').update(`receiver ${number}`).digest('hex');
  const msat = BigInt(random.pick([1_000, 25_000, 1_234_567, 9_000_000, 150_000_000]) ?? 1_000);
  const text = requestOf({ paymentHash, msat, expiresAt: world.now + random.int(60, 3_600) * 1_000 });
  const invoice: SimInvoice = { merchant: merchantOf(scene).number, paymentHash, text, answer: null };
  world.invoices.push(invoice);
  return ask(scene, invoice, `invoice-${number}`);
}

/** Repeats a request, with the same key or as a new one. */
async function again(scene: Scene): Promise<string> {
  const { world, random } = scene;
  const invoice = random.pick(world.invoices.slice(-5));
  if (invoice === undefined) return NOTHING;
  const number = world.invoices.indexOf(invoice);
  return ask(scene, invoice, random.chance(0.6) ? `invoice-${number}` : `invoice-${number}-${random.int(1, 1_000)}`);
}

/** Events around the Lightning node. */
export const LIGHTNING: readonly Action[] = [
  inside('ln-order', 2, order),
  outside('ln-pay', 3, pay),
  inside('ln-withdraw', 1.2, withdraw),
  inside('ln-again', 0.6, again),
  outside('ln-route', 0.5, ({ world, random }) => {
    const feeMsat = BigInt(random.pick([0, 700, 9_999, 5_000_000]) ?? 0);
    world.lightning.route = random.weighted([
      [{ kind: 'settled', feeMsat } as const, 4],
      [{ kind: 'in-flight' } as const, 3],
      [{ kind: 'no-route' } as const, 1],
    ]);
    return world.lightning.route.kind;
  }),
  outside('ln-own', 0.3, ({ world: { lightning }, random }) => {
    const msat = random.chance(0.5) ? 10_000_000n : -lightning.ownMsat / 2n;
    lightning.endow(msat);
    return `${msat} msat`;
  }),
  outside('ln-end', 1, ({ world, random }) => {
    const hash = random.pick(world.lightning.underWay);
    if (hash === undefined) return NOTHING;
    const settled = random.chance(0.6);
    world.lightning.finish(
      hash,
      settled ? { state: 'settled', feeMsat: BigInt(random.int(0, 900)) } : { state: 'failed', reason: 'no route' },
    );
    return settled ? 'settled' : 'failed';
  }),
  outside('ln-stream', 0.3, ({ world, random }) => {
    world.lightning.cut = random.chance(0.4);
    return world.lightning.cut ? 'cut' : 'whole';
  }),
  inside('follow BLN', 3, (scene) => scene.instance.followInvoices(scene.random.chance(0.8))),
  inside('pay-out BLN', 3, (scene) => scene.instance.payInvoices(scene.random.chance(0.8))),
];
