import type { BlockRef, CurrencyCode, Storage, Transaction } from '../kernel/index.ts';
import type { Epoch, TakenCoins } from '../payouts/index.ts';
import { present } from '../kernel/index.ts';
import type {
  BalancesRead,
  ChainAdapter,
  Deposit,
  ObservedTransfer,
  PresentBalances,
  UnassignedReason,
} from '../chain/index.ts';
import type { BookedAddress, BooksQuestion, ComparedAddress, UnseenBlocks } from './comparison-store.ts';
import { BALANCE_INDEX } from './balance-deposit.ts';
import { holdingRef } from '../chain/index.ts';
import { announceRecorded } from './owned-transfers.ts';
import type { RecordDeps } from './owned-transfers.ts';
import { recordTransfers } from './record-transfer.ts';

/** A chain whose addresses can be compared. */
export type ComparableChain = ChainAdapter & { readonly present: PresentBalances };

export function canCompare(chain: ChainAdapter): chain is ComparableChain {
  return chain.present !== undefined;
}

/** The circumstances of a comparison. */
export interface ComparisonScene {
  /** The block below the cursor of the followed chain, because the state of a node's latest block may still change. */
  readonly at: BlockRef;
  readonly unseen: UnseenBlocks | null;
  readonly epoch: Epoch;
  /** Called in the transaction that stores a deposit, before it; false aborts it. */
  readonly confirm?: (tx: Transaction) => Promise<boolean>;
  /** Called in the transaction that stores a deposit, after it. */
  readonly also?: (tx: Transaction, deposit: Deposit) => Promise<void>;
}

/** What a comparison has found. */
export interface Compared {
  readonly found: readonly Deposit[];
  /** The number of addresses that hold an excess that could not be recorded now, or have no readable balance. */
  readonly open: number;
}

const NOTHING_BOOKED: BookedAddress = { units: 0n, moving: false, orphaned: [] };

interface Suspect {
  readonly address: ComparedAddress;
  readonly booked: bigint;
  readonly read: { readonly units: bigint; readonly through: BlockRef };
}

/**
 * Compares the balances of addresses with the ledger, and records the excess as a deposit, in the same way as any
 * other. It needs no history: coins that a contract sent are found whenever it runs, however they arrived.
 *
 * The ledger is read before the balances, and again in the transaction that records the deposit. When they differ, or a
 * transaction of the till moves coins there, the address is left for the next comparison, so nothing is counted twice.
 * A deposit of an earlier comparison whose block was removed becomes SEEN again if its coins are there, or if a mined
 * sweep has taken them.
 *
 * @throws TillgateError `NODE_FAILED`; as `confirm`
 */
export async function compareAddresses(
  chain: ComparableChain,
  addresses: readonly ComparedAddress[],
  scene: ComparisonScene,
  deps: RecordDeps,
): Promise<Compared> {
  if (addresses.length === 0) return { found: [], open: 0 };
  const found: Deposit[] = [];
  const differing = new Set<string>();
  let open = 0;
  for (const currency of chain.present.currencies) {
    const { suspects, unread, unclear } = await suspectsOf(chain, addresses, currency, scene.at, deps.storage);
    open += unread;
    for (const { key } of unclear) differing.add(key);
    for (const suspect of suspects) {
      const deposits = await recordBeyondBooks(chain, suspect, currency, scene, deps);
      if (deposits.length === 0) open += 1;
      found.push(...deposits);
    }
  }
  const clean = addresses.filter(({ key, comparedHeight }) => comparedHeight === null && !differing.has(key));
  if (clean.length > 0)
    await deps.storage.comparisons.noteCompared(
      chain.code,
      clean.map(({ key }) => key),
      scene.at.height,
    );
  return { found, open };
}

/**
 * The addresses that hold more than the ledger says in two readings; the number of those whose balance no node shows;
 * and all that did not match the ledger in the first reading.
 */
export async function suspectsOf(
  chain: ComparableChain,
  addresses: readonly ComparedAddress[],
  currency: CurrencyCode,
  at: BlockRef,
  { comparisons }: Pick<Storage, 'comparisons'>,
): Promise<{
  readonly suspects: readonly Suspect[];
  readonly unread: number;
  readonly unclear: readonly ComparedAddress[];
}> {
  const books = await comparisons.booked(chain.code, question(chain, currency, addresses, at));
  const bookedAt = ({ address }: ComparedAddress): BookedAddress => books.get(address) ?? NOTHING_BOOKED;
  const first = await chain.present.read(
    addresses.map(({ key }) => key),
    currency,
    at,
  );
  const isMore = (address: ComparedAddress, place: number): boolean => {
    const { units, moving } = bookedAt(address);
    return !moving && (first.units[place] ?? 0n) > units;
  };
  const isUnread = (place: number): boolean => (first.units[place] ?? null) === null;
  const more = addresses.filter(isMore);
  const unread = addresses.filter((_address, place) => isUnread(place)).length;
  const unclear = addresses.filter(
    (address, place) => isUnread(place) || bookedAt(address).moving || isMore(address, place),
  );
  if (more.length === 0) return { suspects: [], unread, unclear };
  const again = await chain.present.read(
    more.map(({ key }) => key),
    currency,
    at,
  );
  const suspects: Suspect[] = [];
  more.forEach((address, place) => {
    const units = least(first.units[addresses.indexOf(address)], again.units[place]);
    const { units: booked } = bookedAt(address);
    if (units > booked) suspects.push({ address, booked, read: { units, through: later(first, again) } });
  });
  return { suspects, unread, unclear };
}

async function recordBeyondBooks(
  chain: ComparableChain,
  { address, booked, read }: Suspect,
  currency: CurrencyCode,
  scene: ComparisonScene,
  deps: RecordDeps,
): Promise<readonly Deposit[]> {
  const { storage, clock, ids, latePayments } = deps;
  const { key } = address;
  const { through } = read;
  const judged = judge(address, through, scene, await heldBefore(chain, address, currency));
  const history = await storage.orders.history(address.orderId);
  const beyond: ObservedTransfer = {
    txid: through.hash,
    index: `${BALANCE_INDEX}${key}:${currency}`,
    block: through,
    currency,
    units: read.units - booked,
    from: null,
    toKey: key,
  };
  const context = {
    chain: chain.code,
    now: clock.now(),
    ids,
    mempool: chain.mempool !== undefined,
    policy: chain.policy,
    latePayments,
  };
  await latePayments.prepare([currency]);
  const deposits = await storage.transaction(async (tx) => {
    if (scene.confirm !== undefined && !(await scene.confirm(tx))) return [];
    for (const block of [through, scene.at]) if (!(await tx.chains.holds(chain.code, block))) return [];
    await tx.orders.lock(address.orderId);
    const taken = await tx.transfers.lockTaken({ chain: chain.code, address: address.address, currency });
    const books = await tx.comparisons.booked(chain.code, question(chain, currency, [address], scene.at));
    const now = books.get(address.address) ?? NOTHING_BOOKED;
    if (now.moving || now.units !== booked) return [];
    const orphaned = now.orphaned.find(({ units }) => units <= beyond.units);
    const parts: readonly Part[] =
      orphaned === undefined ? partsOf(beyond, taken) : [{ transfer: { ...beyond, ...orphaned } }];
    const owned = parts.map(({ transfer }) => ({ transfer, owner: address, history, judged }));
    const { added } = await recordTransfers(tx, owned, context);
    for (const deposit of added) {
      const ref = parts.find(({ transfer }) => transfer.index === deposit.index)?.ref;
      if (ref !== undefined)
        await tx.transfers.passTaken(chain.code, { ref, units: deposit.units }, holdingRef(deposit));
    }
    const again = orphaned === undefined ? null : await orphanedBefore(tx, chain, { ...beyond, ...orphaned });
    const stored = again === null ? added : [again];
    for (const deposit of stored) await scene.also?.(tx, deposit);
    return stored;
  });
  for (const deposit of deposits)
    deps.logger.warn('an address holds coins that no transaction showed: they are recorded as a deposit', {
      chain: chain.code,
      depositId: deposit.id,
      address: address.address,
      height: through.height,
    });
  if (deposits.length > 0)
    announceRecorded(
      deps,
      chain,
      deposits.map(() => ({ owner: address })),
      { added: deposits, changed: [], contradicted: [] },
    );
  return deposits;
}

/** A part of an excess. */
interface Part {
  readonly transfer: ObservedTransfer;
  /** The removed coins in whose place a mined sweep has taken it. */
  readonly ref?: string;
}

/**
 * Divides an excess. A sweep that is mined again after its deposit was removed has taken other coins, so what it took is
 * a deposit of its own, which is not swept once more.
 */
function partsOf(beyond: ObservedTransfer, taken: readonly TakenCoins[]): readonly Part[] {
  const parts: Part[] = [];
  let left = beyond.units;
  for (const { ref, units: gone } of taken) {
    const units = gone < left ? gone : left;
    if (units === 0n) break;
    parts.push({ transfer: { ...beyond, index: `${beyond.index}:${parts.length + 1}`, units }, ref });
    left -= units;
  }
  if (left > 0n) parts.push({ transfer: { ...beyond, units: left } });
  return parts;
}

/**
 * The deposit of an earlier comparison, which becomes SEEN again. It keeps its identity, because its sweep spends the
 * same coins again.
 */
async function orphanedBefore(
  tx: Transaction,
  { code }: ComparableChain,
  { txid, index }: ObservedTransfer,
): Promise<Deposit | null> {
  const same = await tx.deposits.lockByTransactions(code, [txid]);
  return same.find((deposit) => deposit.index === index && deposit.status === 'SEEN') ?? null;
}

/**
 * Determines when a payment counts as made, and its owner. Coins that arrived while blocks were unseen count from the
 * last block before these, so that a payer loses nothing by what the node did not show.
 */
function judge(
  { assignedAt, watchUntil, comparedHeight }: ComparedAddress,
  { time }: BlockRef,
  { unseen, epoch }: ComparisonScene,
  before: bigint | null,
): { readonly paidAt: number; readonly unassignedReason: UnassignedReason | null } {
  const paidAt = unseen === null ? time : Math.max(Math.min(time, unseen.since), Math.min(time, assignedAt));
  // After a restore, the ledger may lack what the till sent there, such as gas for a sweep.
  const isOfFormerEpoch = epoch.number > 1 && assignedAt < epoch.startedAt;
  const isAfterAddress = comparedHeight !== null || before === 0n;
  if (isOfFormerEpoch || !isAfterAddress) return { paidAt, unassignedReason: 'unexplained' };
  return { paidAt, unassignedReason: paidAt > watchUntil ? 'late' : null };
}

/** The balance of an address when it was assigned; `null` where it is unknown, or known from a comparison. */
async function heldBefore(
  chain: ComparableChain,
  { key, comparedHeight, assignedHeight }: ComparedAddress,
  currency: CurrencyCode,
): Promise<bigint | null> {
  if (comparedHeight !== null || assignedHeight === null) return null;
  const block = await chain.blockAt(assignedHeight);
  if (block === null) return null;
  const { through, units } = await chain.present.read([key], currency, block);
  return through.hash === block.hash ? (units[0] ?? null) : null;
}

function question(
  { assets }: ComparableChain,
  currency: CurrencyCode,
  addresses: readonly ComparedAddress[],
  { height }: BlockRef,
): BooksQuestion {
  const paysFees = assets.some((asset) => asset.currency === currency && asset.kind === 'native');
  return { currency, paysFees, addresses: addresses.map(({ address }) => address), height };
}

function least(...units: readonly (bigint | null | undefined)[]): bigint {
  return units.reduce<bigint>(
    (lowest, each) => ((each ?? 0n) < lowest ? (each ?? 0n) : lowest),
    present(units[0] ?? 0n, 'a balance'),
  );
}

function later(...[first, again]: readonly [BalancesRead, BalancesRead]): BlockRef {
  return again.through.height > first.through.height ? again.through : first.through;
}

/**
 * Whether the balance of its address still covers a deposit that was found by it; `null` while the till moves coins
 * there, or when no node shows it.
 *
 * @param at - the last block that was read, to which the ledger refers
 * @throws TillgateError `NODE_FAILED`
 */
export async function isStillHeld(
  chain: ComparableChain,
  { toAddress, currency }: Deposit,
  at: BlockRef,
  { comparisons }: Pick<Storage, 'comparisons'>,
): Promise<boolean | null> {
  const [address] = await comparisons.byKeys(chain.code, [chain.keyOf(toAddress)]);
  if (address === undefined) return null;
  const books = await comparisons.booked(chain.code, question(chain, currency, [address], at));
  const { units, moving } = books.get(address.address) ?? NOTHING_BOOKED;
  const [held = null] = (await chain.present.read([address.key], currency, at)).units;
  return moving || held === null ? null : held >= units;
}
