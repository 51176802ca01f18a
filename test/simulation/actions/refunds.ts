import { addApproval, isTillgateError } from '../../../core/index.ts';
import type { Account, AccountId, RefundView, TransferId } from '../../../core/index.ts';
import { judgeRefund } from '../rules/refunds.ts';
import { inside, NOTHING } from './action.ts';
import type { Action, Scene } from './action.ts';
import { paidOrders } from './merchants.ts';

async function byKey({ world, instance }: Scene, orderId: string, merchant: number): Promise<RefundView> {
  const principal = world.merchants[merchant]?.principal;
  if (principal === undefined) throw new Error(`merchant ${merchant} is not there`);
  try {
    const view = await instance.refund.run(principal, orderId);
    judgeRefund(world, orderId, view.refund, 'payer');
    return view;
  } catch (error) {
    if (error instanceof Error && isTillgateError(error) && /checkout|https?:/.test(error.message))
      world.breaches.push(`refund-page: a refusal tells where an address can be left: ${error.message}`);
    throw error;
  }
}

/** A thief with a merchant's key pays a little or leaves an address on an order's page, and requests a refund. */
async function stolenKey(scene: Scene): Promise<string> {
  const { world, random, instance } = scene;
  const row = random.pick(paidOrders(scene));
  const known = world.orders.find(({ id }) => id === row?.id);
  if (row?.chain == null || known === undefined) return NOTHING;
  const { address: to, currency, chain } = row;
  if (random.chance(0.3) && chain !== 'BLN' && to !== null && currency !== null) {
    world.intended.set(world.pay(world.node(chain).chain, [{ to, currency, units: 1n }]).txid, row.id);
    return `${row.id} one unit`;
  }
  if (random.chance(0.6))
    await instance.choosePayment.setRefundAddress(known.checkoutToken, `${chain.toLowerCase()}-thief`);
  return `${known.id} ${(await byKey(scene, known.id, known.merchant)).refund.status}`;
}

/** An admin creates another one after a payment was held, and approves with it. */
async function secondAdmin({ world, random, instance }: Scene): Promise<string> {
  const held = random.pick(
    world.driver.all<{ id: TransferId }>(`SELECT id FROM transfers WHERE status = 'HELD' AND account_id IS NOT NULL`),
  );
  if (held === undefined) return NOTHING;
  const { storage, ids } = instance;
  const [id, now] = [ids.next() as AccountId, world.now];
  await storage.transaction(async (tx) => {
    await tx.manage.createAccount(puppet(id, now));
    await addApproval(tx, held.id, id, { now, needed: 1, holdMs: 0 });
  });
  world.breaches.push(`second-admin: ${held.id} was approved by an admin that was made after it was asked for`);
  return held.id;
}

function puppet(id: AccountId, now: number): Account {
  return {
    ...{ id, email: `puppet-${id}@example.com`, name: null, role: 'admin', status: 'active', adminSince: now },
    ...{ passwordHash: '', passwordExpiresAt: null, authVersion: 1, dataSecurity: false, dataSecurityOffAt: null },
    ...{ callbackApiKey: 'order', verifiedCurrencies: [], createdAt: now, modifiedAt: now },
  };
}

/** Attempts of a thief with a stolen key or an admin's session. */
export const THIEVES: readonly Action[] = [
  inside('stolen-key-refund', 1.5, stolenKey),
  inside('second-admin', 0.8, secondAdmin),
];
