import { balanceOf, reversalLoss, reverseEntry } from '../ledger/deposit-entries.ts';
import { merchantAccount } from '../ledger/entry.ts';
import { postEntry } from '../ledger/post-entry.ts';
import { assert, present } from '../kernel/guard.ts';
import type { EntryId, OrderId } from '../kernel/ids.ts';
import type { Millis } from '../kernel/time.ts';
import type { IdGenerator } from '../ports/id-generator.ts';
import type { Transaction } from '../ports/storage.ts';
import type { Deposit } from './deposit.ts';
import { refreshOrder } from './credit-deposit.ts';

/** What taking deposits back needs besides the transaction. */
export interface OrphanContext {
  readonly chain: string;
  /** The last block that both the stored and the present chain have. */
  readonly ancestorHeight: number;
  readonly now: Millis;
  readonly ids: IdGenerator;
}

/** How long at least a payment that a reorganisation took away is looked for again. */
const WATCH_AGAIN_MS = 24 * 3_600_000;

/**
 * Takes back every deposit in blocks that a reorganisation removed: credited ones with a reversal in the ledger. The
 * orders stay as they are, marked, until the payment is mined again or the watch window ends.
 *
 * @returns the deposits as they stood before
 */
export async function orphanDeposits(tx: Transaction, context: OrphanContext): Promise<readonly Deposit[]> {
  const deposits = await tx.deposits.above(context.chain, context.ancestorHeight);
  // One order of locking for everybody: orders by id, then their deposits.
  const orderIds = [...new Set(deposits.map(({ orderId }) => orderId))].sort();
  for (const orderId of orderIds) {
    await orphanOfOrder(tx, orderId, deposits.filter((deposit) => deposit.orderId === orderId), context);
  }
  return deposits;
}

async function orphanOfOrder(tx: Transaction, orderId: OrderId, deposits: readonly Deposit[], context: OrphanContext): Promise<void> {
  const order = present(await tx.orders.lock(orderId), `order ${orderId}`);
  for (const { id } of deposits) {
    const deposit = present(await tx.deposits.lock(id), `deposit ${id}`);
    if (deposit.status === 'ORPHANED') continue;
    const lossUnits = deposit.status === 'SEEN' ? deposit.lossUnits : await reverse(tx, deposit, context);
    const changes = { creditedAt: null, lossUnits };
    assert(await tx.deposits.move(id, deposit.status, 'ORPHANED', changes), `deposit ${id} changed while locked`);
  }
  const current = await refreshOrder(tx, order, context.now);
  await tx.orders.extendWatch(orderId, context.chain, context.now + WATCH_AGAIN_MS);
  const units = deposits.reduce((sum, deposit) => sum + deposit.units, 0n);
  await tx.orders.addHistory({
    orderId,
    at: context.now,
    from: order.status,
    to: order.status,
    rule: 'payment-reorganised',
    inputs: { units: units.toString(), receivedNow: current.order.received.toString(), ancestorHeight: context.ancestorHeight },
    rate: null,
  });
}

/** Books the reversal; returns what the loss account bears. */
async function reverse(tx: Transaction, deposit: Deposit, { now, ids }: OrphanContext): Promise<bigint> {
  const account = merchantAccount(deposit.accountId, balanceOf(deposit));
  const available = await tx.ledger.lockBalance(account, deposit.currency);
  const lossUnits = reversalLoss(deposit, available);
  const booked = await postEntry(tx, reverseEntry(ids.next() as EntryId, now, deposit, lossUnits));
  assert(booked, `deposit ${deposit.id} is reversed twice`);
  await tx.deposits.setTransactionStatus(deposit.id, 'FAILED');
  return lossUnits;
}
