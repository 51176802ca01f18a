import type { CurrencyCode, EntryId, IdGenerator, Millis, Transaction } from '../kernel/index.ts';
import { assert, present } from '../kernel/index.ts';
import { postEntry } from '../ledger/index.ts';
import { failedEntry, paidEntry, releaseEntry } from './transfer-entries.ts';
import type { NetworkCost } from './transfer-entries.ts';
import type { Order, OrderMove, OrderStateMachine } from '../orders/index.ts';
import { findTransition, orderRefunds } from '../orders/index.ts';
import type { ChainPayments, PayoutOutcome, SpendableCoin } from '../chain/index.ts';
import type { LedgerEntry } from '../ledger/index.ts';
import type { TransferChanges } from './transfer-store.ts';
import { endClaim, lockClaimed } from './end-claim.ts';
import { endReturn } from './end-return.ts';
import { chargeFeePostings } from './charge-fees.ts';
import { decideOrderAgain } from './decide-order-again.ts';
import { gasLeft } from './gas-balance.ts';
import { isOwnMove } from './transfer.ts';
import type { PayoutView, Transfer, TransferStatus } from './transfer.ts';

export interface FinishContext {
  readonly payments: Pick<ChainPayments, 'feeAsset' | 'model'>;
  readonly stateMachine: OrderStateMachine;
  readonly ids: IdGenerator;
  readonly now: Millis;
}

/** The changes of status, to publish after the commit. */
export interface Finished {
  readonly transfers: readonly { readonly transfer: Transfer; readonly to: TransferStatus }[];
  readonly orders: readonly OrderMove[];
}

type Mined = Extract<PayoutOutcome, { kind: 'mined' }>;
const NOTHING: Finished = { transfers: [], orders: [] };

/** The reason of a transfer whose payout was cancelled. */
const CANCELLED = 'It was cancelled: a transaction of the till to itself has replaced it.';
const WITHOUT_EFFECT = 'The transaction was mined without effect; its cost was charged.';

/** True when the mined attempt is a cancel: nothing was paid, and nothing can be any more. */
export function isCancel({ attempts }: PayoutView, { txid }: Pick<Mined, 'txid'>): boolean {
  return attempts.some((attempt) => attempt.txid === txid && attempt.kind === 'cancel');
}

/**
 * Books a payout whose transaction is final: statuses, postings, the merchant's rows, a refunded order, spent coins and
 * change, all in one database transaction. A mined cancel voids the payout: the reserve is released less the cost of
 * the cancel, because without a float the till would pay it with other merchants' coins. This waits until the follower
 * has stored the block, because a reorganisation of a block that was never stored would not be noticed.
 */
export async function finishMined(
  tx: Transaction,
  view: PayoutView,
  outcome: Mined,
  context: FinishContext,
): Promise<Finished> {
  const { payout } = view;
  if (!(await tx.chains.holds(payout.chain, outcome.block))) return NOTHING;
  // Orders are locked first, as everywhere, so that no deadlock is possible.
  const orderIds = view.transfers.flatMap(({ orderId }) => (orderId === null ? [] : [orderId])).sort();
  for (const orderId of orderIds) await tx.orders.lock(orderId);
  await lockClaimed(tx, view.transfers);
  if ((await tx.transfers.lockPayout(payout.id))?.status !== 'LIVE') return NOTHING;
  const mined = { minedTxid: outcome.txid, minedHeight: outcome.block.height };
  const cancelled = isCancel(view, outcome);
  const paid = outcome.succeeded && !cancelled;
  assert(
    await tx.transfers.closePayout(payout.id, cancelled ? 'VOID' : 'DONE', mined),
    `payout ${payout.id} changed while locked`,
  );
  const spent = paid || (cancelled && context.payments.model === 'utxo');
  await tx.transfers.settleHoldings(payout.id, spent ? 'SPENT' : 'FREE');
  if (outcome.change !== null) await addChange(tx, view, outcome.change);
  const orders: OrderMove[] = [];
  const transfers: { transfer: Transfer; to: TransferStatus }[] = [];
  for (const [at, listed] of view.transfers.entries()) {
    const share = (total: bigint): bigint => shareOf(total, view.transfers.length, at);
    const cost = { currency: context.payments.feeAsset.currency, units: share(outcome.feeUnits) };
    const to = paid ? 'CONFIRMED' : 'FAILED';
    const reason = paid ? null : cancelled ? (payout.cancelReason ?? CANCELLED) : WITHOUT_EFFECT;
    const charged = paid ? {} : { feeUnits: failureFee(listed, cost, share(firstFee(view))) };
    const ending = { listed, to, reason, txHash: outcome.txid, cost, charged } as const;
    transfers.push({ transfer: await finishOne(tx, ending, context), to });
    if (paid) orders.push(...(await refundOrder(tx, listed, outcome.txid, context)));
  }
  return { transfers, orders };
}

/**
 * Releases the reserve of a payout of which no attempt can be mined any more.
 *
 * @param holdings - `SPENT` when a conflicting transaction is final, which used some of the coins; `FREE` when nothing
 *   was mined
 */
export async function voidPayout(
  tx: Transaction,
  view: PayoutView,
  { reason, holdings }: { readonly reason: string; readonly holdings: 'SPENT' | 'FREE' },
  context: FinishContext,
): Promise<Finished> {
  const { payout } = view;
  await lockClaimed(tx, view.transfers);
  if ((await tx.transfers.lockPayout(payout.id))?.status !== 'LIVE') return NOTHING;
  assert(await tx.transfers.closePayout(payout.id, 'VOID', {}), `payout ${payout.id} changed while locked`);
  // Reconciliation accounts for coins that a conflicting transaction did not use.
  await tx.transfers.settleHoldings(payout.id, holdings);
  const transfers: { transfer: Transfer; to: TransferStatus }[] = [];
  for (const [at, listed] of view.transfers.entries()) {
    const ownFee = shareOf(firstFee(view), view.transfers.length, at);
    const kept = sweepFee(listed, context.payments.feeAsset.currency, ownFee);
    const transfer = await moveLocked(tx, listed, 'FAILED', reason, context.now);
    if (!isOwnMove(transfer)) await post(tx, releaseEntry(context.ids.next() as EntryId, context.now, transfer, kept));
    if (transfer.accountId !== null) {
      const charged = kept === 0n ? {} : { fee: kept, obtained: 0n };
      await tx.deposits.updateTransaction(transfer.id, { status: 'FAILED', ...charged });
    }
    await endReturn(tx, transfer, kept, context);
    await endClaim(tx, transfer, context);
    await decideOrderAgain(tx, transfer, context.now);
    transfers.push({ transfer, to: 'FAILED' });
  }
  return { transfers, orders: [] };
}

/**
 * Holds the transfers of an expired payout of a restored backup, because a transaction that this database lacks may
 * have paid them. The reserve is kept until an operator has decided; the till's own moves are planned again.
 */
export async function holdPayout(
  tx: Transaction,
  view: PayoutView,
  reason: string,
  context: FinishContext,
): Promise<Finished> {
  const { payout } = view;
  if ((await tx.transfers.lockPayout(payout.id))?.status !== 'LIVE') return NOTHING;
  assert(await tx.transfers.closePayout(payout.id, 'VOID', {}), `payout ${payout.id} changed while locked`);
  await tx.transfers.settleHoldings(payout.id, 'FREE');
  const transfers: { transfer: Transfer; to: TransferStatus }[] = [];
  for (const listed of view.transfers) {
    const to = isOwnMove(listed) ? 'FAILED' : 'HELD';
    transfers.push({ transfer: await moveLocked(tx, listed, to, reason, context.now), to });
  }
  return { transfers, orders: [] };
}

/** The result of one transfer of a mined payout. */
interface Ending {
  readonly listed: Transfer;
  readonly to: 'CONFIRMED' | 'FAILED';
  readonly reason: string | null;
  readonly txHash: string;
  readonly cost: NetworkCost;
  /** The charge for a failure. */
  readonly charged: Pick<TransferChanges, 'feeUnits'>;
}

async function finishOne(
  tx: Transaction,
  { listed, to, reason, txHash, cost, charged }: Ending,
  { ids, now }: FinishContext,
): Promise<Transfer> {
  const transfer = await moveLocked(tx, listed, to, reason, now, charged);
  const left = gasLeft(transfer, to, cost);
  if (left.units !== 0n) await tx.transfers.addGas(transfer.chain, left.address, left.units);
  const book = to === 'CONFIRMED' ? paidEntry : failedEntry;
  const entry = book(ids.next() as EntryId, now, transfer, { ...cost, gasUnits: left.units });
  await post(tx, { ...entry, postings: [...entry.postings, ...(await chargeFeePostings(tx, transfer, cost))] });
  if (transfer.accountId !== null) {
    const row =
      to === 'CONFIRMED'
        ? ({ status: 'SUCCESS', txHash } as const)
        : ({ status: 'FAILED', txHash, fee: transfer.feeUnits, obtained: 0n } as const);
    await tx.deposits.updateTransaction(transfer.id, row);
  }
  await endReturn(tx, transfer, to === 'FAILED' ? transfer.feeUnits : 0n, { ids, now });
  await endClaim(tx, transfer, { ids, now });
  if (to === 'FAILED') await decideOrderAgain(tx, transfer, now);
  return transfer;
}

function firstFee({ attempts, payout }: PayoutView): bigint {
  return present(attempts[0], `attempts of payout ${payout.id}`).feeUnits;
}

/**
 * The charge to the owner of a transfer for its transaction that was mined without effect, in the transfer's currency:
 * its cost and that of the sweeps for it, at most the whole amount. For a token, the rate by which its fee was charged
 * applies, so that no rate is needed now.
 *
 * @param firstFee - the native fee for which `feeUnits` was charged
 */
function failureFee(transfer: Transfer, cost: NetworkCost, firstFee: bigint): bigint {
  const { currency, units, feeUnits } = transfer;
  if (isOwnMove(transfer)) return feeUnits;
  const own = currency === cost.currency;
  const due =
    own || firstFee === 0n
      ? cost.units + sweepFee(transfer, cost.currency, firstFee)
      : (cost.units * feeUnits + firstFee - 1n) / firstFee;
  return due < units ? due : units;
}

/** The charge to the owners of a payout for a transaction without effect, in the native coin. */
export function ownersShare(view: PayoutView, native: CurrencyCode, feeUnits: bigint): bigint {
  const { transfers } = view;
  return transfers.reduce((sum, transfer, at) => {
    if (isOwnMove(transfer) || transfer.currency !== native) return sum;
    const cost = { currency: native, units: shareOf(feeUnits, transfers.length, at) };
    return sum + failureFee(transfer, cost, shareOf(firstFee(view), transfers.length, at));
  }, 0n);
}

/** The part of a native payment's fee that was charged for sweeps, besides the fee of its own transaction. */
function sweepFee({ currency, feeUnits }: Transfer, native: CurrencyCode, ownFee: bigint): bigint {
  return currency === native && feeUnits > ownFee ? feeUnits - ownFee : 0n;
}

async function moveLocked(
  tx: Transaction,
  listed: Transfer,
  to: 'CONFIRMED' | 'FAILED' | 'HELD',
  reason: string | null,
  now: Millis,
  charged: Pick<TransferChanges, 'feeUnits'> = {},
): Promise<Transfer> {
  const transfer = await tx.transfers.lock(listed.id);
  assert(
    transfer?.status === 'SIGNED' || transfer?.status === 'BROADCAST',
    `transfer ${listed.id} of a live payout is ${transfer?.status}`,
  );
  const changes = { ...charged, reason, updatedAt: now, ...(to === 'HELD' ? {} : { finishedAt: now }) };
  assert(
    await tx.transfers.move(transfer.id, transfer.status, to, changes),
    `transfer ${transfer.id} changed while locked`,
  );
  return { ...transfer, ...changes, status: to };
}

/** A sweep without a fee has no postings. */
async function post(tx: Transaction, entry: LedgerEntry): Promise<void> {
  if (entry.postings.length > 0) assert(await postEntry(tx, entry), `${entry.reference} is booked twice`);
}

/**
 * Ends the order of a paid refund that took all that was left of it. After one of a part the order keeps its status.
 * That was decided when the refund was requested, so neither a payment nor a reorganisation since then changes it.
 */
export async function refundOrder(
  tx: Transaction,
  { id, kind, orderId, claimId = null, units }: Transfer,
  txHash: string,
  context: Pick<FinishContext, 'stateMachine' | 'now'>,
): Promise<readonly OrderMove[]> {
  if (orderId === null || kind !== 'refund') return [];
  const order = await tx.orders.lock(orderId);
  // A reorganisation may have ended the order meanwhile; the refund stays booked.
  if (order === null || findTransition('refund-final', order.status) === null) return [];
  if (await staysOpen(tx, order, { id, claimId })) {
    await decideOrderAgain(tx, { kind, orderId }, context.now);
    return [];
  }
  const decision = { rule: 'refund-final', inputs: { transferId: id, units: units.toString(), txHash } } as const;
  const deposits = await tx.deposits.byOrder(order.id);
  return [await context.stateMachine.move(tx, order, deposits, decision, { updatedAt: context.now })];
}

/**
 * True when a paid refund leaves something of the order. That of a part was requested as such. Of a claim, and of a
 * refund beside which something was promised, what is paid by then decides, because the rest may never be claimed.
 */
async function staysOpen(
  { orders, transfers }: Transaction,
  { id: orderId, received }: Order,
  { id, claimId = null }: Pick<Transfer, 'id' | 'claimId'>,
): Promise<boolean> {
  const history = await orders.history(orderId);
  const part = history.find(({ rule, inputs }) => rule === 'refund-partial' && inputs['transferId'] === id);
  if (claimId === null && (part === undefined || part.inputs['promised'] === '0')) return part !== undefined;
  return orderRefunds(await transfers.refundsOf(orderId)).paid < received;
}

/** One transfer's share of the transaction fee: equal shares, the first also gets the remainder. */
export function shareOf(total: bigint, count: number, at: number): bigint {
  const share = total / BigInt(count);
  return at === 0 ? total - share * BigInt(count - 1) : share;
}

async function addChange(tx: Transaction, { payout, transfers }: PayoutView, change: SpendableCoin): Promise<void> {
  const { currency, accountId: payer } = present(transfers[0], `transfers of payout ${payout.id}`);
  const accountId = await tx.transfers.ownerOfChange(payout.id, payer);
  await tx.transfers.addHolding({ ...change, chain: payout.chain, currency, accountId });
}
