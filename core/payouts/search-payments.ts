import type { BlockRef, TransferId } from '../kernel/index.ts';
import type { ObservedTransfer, PendingTransfer, WatchList } from '../chain/index.ts';
import type { TransferStore } from './transfer-store.ts';
import type { PayingChain } from './payout-deps.ts';
import type { Transfer } from './transfer.ts';
import type { FoundTransaction, PaymentFinding } from './payment-finding.ts';

/** The most blocks to read: a week of Ethereum, a year of Bitcoin. */
const MOST_BLOCKS = 52_560;
/** The assumed difference between the till's clock and a chain's in milliseconds, by default. */
const CLOCK_SKEW_MS = 7_200_000;

/** A transfer in a block, or one in the mempool. */
type Seen = PendingTransfer & { readonly block: BlockRef | null };

/** The blocks and transfers that were read of a chain. */
interface Search {
  readonly from: number;
  readonly to: number;
  readonly seen: readonly Seen[];
}

/**
 * Searches the blocks since payments were requested, and the mempool where the node shows it, for transactions that pay
 * their receivers: the lost till may have signed them again. Transactions of other payments in the database are
 * omitted.
 *
 * @throws TillgateError `NODE_FAILED`; any error of the database
 */
export async function searchPayments(
  chain: PayingChain,
  transfers: Pick<TransferStore, 'booked'>,
  wanted: readonly Transfer[],
): Promise<ReadonlyMap<TransferId, PaymentFinding>> {
  const head = await chain.head();
  const oldest = Math.min(...wanted.map(({ createdAt }) => createdAt));
  const from = await heightAt(chain, oldest - (chain.policy.clockSkewMs ?? CLOCK_SKEW_MS), head);
  if (head.height - from >= MOST_BLOCKS) {
    const reason = `It was requested ${head.height - from} blocks ago, more than are searched: look its receiver up in an explorer.`;
    return new Map(wanted.map(({ id }) => [id, { kind: 'unclear', reason, transactions: [] }]));
  }
  const search = await read(chain, wanted, [from, head.height]);
  const matches = await unbooked(chain, transfers, wanted, search);
  return new Map(wanted.map(({ id }) => [id, judge(chain, id, matches, search)]));
}

/** The first block that is not older than a time, assuming that block times ascend. */
async function heightAt(chain: PayingChain, time: number, head: BlockRef): Promise<number> {
  let [older, found] = [0, head.height];
  while (found - older > 1) {
    const middle = (older + found) >> 1;
    const block = await chain.blockAt(middle);
    if (block !== null && block.time >= time) found = middle;
    else older = middle;
  }
  return Math.max(1, older);
}

async function read(
  chain: PayingChain,
  wanted: readonly Transfer[],
  [from, to]: readonly [from: number, to: number],
): Promise<Search> {
  const keys = new Set(wanted.map(({ toAddress }) => chain.keyOf(toAddress)));
  const watch: WatchList = { has: (key) => keys.has(key), nativeKeys: () => [] };
  // Read before the blocks, so that a transaction that is mined meanwhile is in one of the two, or in both.
  const pending = (await chain.mempool?.pending(() => Promise.resolve(watch)))?.transfers ?? [];
  const mined: ObservedTransfer[] = [];
  const step = chain.policy.maxScanBlocks;
  for (let first = from; first <= to; first += step) {
    const last = Math.min(to, first + step - 1);
    mined.push(...(await chain.scan(first, last, watch, { thorough: true, ownPayments: true })).transfers);
  }
  const inBlocks = new Set(mined.map(({ txid }) => txid));
  const waiting = pending.filter(({ txid }) => !inBlocks.has(txid)).map((each) => ({ ...each, block: null }));
  return { from, to, seen: [...mined.map((each) => ({ ...each, seenAt: null })), ...waiting] };
}

/** The transfers that may be payments, for each of the payments. */
async function unbooked(
  chain: PayingChain,
  transfers: Pick<TransferStore, 'booked'>,
  wanted: readonly Transfer[],
  { seen }: Search,
): Promise<ReadonlyMap<TransferId, readonly Seen[]>> {
  const left = new Set(seen.filter((each) => wanted.some((transfer) => mayBe(chain, transfer, each))));
  const txids = [...new Set([...left].map(({ txid }) => txid))];
  const asked = new Set(wanted.map(({ id }) => id));
  for (const { txid, transferId, toAddress } of await transfers.booked(chain.code, txids)) {
    const key = chain.keyOf(toAddress);
    const own = [...left].find((each) => each.txid === txid && each.toKey === key);
    if (own !== undefined && !asked.has(transferId)) left.delete(own);
  }
  return new Map(wanted.map((transfer) => [transfer.id, [...left].filter((each) => mayBe(chain, transfer, each))]));
}

/** Compares the receiver, the currency, the amount less a possible fee, and the sender (unknown or the till's own). */
function mayBe(chain: PayingChain, transfer: Transfer, { toKey, currency, units, from }: Seen): boolean {
  return (
    toKey === chain.keyOf(transfer.toAddress) &&
    currency === transfer.currency &&
    units <= transfer.units &&
    units >= transfer.units - transfer.maxFeeUnits &&
    (from === null || chain.keyOf(from) === chain.keyOf(transfer.sourceAddress))
  );
}

function judge(
  chain: PayingChain,
  id: TransferId,
  matches: ReadonlyMap<TransferId, readonly Seen[]>,
  { from, to }: Search,
): PaymentFinding {
  const found = matches.get(id) ?? [];
  const transactions = found.map(foundOf);
  const [only, ...more] = found;
  if (only === undefined) {
    const unseen =
      chain.mempool === undefined
        ? '; unconfirmed transactions cannot be searched'
        : ', and no unconfirmed transaction does';
    return {
      kind: 'unpaid',
      reason: `No block from ${from} to ${to} contains a payment for it${unseen}.`,
      transactions,
    };
  }
  const sharing = [...matches].filter(([other, seen]) => other !== id && seen.some((each) => found.includes(each)));
  if (more.length > 0 || sharing.length > 0) {
    const rivals =
      sharing.length === 0 ? '' : ` They may also be payments of ${sharing.map(([each]) => each).join(', ')}.`;
    const reason = `${found.length} transactions pay its receiver a matching amount: compare the amounts, and what was requested since the backup.${rivals}`;
    return { kind: 'unclear', reason, transactions };
  }
  const depth = only.block === null ? 0 : to - only.block.height + 1;
  if (only.block === null || depth < chain.policy.spendableConfirmations)
    return { kind: 'open', reason: `${only.txid} pays it, with ${Math.max(depth, 0)} confirmations.`, transactions };
  return { kind: 'paid', reason: `Paid by ${only.txid} in block ${only.block.height}.`, transactions };
}

function foundOf({ txid, block, units }: Seen): FoundTransaction {
  return { txHash: txid, height: block?.height ?? null, obtainedUnits: units };
}
