import { creditEntry, spendableEntry } from '../ledger/deposit-entries.ts';
import { unassignedCreditEntry } from '../ledger/unassigned-entries.ts';
import { postEntry } from '../ledger/post-entry.ts';
import { assert, present } from '../kernel/guard.ts';
import type { EntryId } from '../kernel/ids.ts';
import type { Millis } from '../kernel/time.ts';
import type { LedgerEntry } from '../ledger/entry.ts';
import type { Clock } from '../ports/clock.ts';
import type { IdGenerator } from '../ports/id-generator.ts';
import type { Storage, Transaction } from '../ports/storage.ts';
import type { Lease } from '../ports/lease-store.ts';
import type { ChainPolicy } from '../ports/chain-adapter.ts';
import type { OrderMove, OrderStateMachine } from '../orders/order-state-machine.ts';
import { amountRequired } from '../orders/order.ts';
import type { Order } from '../orders/order.ts';
import { sumReceived } from '../orders/settle-order.ts';
import { holdingRef, owedUnits } from './deposit.ts';
import type { Deposit } from './deposit.ts';

export interface CreditDeps {
  readonly storage: Pick<Storage, 'transaction'>;
  readonly stateMachine: OrderStateMachine;
  readonly clock: Clock;
  readonly ids: IdGenerator;
}

export type BookDeps = Pick<CreditDeps, 'stateMachine' | 'clock' | 'ids'>;

/** The confirmations that a deposit has, and the chain's policy on them. */
export interface Depth {
  readonly confirmations: number;
  readonly policy: ChainPolicy;
  /** The least that is worth spending, in units of the deposit's currency. */
  readonly minDeposit: bigint;
}

/** What became of a confirmed deposit, and the order's changes of status, to be announced after the commit. */
export interface Confirmed {
  readonly to: 'CREDITED' | 'DUST';
  readonly moves: readonly OrderMove[];
}

/**
 * Credits a confirmed deposit: its postings, its transaction row, the order's status and callback, all in one
 * transaction. The larger of the deposit and the order decides how many confirmations it takes. One that is not worth
 * spending is credited as nothing.
 *
 * @returns `null` when there was nothing to do
 */
export async function creditDeposit(
  deps: CreditDeps,
  lease: Lease,
  seen: Deposit,
  depth: Depth,
): Promise<Confirmed | null> {
  return deps.storage.transaction(async (tx) => {
    await tx.leases.check(lease);
    const order = present(await tx.orders.lock(seen.orderId), `order ${seen.orderId}`);
    const deposit = await tx.deposits.lock(seen.id);
    if (deposit?.status !== 'SEEN' || deposit.blockHash !== seen.blockHash || deposit.orderId !== order.id) return null;
    if (depth.confirmations < depth.policy.confirmations(deposit.currency, weightOf(order, deposit))) return null;
    if (deposit.units < depth.minDeposit) return disregard(tx, order, deposit, depth.minDeposit, deps.clock.now());
    if (deposit.assignment === 'ORDER') return { to: 'CREDITED', moves: await bookCredit(tx, deps, order, deposit) };
    await bookUnassigned(tx, deps, deposit);
    return { to: 'CREDITED', moves: [] };
  });
}

/** Records a locked SEEN deposit as dust: no posting and no coin of the till, so that nobody ever pays for spending it. */
async function disregard(
  tx: Transaction,
  order: Order,
  deposit: Deposit,
  minDeposit: bigint,
  at: Millis,
): Promise<Confirmed> {
  assert(await tx.deposits.move(deposit.id, 'SEEN', 'DUST', {}), `deposit ${deposit.id} changed while locked`);
  if (deposit.assignment !== 'ORDER') return { to: 'DUST', moves: [] };
  await recordTransaction(tx, order, deposit, at, 0n);
  const { chain, currency, units, txid } = deposit;
  await tx.orders.addHistory({
    orderId: order.id,
    at,
    from: order.status,
    to: order.status,
    rule: 'deposit-dust',
    inputs: { chain, currency, units: units.toString(), minDeposit: minDeposit.toString(), txid },
    rate: null,
  });
  return { to: 'DUST', moves: [] };
}

/** Credits a locked SEEN deposit of a locked order. @returns the order's changes of status, to be announced after the commit */
export async function bookCredit(
  tx: Transaction,
  { stateMachine, clock, ids }: BookDeps,
  order: Order,
  deposit: Deposit,
): Promise<readonly OrderMove[]> {
  const now = clock.now();
  await credit(tx, deposit, creditEntry(ids.next() as EntryId, now, deposit, deposit.credits + 1));
  await recordTransaction(tx, order, deposit, now, owedUnits(deposit));
  const current = await refreshOrder(tx, order, now);
  if (deposit.credits > 0) await noteRenewed(tx, current.order, deposit, now);
  return stateMachine.settle(tx, current.order, current.deposits, {
    now,
    scannedPastDeadline: false,
    unconfirmedSeenInTime: false,
  });
}

/** Books a locked SEEN deposit that belongs to no order. */
async function bookUnassigned(tx: Transaction, { clock, ids }: BookDeps, deposit: Deposit): Promise<void> {
  const entry = unassignedCreditEntry(ids.next() as EntryId, clock.now(), deposit, deposit.credits + 1);
  await credit(tx, deposit, entry);
}

async function credit(tx: Transaction, { id, credits }: Deposit, entry: LedgerEntry): Promise<void> {
  assert(
    await tx.deposits.move(id, 'SEEN', 'CREDITED', { creditedAt: entry.at, credits: credits + 1 }),
    `deposit ${id} changed while locked`,
  );
  assert(await postEntry(tx, entry), `deposit ${id} is credited twice`);
}

/** A payment that a reorganisation had removed is confirmed again; the status may stay the same. */
async function noteRenewed(tx: Transaction, order: Order, deposit: Deposit, at: number): Promise<void> {
  const { txid, units, blockHeight } = deposit;
  await tx.orders.addHistory({
    orderId: order.id,
    at,
    from: order.status,
    to: order.status,
    rule: 'payment-credited-again',
    inputs: { txid, units: units.toString(), receivedNow: order.received.toString(), blockHeight },
    rate: null,
  });
}

/** Makes a locked CREDITED deposit spendable. */
export async function bookSpendable(
  tx: Transaction,
  { clock, ids }: Omit<BookDeps, 'stateMachine'>,
  deposit: Deposit,
): Promise<void> {
  assert(await tx.deposits.move(deposit.id, 'CREDITED', 'SPENDABLE', {}), `deposit ${deposit.id} changed while locked`);
  // What belongs to no order has one account, whatever its depth.
  if (deposit.assignment !== 'ORDER') return;
  const entry = spendableEntry(ids.next() as EntryId, clock.now(), deposit);
  if (entry !== null) assert(await postEntry(tx, entry), `deposit ${deposit.id} is made spendable twice`);
}

/** Moves a deep enough deposit from the merchant's pending to the available balance; false when there was nothing to do. */
export async function makeDepositSpendable(deps: CreditDeps, lease: Lease, credited: Deposit): Promise<boolean> {
  return deps.storage.transaction(async (tx) => {
    await tx.leases.check(lease);
    const deposit = await tx.deposits.lock(credited.id);
    if (deposit?.status !== 'CREDITED' || deposit.blockHash !== credited.blockHash) return false;
    await bookSpendable(tx, deps, deposit);
    const address = present(
      await tx.orders.addressAt(deposit.chain, deposit.toAddress),
      `address ${deposit.toAddress} on ${deposit.chain}`,
    );
    const { chain, currency, units } = deposit;
    await tx.transfers.addHolding({
      accountId: deposit.assignment === 'ORDER' ? deposit.accountId : null,
      chain,
      currency,
      units,
      ref: holdingRef(deposit),
      address: address.address,
      index: address.index,
    });
    return true;
  });
}

/** Updates an order's received amount and its reorganisation mark from its deposits. */
export async function refreshOrder(
  tx: Transaction,
  order: Order,
  now: number,
): Promise<{ order: Order; deposits: readonly Deposit[] }> {
  const deposits = await tx.deposits.byOrder(order.id);
  const { confirmed } = sumReceived(order, deposits);
  const short = order.payment !== null && confirmed < amountRequired(order.payment.units, order.toleranceBps);
  const finished = order.status === 'SUCCESS' || order.status === 'RESOLVED';
  const reorgedAt = finished && short ? (order.reorgedAt ?? now) : null;
  if (confirmed === order.received && reorgedAt === order.reorgedAt) return { order, deposits };
  const changes = { received: confirmed, reorgedAt, updatedAt: now };
  await tx.orders.update(order.id, changes);
  return { order: { ...order, ...changes }, deposits };
}

function weightOf(order: Order, deposit: Deposit): bigint {
  const due = order.payment?.currency === deposit.currency ? order.payment.units : 0n;
  return due > deposit.units ? due : deposit.units;
}

/** The merchant's row of a deposit, with what was credited of it. */
export async function recordTransaction(
  tx: Transaction,
  order: Order,
  deposit: Deposit,
  at: Millis,
  obtained: bigint,
): Promise<void> {
  if (await tx.deposits.updateTransaction(deposit.id, { status: 'SUCCESS', obtained })) return;
  await tx.deposits.addTransaction({
    id: deposit.id,
    accountId: deposit.accountId,
    type: order.type,
    status: 'SUCCESS',
    orderId: deposit.orderId,
    chain: deposit.chain,
    currency: deposit.currency,
    units: deposit.units,
    obtained,
    fee: 0n,
    fromAddress: deposit.fromAddress,
    toAddress: deposit.toAddress,
    txHash: deposit.txid,
    at,
  });
}
