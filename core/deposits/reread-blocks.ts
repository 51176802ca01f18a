import type { ChainAdapter, ChainState, Deposit, ScannedRange, WatchList } from '../chain/index.ts';
import type { Lease, Transaction } from '../kernel/index.ts';
import { placeOf } from '../chain/index.ts';
import { announceRecorded, ownedTransfers, recordOwned } from './owned-transfers.ts';
import type { RecordDeps } from './owned-transfers.ts';
import { raiseAlert } from '../notify/index.ts';
import { isTillgateError } from '../kernel/index.ts';
import { scanBlocks } from './scan-blocks.ts';

/** Further steps of the transaction that stores the found deposits. */
export interface RecordAgainWrites {
  /** Called before the deposits are stored; false aborts. */
  readonly confirm?: (tx: Transaction) => Promise<boolean>;
  /** Called after the deposits were stored. */
  readonly also?: (tx: Transaction, added: readonly Deposit[]) => void;
}

/**
 * Stores deposits that a second reading of blocks found and the first one missed. Known transfers stay unchanged, so it
 * may run beside the follower; each one on which the two readings disagree raises an alert. Only blocks of the followed
 * chain count, and no reorganisation can happen before the commit.
 *
 * @returns the new deposits; `null` when the blocks are not those of the followed chain, or `confirm` returned false
 */
export async function recordAgain(
  chain: ChainAdapter,
  { blocks, transfers }: ScannedRange,
  deps: RecordDeps,
  { confirm, also }: RecordAgainWrites = {},
): Promise<readonly Deposit[] | null> {
  const owned = await ownedTransfers(chain, deps, transfers);
  const last = blocks.at(-1);
  const checked = [...new Set([...transfers.map(({ block }) => block), ...(last === undefined ? [] : [last])])];
  const recorded = await deps.storage.transaction(async (tx) => {
    for (const block of checked) if (!(await tx.chains.holds(chain.code, block))) return null;
    if (confirm !== undefined && !(await confirm(tx))) return null;
    const stored = await recordOwned(tx, chain, owned, deps);
    also?.(tx, stored.added);
    return stored;
  });
  if (recorded === null) return null;
  const added = new Set(recorded.added.map(placeOf));
  announceRecorded(
    deps,
    chain,
    owned.filter(({ transfer }) => added.has(placeOf(transfer))),
    recorded,
  );
  return recorded.added;
}

/** The result of reading one range. */
export interface Reread {
  readonly more: boolean;
  readonly found: boolean;
}

const NOTHING: Reread = { more: false, found: false };

/**
 * Reads each block a second time once it is as deep as a spendable deposit, because the node may have answered before
 * its index was complete, or another node may answer now. It has a cursor of its own, which never passes the
 * follower's, and costs one more scan of each block.
 */
export class RereadBlocks {
  readonly #chain: ChainAdapter;
  readonly #deps: RecordDeps;
  /** The head at which the node could not answer; the next block is tried. */
  #failedAt = -1;

  constructor(chain: ChainAdapter, deps: RecordDeps) {
    this.#chain = chain;
    this.#deps = deps;
  }

  /**
   * Reads one range.
   *
   * @param state - the chain's state as this step of the follower has read it
   * @param head - the height of the follower's cursor
   * @returns whether more blocks are deep enough, and whether a payment was found
   * @throws TillgateError `LEASE_LOST`, `NOT_READY`
   */
  async step(lease: Lease, state: ChainState, head: number, watch: WatchList): Promise<Reread> {
    const { code, policy } = this.#chain;
    const deep = head - policy.spendableConfirmations;
    const from = state.rereadHeight;
    if (from === null || from >= deep || this.#failedAt === head) return NOTHING;
    const to = Math.min(deep, from + policy.maxScanBlocks);
    try {
      const found = await this.#read(lease, [from, to], watch);
      return { more: to < deep, found };
    } catch (error) {
      if (!isTillgateError(error, 'NODE_FAILED')) throw error;
      // Following the blocks at the head must not stop.
      this.#failedAt = head;
      this.#deps.logger.warn('deep blocks could not be read again yet', { chain: code, from: from + 1, to, error });
      return NOTHING;
    }
  }

  async #read(lease: Lease, [from, to]: readonly [number, number], watch: WatchList): Promise<boolean> {
    const { storage } = this.#deps;
    const scanned = await scanBlocks(this.#chain, storage.deposits, [from + 1, to], watch, { thorough: true });
    if (scanned === null) return false;
    const missed = await recordAgain(this.#chain, scanned, this.#deps, {
      confirm: async (tx) => {
        await tx.leases.check(lease);
        return tx.chains.moveReread(this.#chain.code, from, to);
      },
    });
    for (const { id, txid, blockHeight } of missed ?? []) {
      const reason = `The first reading of block ${blockHeight} on ${this.#chain.code} missed the payment ${txid}; check the node.`;
      raiseAlert(this.#deps, 'deposit', `deposit ${id}`, reason);
    }
    return missed !== null && missed.length > 0;
  }
}
