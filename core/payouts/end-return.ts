import { assert } from '../kernel/index.ts';
import type { EntryId, IdGenerator, Millis, Transaction } from '../kernel/index.ts';
import { postEntry } from '../ledger/index.ts';
import { keptEntry, owedUnits } from '../chain/index.ts';
import type { Transfer } from './transfer.ts';

interface EndContext {
  readonly ids: IdGenerator;
  readonly now: Millis;
}

/**
 * Ends the return of a deposit in the transaction that ends its transfer: RETURNED when it is paid; UNASSIGNED again
 * when it failed, with the cost deducted from what is owed. Does nothing for other transfers.
 *
 * @param charged - the amount that the failed transfer was charged
 */
export async function endReturn(
  tx: Transaction,
  { id, depositId = null, status }: Transfer,
  charged: bigint,
  { ids, now }: EndContext,
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
  const returnCostUnits = deposit.returnCostUnits + charged;
  const left = { ...deposit, returnCostUnits };
  // A reorganisation removed the deposit meanwhile, at the cost of the loss account, so nothing is owed for it any
  // more.
  const isTaken = deposit.status !== 'CREDITED' && deposit.status !== 'SPENDABLE';
  if (isTaken && owedUnits(left) > 0n)
    assert(await postEntry(tx, keptEntry(ids.next() as EntryId, now, left, id)), `return ${id} ended twice`);
  // A reorganisation cannot reverse the cost; see unassignedLoss.
  const changes = { returnCostUnits, lossUnits: returnCostUnits };
  assert(
    await tx.deposits.reassign(depositId, 'RETURNING', 'UNASSIGNED', changes),
    `deposit ${depositId} changed while locked`,
  );
}
