import type { ChainAdapter, Deposit, ScannedRange } from '../chain/index.ts';
import type { Transaction } from '../kernel/index.ts';
import { placeOf } from '../chain/index.ts';
import { announceRecorded, ownedTransfers, recordOwned } from './owned-transfers.ts';
import type { RecordDeps } from './owned-transfers.ts';

/** Further steps of the transaction that stores the found deposits. */
export interface RecordAgainWrites {
  /** Called before the deposits are stored; false aborts. */
  readonly confirm?: (tx: Transaction) => Promise<boolean>;
  /** Called after the deposits were stored. */
  readonly also?: (tx: Transaction, added: readonly Deposit[]) => Promise<void>;
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
    await also?.(tx, stored.added);
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
