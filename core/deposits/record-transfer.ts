import { assert, present } from '../kernel/index.ts';
import type { DepositId, IdGenerator, Millis, OrderId, Transaction } from '../kernel/index.ts';
import type { FirstSight, LatePayments, Order, OrderHistoryEntry } from '../orders/index.ts';
import type {
  ChainPolicy,
  Deposit,
  ObservedTransfer,
  UnassignedReason,
  UnconfirmedPayment,
  WatchedAddress,
} from '../chain/index.ts';
import { isBeforeAddress } from './block-time.ts';
import { placeOf } from '../chain/index.ts';
import { fitCoins, noteUnassigned } from './note-deposits.ts';
import { hasFacts } from './same-facts.ts';
import { takeOverLoss } from './take-over-loss.ts';

/** A transfer and the owner of its address. */
export interface OwnedTransfer {
  readonly transfer: ObservedTransfer;
  readonly owner: WatchedAddress;
  /** The order's history, newest last: a payment in a coin that was chosen before counts at the rate of that choice. */
  readonly history: readonly OrderHistoryEntry[];
  /** The payment's time and whether it is unassigned, where its block does not determine them. */
  readonly judged?: Pick<Deposit, 'paidAt' | 'unassignedReason'>;
}

export interface RecordContext {
  readonly chain: string;
  readonly now: Millis;
  readonly ids: IdGenerator;
  /** True where the chain has a mempool. */
  readonly mempool: boolean;
  /** The policy of the chain; `null` where payments have no deadline (Lightning: an invoice is used once). */
  readonly policy: ChainPolicy | null;
  readonly latePayments: LatePayments;
}

/** A transfer with another effect than in the block that was removed. */
export interface ChangedDeposit {
  /** The deposits of removed blocks, latest first. */
  readonly former: readonly Deposit[];
  readonly deposit: Deposit;
}

/** The result of recording transfers. */
export interface Recorded {
  readonly added: readonly Deposit[];
  /** New deposits whose transaction had another effect in a block that a reorganisation removed. */
  readonly changed: readonly ChangedDeposit[];
  /** Deposits that the chain now contradicts, though their block was not removed. */
  readonly contradicted: readonly { readonly deposit: Deposit; readonly transfer: ObservedTransfer }[];
}

interface Recording {
  readonly added: Deposit[];
  readonly changed: ChangedDeposit[];
  readonly contradicted: { readonly deposit: Deposit; readonly transfer: ObservedTransfer }[];
  /** Whether a balance has already shown the arrivals, by address, coin and height. */
  readonly counted: Map<string, boolean>;
}

/**
 * Stores transfers as SEEN deposits, once for each (chain, txid, index). A known one stays unchanged, and
 * contradictions are reported. An orphaned one becomes SEEN again if its facts are those of the canonical block. With
 * any other fact it stays ORPHANED, and the transfer becomes a deposit of its own, which keeps only the first-seen
 * time. A transfer after its order's watch window, or before the order got the address, is unassigned until an operator
 * decides.
 *
 * @param owned - in locking order: by order id
 */
export async function recordTransfers(
  tx: Transaction,
  owned: readonly OwnedTransfer[],
  context: RecordContext,
): Promise<Recorded> {
  const recording: Recording = { added: [], changed: [], contradicted: [], counted: new Map() };
  const groups = byOrder(owned);
  const orders = new Map<OrderId, Order>();
  for (const id of groups.keys()) orders.set(id, present(await tx.orders.lock(id), `order ${id}`));
  const known = await knownOf(tx, owned, context.chain);
  for (const [id, transfers] of groups) {
    const order = present(orders.get(id), `order ${id}`);
    const fresh: Deposit[] = [];
    for (const each of transfers) {
      const deposit = await recordOne(tx, order, each, known, recording, context);
      if (deposit !== null) fresh.push(deposit);
    }
    const own = fresh.filter(({ unassignedReason: reason }) => reason === null);
    await fitCoins(tx, order, own, transfers[0]?.history ?? [], context.now);
    await noteUnassigned(tx, order, fresh, context.now);
    if (fresh.length > 0) await tx.deposits.addAll(fresh);
    recording.added.push(...fresh);
  }
  return recording;
}

function byOrder(owned: readonly OwnedTransfer[]): ReadonlyMap<OrderId, readonly OwnedTransfer[]> {
  const groups = new Map<OrderId, OwnedTransfer[]>();
  for (const each of owned) {
    const group = groups.get(each.owner.orderId);
    if (group === undefined) groups.set(each.owner.orderId, [each]);
    else group.push(each);
  }
  return groups;
}

/** The deposits of these transactions, by place. */
async function knownOf(
  tx: Transaction,
  owned: readonly OwnedTransfer[],
  chain: string,
): Promise<Map<string, Deposit[]>> {
  const known = new Map<string, Deposit[]>();
  const txids = owned.map(({ transfer }) => transfer.txid);
  for (const deposit of txids.length === 0 ? [] : await tx.deposits.lockByTransactions(chain, txids)) {
    const place = placeOf(deposit);
    const others = known.get(place);
    if (others === undefined) known.set(place, [deposit]);
    else others.push(deposit);
  }
  return known;
}

/** @returns the deposit to store; `null` for one that is already stored */
async function recordOne(
  tx: Transaction,
  order: Order,
  { transfer, owner, judged }: OwnedTransfer,
  known: Map<string, Deposit[]>,
  recording: Recording,
  context: RecordContext,
): Promise<Deposit | null> {
  const { txid, index, block } = transfer;
  const unconfirmed = context.mempool ? await tx.unconfirmedPayments.take({ chain: context.chain, txid, index }) : null;
  const place = placeOf(transfer);
  const same = known.get(place) ?? [];
  const facts = { ...transfer, address: owner.address };
  const live = same.find(({ status }) => status !== 'ORPHANED');
  if (live !== undefined) {
    const agrees = hasFacts(live, facts) && (context.policy === null || live.blockHash === block.hash);
    if (!agrees) recording.contradicted.push({ deposit: live, transfer });
    return null;
  }
  const dead = same.find((deposit) => hasFacts(deposit, facts));
  if (dead === undefined && (await isCounted(tx, transfer, owner, recording, context))) return null;
  const found =
    dead ??
    judgedBy(
      judged,
      newDeposit(transfer, owner, context, firstSeen(order, transfer, same, unconfirmed, context)),
      order,
      context.latePayments,
    );
  const lossUnits = await takeOverLoss(tx, found, same);
  const deposit: Deposit = { ...found, lossUnits, blockHeight: block.height, blockHash: block.hash, status: 'SEEN' };
  known.set(place, [...same.filter((each) => each !== dead), deposit]);
  if (dead !== undefined) {
    const changes = { blockHeight: block.height, blockHash: block.hash, lossUnits };
    assert(await tx.deposits.move(dead.id, 'ORPHANED', 'SEEN', changes), `deposit ${dead.id} changed while locked`);
    return null;
  }
  if (same.length > 0) recording.changed.push({ former: same.toReversed(), deposit });
  return deposit;
}

/** Whether the balance of the address has already shown the transfer. */
async function isCounted(
  tx: Transaction,
  { block, notBefore, currency }: ObservedTransfer,
  { address }: WatchedAddress,
  { counted }: Recording,
  { chain }: RecordContext,
): Promise<boolean> {
  const height = notBefore ?? block.height;
  const name = `${address} ${currency} ${height}`;
  const known = counted.get(name) ?? (await tx.comparisons.isCounted(chain, address, currency, height));
  counted.set(name, known);
  return known;
}

function judgedBy(
  judged: OwnedTransfer['judged'],
  deposit: Deposit,
  order: Order,
  latePayments: LatePayments,
): Deposit {
  if (judged === undefined) return deposit;
  const rate = latePayments.rateOf(order, deposit.currency, judged.paidAt);
  return { ...deposit, ...judged, rate, assignment: judged.unassignedReason === null ? 'ORDER' : 'UNASSIGNED' };
}

/** A payment counts from when its transaction was first seen, whatever its effect, at the rate of that time. */
function firstSeen(
  order: Order,
  transfer: ObservedTransfer,
  same: readonly Deposit[],
  unconfirmed: UnconfirmedPayment | null,
  { now, latePayments }: RecordContext,
): FirstSight & Pick<Deposit, 'seenAt'> {
  const seenAt = Math.min(unconfirmed?.seenAt ?? now, ...same.map((deposit) => deposit.seenAt));
  const sight = latePayments.firstSight(order, transfer, { now, unconfirmed });
  const paidAt = Math.min(sight.paidAt, ...same.map((deposit) => deposit.paidAt));
  if (paidAt === sight.paidAt) return { ...sight, seenAt };
  const { currency } = transfer;
  const former = same.find((deposit) => deposit.orderId === order.id && deposit.currency === currency);
  return { seenAt, paidAt, rate: former?.rate ?? latePayments.rateOf(order, currency, paidAt) };
}

/** Why a payment does not belong to the order; `null` when it does. */
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

function newDeposit(
  transfer: ObservedTransfer,
  owner: WatchedAddress,
  { chain, ids, policy }: RecordContext,
  { seenAt, paidAt, rate }: FirstSight & Pick<Deposit, 'seenAt'>,
): Deposit {
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
    leastConfirmations: transfer.leastConfirmations ?? null,
    rate,
  };
}
