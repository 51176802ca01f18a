import { creditEntry, holdingRef, owedUnits, spendableEntry, unassignedCreditEntry } from '../chain/index.ts';
import { postEntry } from '../ledger/index.ts';
import { assert, present } from '../kernel/index.ts';
import type { Clock, DepositId, EntryId, IdGenerator, Lease, Millis, Storage, Transaction } from '../kernel/index.ts';
import type { LedgerEntry } from '../ledger/index.ts';
import type { ChainPolicy, Deposit, DepositAddress } from '../chain/index.ts';
import type { Order, OrderHistoryEntry, OrderMove, OrderStateMachine } from '../orders/index.ts';
import { amountRequired, sumReceived } from '../orders/index.ts';
import { groupsOf, sumOf } from './note-deposits.ts';
import type { DepositGroup } from './note-deposits.ts';

export interface CreditDeps {
  readonly storage: Pick<Storage, 'transaction'>;
  readonly stateMachine: OrderStateMachine;
  readonly clock: Clock;
  readonly ids: IdGenerator;
}

export type BookDeps = Pick<CreditDeps, 'stateMachine' | 'clock' | 'ids'>;

/** The confirmations of deposits, and the chain's policy on them. */
export interface Depth {
  confirmations(deposit: Deposit): number;
  readonly policy: ChainPolicy;
  /** The smallest deposit that is worth spending, in units of its currency. */
  minDeposit(deposit: Deposit): bigint;
}

/** The credited deposits and the order's changes of status, which are announced after the commit. */
export interface Confirmed {
  readonly credited: readonly DepositId[];
  readonly dust: readonly DepositId[];
  readonly moves: readonly OrderMove[];
}

/**
 * The most payments of one transaction that each get a row of their own in the order's history without deciding
 * anything.
 */
const NOTED_AT_MOST = 5;
const NOTHING: Confirmed = { credited: [], dust: [], moves: [] };

/**
 * Credits confirmed deposits of one order: their postings, their transaction rows, the order's status and callback, all
 * in one transaction, in which the order's rules are applied once. The required confirmations are the larger of those
 * for the deposit and for the order. A deposit that is not worth spending is credited as nothing.
 *
 * @param seen - deposits of one order; the caller limits their number
 */
export async function creditDeposits(
  deps: CreditDeps,
  lease: Lease,
  seen: readonly Deposit[],
  depth: Depth,
): Promise<Confirmed> {
  const [first] = seen;
  if (first === undefined) return NOTHING;
  const { orderId } = first;
  return deps.storage.transaction(async (tx) => {
    await tx.leases.check(lease);
    const order = present(await tx.orders.lock(orderId), `order ${orderId}`);
    const due = (await lockedAsSeen(tx, seen, 'SEEN')).filter(
      (deposit) =>
        deposit.orderId === order.id &&
        depth.confirmations(deposit) >= depth.policy.confirmations(deposit.currency, weightOf(order, deposit)),
    );
    const isDust = (deposit: Deposit): boolean => deposit.units < depth.minDeposit(deposit);
    const dust = due.filter(isDust);
    const worth = due.filter((deposit) => !isDust(deposit));
    await disregard(tx, order, dust, depth, deps.clock.now());
    for (const deposit of worth) if (deposit.assignment !== 'ORDER') await bookUnassigned(tx, deps, deposit);
    const moves = await bookCredits(
      tx,
      deps,
      order,
      worth.filter(({ assignment }) => assignment === 'ORDER'),
    );
    return { credited: worth.map(({ id }) => id), dust: dust.map(({ id }) => id), moves };
  });
}

/** Locks the deposits that are still in this status and in the block in which they were seen; keeps their order. */
async function lockedAsSeen(
  tx: Transaction,
  seen: readonly Deposit[],
  status: Deposit['status'],
): Promise<readonly Deposit[]> {
  const locked = new Map((await tx.deposits.lockAll(seen.map(({ id }) => id))).map((deposit) => [deposit.id, deposit]));
  return seen.flatMap(({ id, blockHash }) => {
    const deposit = locked.get(id);
    return deposit?.status === status && deposit.blockHash === blockHash ? [deposit] : [];
  });
}

/** Marks locked SEEN deposits as dust: without posting and coin, so that the till never pays for spending them. */
async function disregard(
  tx: Transaction,
  order: Order,
  deposits: readonly Deposit[],
  depth: Depth,
  at: Millis,
): Promise<void> {
  if (deposits.length === 0) return;
  const moved = deposits.map(({ id }) => id);
  assert(await tx.deposits.moveAll(moved, 'SEEN', 'DUST'), `deposits of order ${order.id} changed while locked`);
  const own = deposits.filter(({ assignment }) => assignment === 'ORDER');
  for (const deposit of own) await recordTransaction(tx, order, deposit, at, 0n);
  for (const group of groupsOf(own, ({ currency }) => currency)) {
    const minDeposit = depth.minDeposit(group[0]).toString();
    await note(tx, order, at, 'deposit-dust', { ...sumOf(group), minDeposit });
  }
}

/** Credits locked SEEN deposits of a locked order. @returns the order's changes of status to announce */
export async function bookCredits(
  tx: Transaction,
  { stateMachine, clock, ids }: BookDeps,
  order: Order,
  deposits: readonly Deposit[],
): Promise<readonly OrderMove[]> {
  if (deposits.length === 0) return [];
  const now = clock.now();
  for (const deposit of deposits) {
    await credit(tx, deposit, creditEntry(ids.next() as EntryId, now, deposit, deposit.credits + 1));
    await recordTransaction(tx, order, deposit, now, owedUnits(deposit));
  }
  const current = await refreshOrder(tx, order, now);
  const again = deposits.filter(({ credits }) => credits > 0);
  for (const group of groupsOf(again, ({ currency }) => currency)) await noteRenewed(tx, current.order, group, now);
  const moves = await stateMachine.settle(tx, current.order, current.deposits, { now, scannedPastDeadline: false });
  // What moved the order needs no decision of the merchant.
  const undecided = moves.length > 0 ? [] : deposits.slice(0, NOTED_AT_MOST);
  for (const deposit of undecided) await stateMachine.noteUndecided(tx, current.order, deposit, now);
  return moves;
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

/** Records that payments which a reorganisation had removed are confirmed again; the status may stay the same. */
async function noteRenewed(tx: Transaction, order: Order, group: DepositGroup, at: Millis): Promise<void> {
  const [{ blockHeight }] = group;
  const inputs = { ...sumOf(group), receivedNow: order.received.toString(), blockHeight };
  await note(tx, order, at, 'payment-credited-again', inputs);
}

/** Records a change of an order's payments that does not change its status. */
async function note(
  tx: Transaction,
  { id: orderId, status }: Order,
  at: Millis,
  rule: OrderHistoryEntry['rule'],
  inputs: OrderHistoryEntry['inputs'],
): Promise<void> {
  await tx.orders.addHistory({ orderId, at, from: status, to: status, rule, inputs, rate: null });
}

/** Makes a locked CREDITED deposit spendable. */
export async function bookSpendable(
  tx: Transaction,
  { clock, ids }: Omit<BookDeps, 'stateMachine'>,
  deposit: Deposit,
): Promise<void> {
  assert(await tx.deposits.move(deposit.id, 'CREDITED', 'SPENDABLE', {}), `deposit ${deposit.id} changed while locked`);
  // A deposit that belongs to no order has one ledger account, whatever its confirmations.
  if (deposit.assignment !== 'ORDER') return;
  const entry = spendableEntry(ids.next() as EntryId, clock.now(), deposit);
  if (entry !== null) assert(await postEntry(tx, entry), `deposit ${deposit.id} is made spendable twice`);
}

/**
 * Moves deep enough deposits from the pending to the available balances of their merchants, in one transaction. Returns
 * their number.
 */
export async function makeDepositsSpendable(
  deps: CreditDeps,
  lease: Lease,
  credited: readonly Deposit[],
): Promise<number> {
  if (credited.length === 0) return 0;
  return deps.storage.transaction(async (tx) => {
    await tx.leases.check(lease);
    const deposits = await lockedAsSeen(tx, credited, 'CREDITED');
    const addresses = new Map<string, DepositAddress>();
    for (const deposit of deposits) {
      const { chain, currency, units, toAddress } = deposit;
      const known = addresses.get(toAddress) ?? (await tx.orders.addressAt(chain, toAddress));
      const { address, index } = present(known, `address ${toAddress} on ${chain}`);
      addresses.set(toAddress, present(known, 'its address'));
      await bookSpendable(tx, deps, deposit);
      const accountId = deposit.assignment === 'ORDER' ? deposit.accountId : null;
      await tx.transfers.addHolding({ accountId, chain, currency, units, ref: holdingRef(deposit), address, index });
    }
    return deposits.length;
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

/** Adds the merchant's transaction row of a deposit, with the credited amount. */
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
