import { assert, present } from '../kernel/guard.ts';
import type { DepositId } from '../kernel/ids.ts';
import type { Millis } from '../kernel/time.ts';
import type { Order, OrderHistoryEntry, OrderPayment } from '../orders/order.ts';
import type { ChainPolicy, ObservedTransfer } from '../ports/chain-adapter.ts';
import type { WatchedAddress } from '../ports/deposit-store.ts';
import type { IdGenerator } from '../ports/id-generator.ts';
import type { Transaction } from '../ports/storage.ts';
import { isBeforeAddress } from './block-time.ts';
import type { Deposit, UnassignedReason } from './deposit.ts';

/** A transfer and the owner of its address. */
export interface OwnedTransfer {
  readonly transfer: ObservedTransfer;
  readonly owner: WatchedAddress;
  /** The order's history, newest last: a payment in a coin chosen before counts at that choice's rate. */
  readonly history: readonly OrderHistoryEntry[];
}

export interface RecordContext {
  readonly chain: string;
  readonly now: Millis;
  readonly ids: IdGenerator;
  /** True where the chain has a mempool. */
  readonly mempool: boolean;
  /** The chain's; `null` where a payment is its order's whenever it comes (Lightning: an invoice is used once). */
  readonly policy: ChainPolicy | null;
}

/**
 * Stores a transfer as a SEEN deposit, once for each (chain, txid, index). A known one is left unchanged; an orphaned one is
 * SEEN again in its new block. One that came after its order's watch window, or before the order got the address, is nobody's
 * until an operator decides.
 *
 * @returns the new deposit; `null` for a known one
 */
export async function recordTransfer(
  tx: Transaction,
  { transfer, owner, history }: OwnedTransfer,
  context: RecordContext,
): Promise<Deposit | null> {
  const order = present(await tx.orders.lock(owner.orderId), `order ${owner.orderId}`);
  const unconfirmed = context.mempool
    ? await tx.unconfirmedPayments.take({ chain: context.chain, txid: transfer.txid, index: transfer.index })
    : null;
  const known = await tx.deposits.lockByTransfer(context.chain, transfer.txid, transfer.index);
  if (known !== null) {
    if (known.status !== 'ORPHANED') return null;
    const block = { blockHeight: transfer.block.height, blockHash: transfer.block.hash };
    assert(await tx.deposits.move(known.id, 'ORPHANED', 'SEEN', block), `deposit ${known.id} changed while locked`);
    return null;
  }
  const deposit = newDeposit(transfer, owner, context, unconfirmed?.seenAt ?? context.now);
  if (deposit.unassignedReason === null) await fitCoin(tx, order, transfer, history, context);
  else await noteUnassigned(tx, order, deposit, context.now);
  assert(await tx.deposits.add(deposit), `deposit of ${transfer.txid} was stored meanwhile`);
  return deposit;
}

/** Why a payment is not the order's; `null` for one that is. */
function unassignedReason(
  { block }: ObservedTransfer,
  owner: WatchedAddress,
  paidAt: Millis,
  policy: ChainPolicy | null,
): UnassignedReason | null {
  if (policy === null) return null;
  if (isBeforeAddress(block, owner, policy)) return 'before-address';
  return paidAt > owner.watchUntil ? 'late' : null;
}

async function noteUnassigned(tx: Transaction, order: Order, deposit: Deposit, at: Millis): Promise<void> {
  const { id, chain, currency, units, txid, paidAt, unassignedReason: reason } = deposit;
  await tx.orders.addHistory({
    orderId: order.id,
    at,
    from: order.status,
    to: order.status,
    rule: 'deposit-unassigned',
    inputs: { depositId: id, chain, currency, units: units.toString(), txid, paidAt, reason },
    rate: null,
  });
}

function newDeposit(
  transfer: ObservedTransfer,
  owner: WatchedAddress,
  { chain, ids, policy }: RecordContext,
  seenAt: Millis,
): Deposit {
  const paidAt = Math.min(transfer.block.time, seenAt);
  const reason = unassignedReason(transfer, owner, paidAt, policy);
  return {
    id: ids.next() as DepositId,
    orderId: owner.orderId,
    accountId: owner.accountId,
    chain,
    txid: transfer.txid,
    index: transfer.index,
    blockHeight: transfer.block.height,
    blockHash: transfer.block.hash,
    currency: transfer.currency,
    units: transfer.units,
    fromAddress: transfer.from,
    toAddress: owner.address,
    status: 'SEEN',
    seenAt,
    paidAt,
    creditedAt: null,
    credits: 0,
    lossUnits: 0n,
    returnCostUnits: 0n,
    assignment: reason === null ? 'ORDER' : 'UNASSIGNED',
    unassignedReason: reason,
  };
}

/**
 * Handles a payment in another coin than the order's. If the payer had chosen that coin before and nothing else was seen,
 * the order returns to that choice and its rate; otherwise the deposit is credited and the order's history says that it did
 * not count.
 */
async function fitCoin(
  tx: Transaction,
  order: Order,
  transfer: ObservedTransfer,
  history: readonly OrderHistoryEntry[],
  { chain, now }: RecordContext,
): Promise<void> {
  if (order.payment?.chain === chain && order.payment.currency === transfer.currency) return;
  const former = order.status === 'PENDING' ? formerChoice(history, chain, transfer.currency) : null;
  const untouched =
    former !== null &&
    (await tx.deposits.byOrder(order.id)).length === 0 &&
    (await tx.unconfirmedPayments.live(order.id)).length === 0;
  if (former !== null && untouched) {
    await tx.orders.update(order.id, { payment: former, updatedAt: now });
    await tx.orders.setAddressCurrency(order.id, chain, transfer.currency);
  }
  await tx.orders.addHistory({
    orderId: order.id,
    at: now,
    from: order.status,
    to: order.status,
    rule: untouched ? 'payment-chosen' : 'deposit-other-currency',
    inputs: { chain, currency: transfer.currency, units: transfer.units.toString(), txid: transfer.txid },
    rate: untouched ? (former?.rate ?? null) : null,
  });
}

/** The payer's last choice of a coin, with its amount and rate; `null` when it was never chosen. */
export function formerChoice(
  history: readonly OrderHistoryEntry[],
  chain: string,
  currency: string,
): OrderPayment | null {
  const entry = history.findLast(({ rule, inputs }) => {
    return (
      rule === 'payment-chosen' && inputs['chain'] === chain && inputs['currency'] === currency && 'address' in inputs
    );
  });
  if (entry === undefined || entry.rate === null) return null;
  const { units, address } = entry.inputs;
  assert(typeof units === 'string' && typeof address === 'string', `history of order ${entry.orderId}`);
  return { chain, currency, units: BigInt(units), address, rate: entry.rate, chosenAt: entry.at };
}
