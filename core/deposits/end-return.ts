import { assert } from '../kernel/guard.ts';
import type { EntryId } from '../kernel/ids.ts';
import type { Millis } from '../kernel/time.ts';
import { postEntry } from '../ledger/post-entry.ts';
import { keptEntry } from '../ledger/unassigned-entries.ts';
import type { IdGenerator } from '../ports/id-generator.ts';
import type { Transaction } from '../ports/storage.ts';
import type { Transfer } from '../transfers/transfer.ts';

/**
 * Ends the return of a deposit with its transfer, in the transaction that ends it: RETURNED when it is paid, UNASSIGNED again
 * when it failed. Nothing for other transfers.
 */
export async function endReturn(
  tx: Transaction,
  { id, depositId = null, status }: Transfer,
  { ids, now }: { readonly ids: IdGenerator; readonly now: Millis },
): Promise<void> {
  if (depositId === null) return;
  const deposit = await tx.deposits.lock(depositId);
  assert(deposit?.assignment === 'RETURNING', `deposit ${depositId} of return ${id} is ${deposit?.assignment}`);
  if (status === 'CONFIRMED') {
    assert(
      await tx.deposits.reassign(depositId, 'RETURNING', 'RETURNED', {}),
      `deposit ${depositId} changed while locked`,
    );
    return;
  }
  // A reorganisation took the deposit meanwhile, at the cost of the loss account: what is owed for it ends.
  const isTaken = deposit.status === 'SEEN' || deposit.status === 'ORPHANED';
  if (isTaken && deposit.lossUnits > 0n)
    assert(await postEntry(tx, keptEntry(ids.next() as EntryId, now, deposit, id)), `return ${id} ended twice`);
  assert(
    await tx.deposits.reassign(depositId, 'RETURNING', 'UNASSIGNED', { lossUnits: 0n }),
    `deposit ${depositId} changed while locked`,
  );
}
