import { balanceOf, reversalLoss, reverseEntry } from '../ledger/deposit-entries.ts';
import { unassignedLoss, unassignedReverseEntry } from '../ledger/unassigned-entries.ts';
import { merchantAccount } from '../ledger/entry.ts';
import { postEntry } from '../ledger/post-entry.ts';
import { amountInWords } from '../kernel/amount.ts';
import type { Asset } from '../kernel/asset.ts';
import { assert, present } from '../kernel/guard.ts';
import type { AccountId, DepositId, EntryId, OrderId } from '../kernel/ids.ts';
import type { Millis } from '../kernel/time.ts';
import type { IdGenerator } from '../ports/id-generator.ts';
import type { Transaction } from '../ports/storage.ts';
import { rejectTransfer } from '../transfers/review-transfer.ts';
import { holdingRef } from './deposit.ts';
import type { Deposit } from './deposit.ts';
import { refreshOrder } from './credit-deposit.ts';

export interface OrphanContext {
  readonly chain: string;
  /** Of the chain, to tell amounts in. */
  readonly assets: readonly Asset[];
  /** The height of the last common block. */
  readonly ancestorHeight: number;
  readonly now: Millis;
  readonly ids: IdGenerator;
  /** True where the chain has a mempool. */
  readonly mempool: boolean;
}

/** How long at least the address of an orphaned payment is watched. */
const WATCH_AGAIN_MS = 24 * 3_600_000;

/** An amount that a reversal could not take back because the merchant had withdrawn it. */
export interface Loss {
  readonly accountId: AccountId;
  readonly depositId: DepositId;
  readonly reason: string;
}

/** The deposits as they were before, and the losses. */
export interface Orphaned {
  readonly deposits: readonly Deposit[];
  readonly losses: readonly Loss[];
}

/**
 * Orphans every deposit in blocks that a reorganisation removed, and reverses credited ones in the ledger. The orders keep
 * their status, with a mark, until the payment is mined again or the watch window ends. A merchant that had withdrawn the
 * money cannot withdraw until an operator unfreezes the account.
 */
export async function orphanDeposits(tx: Transaction, context: OrphanContext): Promise<Orphaned> {
  const deposits = await tx.deposits.above(context.chain, context.ancestorHeight);
  // The order of locking everywhere: orders by id, then their deposits.
  const orderIds = [...new Set(deposits.map(({ orderId }) => orderId))].sort();
  const losses: Loss[] = [];
  for (const orderId of orderIds) {
    losses.push(
      ...(await orphanOfOrder(
        tx,
        orderId,
        deposits.filter((deposit) => deposit.orderId === orderId),
        context,
      )),
    );
  }
  return { deposits, losses };
}

async function orphanOfOrder(
  tx: Transaction,
  orderId: OrderId,
  deposits: readonly Deposit[],
  context: OrphanContext,
): Promise<readonly Loss[]> {
  const losses: Loss[] = [];
  const order = present(await tx.orders.lock(orderId), `order ${orderId}`);
  for (const { id } of deposits) {
    const deposit = await withoutUnsignedReturn(tx, present(await tx.deposits.lock(id), `deposit ${id}`), context);
    if (deposit.status === 'ORPHANED') continue;
    const isCredited = deposit.status === 'CREDITED' || deposit.status === 'SPENDABLE';
    const lossUnits = isCredited ? await reverse(tx, deposit, context) : deposit.lossUnits;
    if (deposit.status === 'DUST') await tx.deposits.setTransactionStatus(id, 'FAILED');
    if (deposit.status === 'SPENDABLE') await tx.transfers.dropHolding(context.chain, holdingRef(deposit));
    if (deposit.status === 'SPENDABLE' && lossUnits > 0n) losses.push(await lose(tx, deposit, lossUnits, context));
    const changes = { creditedAt: null, lossUnits };
    assert(await tx.deposits.move(id, deposit.status, 'ORPHANED', changes), `deposit ${id} changed while locked`);
    if (deposit.assignment === 'ORDER') await expectAgain(tx, deposit, context);
  }
  const own = deposits.filter(({ assignment }) => assignment === 'ORDER');
  if (own.length === 0) return losses;
  const current = await refreshOrder(tx, order, context.now);
  const units = own.reduce((sum, deposit) => sum + deposit.units, 0n);
  await tx.orders.addHistory({
    orderId,
    at: context.now,
    from: order.status,
    to: order.status,
    rule: 'payment-reorganised',
    inputs: {
      units: units.toString(),
      receivedNow: current.order.received.toString(),
      ancestorHeight: context.ancestorHeight,
    },
    rate: null,
  });
  return losses;
}

/**
 * Watches its address again. Where the chain has a mempool it counts as unconfirmed again, with its first-seen time: its
 * order must not expire before the mempool has been read.
 */
async function expectAgain(tx: Transaction, deposit: Deposit, { now, mempool }: OrphanContext): Promise<void> {
  const { chain, txid, index, orderId, currency, units, paidAt, toAddress } = deposit;
  const address = present(await tx.orders.addressAt(chain, toAddress), `address ${toAddress} on ${chain}`);
  const { key } = address;
  await tx.orders.extendWatch(address.orderId, chain, now + WATCH_AGAIN_MS);
  if (!mempool) return;
  await tx.unconfirmedPayments.add({
    chain,
    txid,
    index,
    orderId,
    key,
    currency,
    units,
    seenAt: paidAt,
    status: 'WAITING',
    since: now,
  });
}

/**
 * Freezes the merchant that withdrew the money, in the transaction that locks the balance, so that no withdrawal happens in
 * between. What was paid back to a payer is nobody's to freeze.
 */
async function lose(
  tx: Transaction,
  { id, accountId, currency, txid, assignment }: Deposit,
  lossUnits: bigint,
  { assets, now: at }: Pick<OrphanContext, 'assets' | 'now'>,
): Promise<Loss> {
  const lost = amountInWords(assets, currency, lossUnits);
  if (assignment !== 'ORDER') {
    const reason = `A reorganisation removed the payment ${txid}, which was paid back; ${lost} are missing.`;
    return { accountId, depositId: id, reason };
  }
  const reason = `A reorganisation removed the payment ${txid} after it was withdrawn; ${lost} are missing.`;
  await tx.transfers.freeze({ accountId, reason, at });
  return { accountId, depositId: id, reason };
}

/** Gives up the return of a deposit whose payment was not signed yet: it is unassigned again. */
async function withoutUnsignedReturn(tx: Transaction, deposit: Deposit, context: OrphanContext): Promise<Deposit> {
  if (deposit.assignment !== 'RETURNING') return deposit;
  const transfer = await tx.transfers.lockReturn(deposit.id);
  if (transfer?.status !== 'HELD' && transfer?.status !== 'REQUESTED') return deposit;
  await rejectTransfer(tx, transfer.id, 'A reorganisation removed the deposit.', context);
  return present(await tx.deposits.lock(deposit.id), `deposit ${deposit.id}`);
}

/** Books the reversal; returns what goes to the loss account. */
async function reverse(tx: Transaction, deposit: Deposit, { now, ids }: OrphanContext): Promise<bigint> {
  if (deposit.assignment !== 'ORDER') {
    const loss = unassignedLoss(deposit);
    const entry = unassignedReverseEntry(ids.next() as EntryId, now, deposit, loss);
    assert(await postEntry(tx, entry), `deposit ${deposit.id} is reversed twice`);
    return loss;
  }
  const account = merchantAccount(deposit.accountId, balanceOf(deposit));
  const available = await tx.ledger.lockBalance(account, deposit.currency);
  const lossUnits = reversalLoss(deposit, available);
  const booked = await postEntry(tx, reverseEntry(ids.next() as EntryId, now, deposit, lossUnits));
  assert(booked, `deposit ${deposit.id} is reversed twice`);
  await tx.deposits.setTransactionStatus(deposit.id, 'FAILED');
  return lossUnits;
}
