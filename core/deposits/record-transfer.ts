import { assert, present } from '../kernel/guard.ts';
import type { DepositId } from '../kernel/ids.ts';
import type { Millis } from '../kernel/time.ts';
import type { Order, OrderHistoryEntry, OrderPayment } from '../orders/order.ts';
import type { ObservedTransfer } from '../ports/chain-adapter.ts';
import type { WatchedAddress } from '../ports/deposit-store.ts';
import type { IdGenerator } from '../ports/id-generator.ts';
import type { Transaction } from '../ports/storage.ts';
import type { Deposit } from './deposit.ts';

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
}

/**
 * Stores a transfer as a SEEN deposit, once for each (chain, txid, index). A known one is left unchanged; an orphaned one is
 * SEEN again in its new block.
 */
export async function recordTransfer(
  tx: Transaction,
  { transfer, owner, history }: OwnedTransfer,
  context: RecordContext,
): Promise<void> {
  const order = present(await tx.orders.lock(owner.orderId), `order ${owner.orderId}`);
  const unconfirmed = context.mempool
    ? await tx.unconfirmedPayments.take({ chain: context.chain, txid: transfer.txid, index: transfer.index })
    : null;
  const known = await tx.deposits.lockByTransfer(context.chain, transfer.txid, transfer.index);
  if (known !== null) {
    if (known.status !== 'ORPHANED') return;
    const block = { blockHeight: transfer.block.height, blockHash: transfer.block.hash };
    assert(await tx.deposits.move(known.id, 'ORPHANED', 'SEEN', block), `deposit ${known.id} changed while locked`);
    return;
  }
  await fitCoin(tx, order, transfer, history, context);
  await tx.deposits.add(newDeposit(transfer, owner, context, unconfirmed?.seenAt ?? context.now));
}

function newDeposit(
  transfer: ObservedTransfer,
  owner: WatchedAddress,
  { chain, ids }: RecordContext,
  seenAt: Millis,
): Deposit {
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
    paidAt: Math.min(transfer.block.time, seenAt),
    creditedAt: null,
    credits: 0,
    lossUnits: 0n,
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
