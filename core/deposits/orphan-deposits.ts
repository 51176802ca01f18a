import {
  balanceOf,
  holdingRef,
  reversalLoss,
  reverseEntry,
  unassignedLoss,
  unassignedReverseEntry,
} from '../chain/index.ts';
import { merchantAccount, postEntry } from '../ledger/index.ts';
import { amountInWords, assert, present } from '../kernel/index.ts';
import type { AccountId, Asset, DepositId, EntryId, IdGenerator, Millis, Transaction } from '../kernel/index.ts';
import { rejectTransfer } from '../payouts/index.ts';
import type { Deposit } from '../chain/index.ts';
import { refreshOrder } from './credit-deposit.ts';
import { groupsOf } from './note-deposits.ts';
import type { DepositGroup } from './note-deposits.ts';

/** Why deposits are reversed. */
export interface OrphanCause {
  /** The rule in the history of their orders. */
  readonly rule: 'payment-reorganised' | 'payment-changed';
  /** Worded to complete "… the payment ID". */
  readonly words: string;
}

const REORGANISED: OrphanCause = { rule: 'payment-reorganised', words: 'A reorganisation removed' };

export interface OrphanContext {
  readonly chain: string;
  /** The assets of the chain, for amounts in texts. */
  readonly assets: readonly Asset[];
  /** The height of the last common block. */
  readonly ancestorHeight: number;
  readonly now: Millis;
  readonly ids: IdGenerator;
  /** True where the chain has a mempool. */
  readonly mempool: boolean;
}

/** The shortest time for which the address of an orphaned payment is watched again, in milliseconds. */
const WATCH_AGAIN_MS = 24 * 3_600_000;

/** An amount that a reversal could not recover because the merchant had withdrawn it. */
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
 * Orphans every deposit in blocks that a reorganisation removed, and reverses credited ones in the ledger. The orders
 * keep their status, with a mark, until the payment is mined again or the watch window ends. A merchant that had
 * withdrawn the money cannot withdraw until an operator unfreezes the account.
 */
export async function orphanDeposits(tx: Transaction, context: OrphanContext): Promise<Orphaned> {
  return takeBack(tx, await tx.deposits.above(context.chain, context.ancestorHeight), context, REORGANISED);
}

/** Orphans and reverses these deposits, for this cause. */
export async function takeBack(
  tx: Transaction,
  deposits: readonly Deposit[],
  context: OrphanContext,
  cause: OrphanCause,
): Promise<Orphaned> {
  // The global locking order: orders by id, then their deposits.
  const groups = [...groupsOf(deposits, ({ orderId }) => orderId)].sort(([a], [b]) => (a.orderId < b.orderId ? -1 : 1));
  const losses: Loss[] = [];
  for (const group of groups) losses.push(...(await takeBackOfOrder(tx, group, context, cause)));
  return { deposits, losses };
}

async function takeBackOfOrder(
  tx: Transaction,
  deposits: DepositGroup,
  context: OrphanContext,
  cause: OrphanCause,
): Promise<readonly Loss[]> {
  const [{ orderId }] = deposits;
  const order = present(await tx.orders.lock(orderId), `order ${orderId}`);
  const locked = await tx.deposits.lockAll(deposits.map(({ id }) => id));
  const losses = await takeBackLocked(tx, locked, context, cause);
  const own = locked.filter(({ assignment, status }) => assignment === 'ORDER' && status !== 'ORPHANED');
  if (own.length === 0) return losses;
  for (const group of groupsOf(own, ({ toAddress }) => toAddress)) await expectAgain(tx, group, context);
  const current = await refreshOrder(tx, order, context.now);
  const units = own.reduce((sum, deposit) => sum + deposit.units, 0n);
  await tx.orders.addHistory({
    orderId,
    at: context.now,
    from: order.status,
    to: order.status,
    rule: cause.rule,
    inputs: {
      units: units.toString(),
      receivedNow: current.order.received.toString(),
      ancestorHeight: context.ancestorHeight,
    },
    rate: null,
  });
  return losses;
}

/** Reverses credited deposits one by one. The others, of which there may be many, have no postings. */
async function takeBackLocked(
  tx: Transaction,
  locked: readonly Deposit[],
  context: OrphanContext,
  cause: OrphanCause,
): Promise<readonly Loss[]> {
  const losses: Loss[] = [];
  for (const status of ['SEEN', 'DUST'] as const) {
    const ids = locked.filter((deposit) => deposit.status === status).map(({ id }) => id);
    if (ids.length === 0) continue;
    assert(await tx.deposits.moveAll(ids, status, 'ORPHANED'), 'a deposit changed while locked');
    if (status === 'DUST') await tx.deposits.setTransactionStatus(ids, 'FAILED');
  }
  for (const each of locked) {
    if (each.status !== 'CREDITED' && each.status !== 'SPENDABLE') continue;
    const deposit = await withoutUnsignedReturn(tx, each, context, cause);
    const lossUnits = await reverse(tx, deposit, context);
    if (deposit.status === 'SPENDABLE') await tx.transfers.dropHolding(context.chain, holdingRef(deposit));
    if (deposit.status === 'SPENDABLE' && lossUnits > 0n)
      losses.push(await lose(tx, deposit, lossUnits, context, cause));
    const changes = { creditedAt: null, lossUnits };
    assert(
      await tx.deposits.move(deposit.id, deposit.status, 'ORPHANED', changes),
      `deposit ${deposit.id} changed while locked`,
    );
  }
  return losses;
}

/**
 * Watches their address again. Where the chain has a mempool they count as unconfirmed again, with their first-seen
 * times, because their order must not expire before the mempool has been read.
 */
async function expectAgain(tx: Transaction, deposits: DepositGroup, { now, mempool }: OrphanContext): Promise<void> {
  const [{ chain, toAddress }] = deposits;
  const address = present(await tx.orders.addressAt(chain, toAddress), `address ${toAddress} on ${chain}`);
  const { key } = address;
  await tx.orders.extendWatch(address.orderId, chain, now + WATCH_AGAIN_MS);
  for (const { txid, index, orderId, currency, units, paidAt: seenAt, rate } of mempool ? deposits : [])
    await tx.unconfirmedPayments.add({
      chain,
      txid,
      index,
      orderId,
      key,
      currency,
      units,
      seenAt,
      status: 'WAITING',
      since: now,
      rate,
    });
}

/**
 * Freezes the merchant that withdrew the money, in the transaction that locks the balance, so that no withdrawal
 * happens in between. For a payment that was returned to its payer there is no one to freeze.
 */
async function lose(
  tx: Transaction,
  { id, accountId, currency, txid, assignment }: Deposit,
  lossUnits: bigint,
  { assets, now: at }: Pick<OrphanContext, 'assets' | 'now'>,
  { words }: OrphanCause,
): Promise<Loss> {
  const lost = amountInWords(assets, currency, lossUnits);
  if (assignment !== 'ORDER') {
    const reason = `${words} the payment ${txid}, which was refunded already; ${lost} are missing.`;
    return { accountId, depositId: id, reason };
  }
  const reason = `${words} the payment ${txid} after it was withdrawn; ${lost} are missing.`;
  await tx.transfers.freeze({ accountId, reason, at });
  return { accountId, depositId: id, reason };
}

/** Cancels the return of a deposit whose payment was not signed yet; it is unassigned again. */
async function withoutUnsignedReturn(
  tx: Transaction,
  deposit: Deposit,
  context: OrphanContext,
  { words }: OrphanCause,
): Promise<Deposit> {
  if (deposit.assignment !== 'RETURNING') return deposit;
  const transfer = await tx.transfers.lockReturn(deposit.id);
  if (transfer?.status !== 'HELD' && transfer?.status !== 'REQUESTED') return deposit;
  await rejectTransfer(tx, transfer.id, `${words} the deposit.`, context);
  return present(await tx.deposits.lock(deposit.id), `deposit ${deposit.id}`);
}

/** Books the reversal; returns the amount that goes to the loss account. */
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
  await tx.deposits.setTransactionStatus([deposit.id], 'FAILED');
  return lossUnits;
}
