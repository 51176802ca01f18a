import type { TransferId } from '../kernel/ids.ts';
import type { BlockRef } from '../ports/block-ref.ts';
import type { ObservedTransfer, PendingTransfer, WatchList } from '../ports/chain-adapter.ts';
import type { TransferStore } from '../ports/transfer-store.ts';
import type { PayingChain } from '../transfers/payout-deps.ts';
import type { Transfer } from '../transfers/transfer.ts';
import type { FoundTransaction, PaymentFinding } from './payment-finding.ts';

/** More blocks than these are not read: a week of Ethereum, a year of Bitcoin. */
const MOST_BLOCKS = 52_560;
/** The till's clock and a chain's may differ by so much, where the chain does not say. */
const CLOCK_SKEW_MS = 7_200_000;

/** A transfer in a block, or one that waits to be mined. */
type Seen = PendingTransfer & { readonly block: BlockRef | null };

/** What was read of a chain. */
interface Search {
  readonly from: number;
  readonly to: number;
  readonly seen: readonly Seen[];
}

/**
 * Looks in the blocks since payments were requested, and in the mempool where the node shows it, for transactions that pay
 * their receivers: the till that was lost may have signed them anew. What belongs to another payment of the database is left out.
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

/** The first block that is not older than a time, as far as block times ascend. */
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

const keyOf = (chain: PayingChain, address: string): string => chain.keyOf?.(address) ?? address;

async function read(
  chain: PayingChain,
  wanted: readonly Transfer[],
  [from, to]: readonly [from: number, to: number],
): Promise<Search> {
  const keys = new Set(wanted.map(({ toAddress }) => keyOf(chain, toAddress)));
  const watch: WatchList = { has: (key) => keys.has(key), nativeKeys: () => [] };
  // Before the blocks: what is mined meanwhile is in one of the two, or in both.
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

/** The transfers that may be each of the payments. */
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
    const key = keyOf(chain, toAddress);
    const own = [...left].find((each) => each.txid === txid && each.toKey === key);
    if (own !== undefined && !asked.has(transferId)) left.delete(own);
  }
  return new Map(wanted.map((transfer) => [transfer.id, [...left].filter((each) => mayBe(chain, transfer, each))]));
}

/** The receiver, the currency, an amount less a fee that may be charged, and a sender that is not somebody else. */
function mayBe(chain: PayingChain, transfer: Transfer, { toKey, currency, units, from }: Seen): boolean {
  return (
    toKey === keyOf(chain, transfer.toAddress) &&
    currency === transfer.currency &&
    units <= transfer.units &&
    units >= transfer.units - transfer.maxFeeUnits &&
    (from === null || keyOf(chain, from) === keyOf(chain, transfer.sourceAddress))
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
      chain.mempool === undefined ? '; one that waits to be mined cannot be seen' : ', and none waits to be mined';
    return { kind: 'unpaid', reason: `No block from ${from} to ${to} holds a payment of it${unseen}.`, transactions };
  }
  const sharing = [...matches].filter(([other, seen]) => other !== id && seen.some((each) => found.includes(each)));
  if (more.length > 0 || sharing.length > 0) {
    const rivals =
      sharing.length === 0 ? '' : ` They may as well be payments of ${sharing.map(([each]) => each).join(', ')}.`;
    const reason = `${found.length} transactions pay its receiver such an amount: compare the amounts, and what was requested since the backup.${rivals}`;
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
