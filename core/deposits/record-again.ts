import type { ChainAdapter, ScannedRange } from '../ports/chain-adapter.ts';
import type { Transaction } from '../ports/storage.ts';
import type { Deposit } from './deposit.ts';
import { announceRecorded, ownedTransfers, recordOwned } from './owned-transfers.ts';
import type { RecordDeps } from './owned-transfers.ts';

/** More writes of the transaction that stores what was found. */
export interface RecordAgainWrites {
  /** Before it is stored; false gives it up. */
  readonly confirm?: (tx: Transaction) => Promise<boolean>;
  /** After it was stored. */
  readonly also?: (tx: Transaction, added: readonly Deposit[]) => Promise<void>;
}

/**
 * Stores what another reading of blocks found and the first had missed. Known transfers are left as they are, so it may run
 * beside the follower. Only blocks of the followed chain count: another reorganisation cannot happen before the commit.
 *
 * @returns the new deposits; `null` when the blocks are not those of the followed chain, or `confirm` gave up
 */
export async function recordAgain(
  chain: ChainAdapter,
  { blocks, transfers }: ScannedRange,
  deps: RecordDeps,
  { confirm, also }: RecordAgainWrites = {},
): Promise<readonly Deposit[] | null> {
  const owned = await ownedTransfers(chain, deps.storage, transfers);
  const last = blocks.at(-1);
  const checked = [...new Set([...transfers.map(({ block }) => block), ...(last === undefined ? [] : [last])])];
  const added = await deps.storage.transaction(async (tx) => {
    for (const block of checked) if (!(await tx.chains.holds(chain.code, block))) return null;
    if (confirm !== undefined && !(await confirm(tx))) return null;
    const stored = await recordOwned(tx, chain, owned, deps);
    await also?.(tx, stored);
    return stored;
  });
  if (added === null) return null;
  announceRecorded(
    deps,
    chain,
    added.map(({ orderId }) => orderId),
    added,
  );
  return added;
}
