import { present, stateConflict } from '../kernel/index.ts';
import type { ChainPolicy, MinedPayout, PayoutOutcome } from '../chain/index.ts';
import type { Transaction } from '../kernel/index.ts';
import { finishMined } from './finish-payout.ts';
import type { FinishContext, Finished } from './finish-payout.ts';
import { obtainedUnits } from './transfer.ts';
import type { PayoutView, Transfer } from './transfer.ts';

/** An operator's finding about a held payment, or about one whose transaction had another effect than was signed. */
export interface MinedFinding {
  readonly txHash: string;
  /** The network's fee, in units of the native coin. */
  readonly feeUnits: bigint;
  /** The amount that the receiver got. */
  readonly obtainedUnits: bigint;
}

/**
 * Checks an operator's finding about a signed payment against the node. Only a payment is settled whose transaction is
 * mined deep enough and had another effect than the one that was signed: every other one ends by itself.
 *
 * @throws TillgateError `STATE_CONFLICT` with what does not agree
 */
export function requireMinedOtherwise(
  transfer: Transfer,
  outcome: PayoutOutcome,
  found: MinedFinding,
  { spendableConfirmations }: Pick<ChainPolicy, 'spendableConfirmations'>,
): MinedPayout {
  const mined = outcome.kind === 'unclear' ? outcome.mined : undefined;
  if (mined === undefined)
    throw stateConflict(
      `The transfer is ${transfer.status}; only one that is HELD, or whose token moved otherwise than was signed, can be settled.`,
    );
  const { txid, confirmations, feeUnits } = mined;
  if (txid !== found.txHash) throw stateConflict(`The transaction of this transfer is ${txid}.`);
  if (confirmations < spendableConfirmations)
    throw stateConflict(`It has ${confirmations} of ${spendableConfirmations} confirmations; try again later.`);
  if (feeUnits !== found.feeUnits) throw stateConflict(`The network's fee was ${feeUnits} units of the native coin.`);
  if (found.obtainedUnits <= 0n || found.obtainedUnits > obtainedUnits(transfer))
    throw stateConflict('The receiver of a transfer gets more than nothing and no more than was signed.');
  return mined;
}

/**
 * Books a mined payment of which its receiver got less than was signed. The ledger loses the signed amount, which left
 * the till; the merchant's row shows what arrived. If another amount left, the next comparison with the chain shows it.
 *
 * @throws TillgateError `STATE_CONFLICT` when the payout has ended, or its block was not read yet
 */
export async function settleUnclear(
  tx: Transaction,
  view: PayoutView,
  { mined, obtained }: { readonly mined: MinedPayout; readonly obtained: bigint },
  context: FinishContext,
): Promise<{ readonly transfer: Transfer } & Pick<Finished, 'orders'>> {
  const outcome = { kind: 'mined', ...mined, succeeded: true, change: null } as const;
  const { transfers, orders } = await finishMined(tx, view, outcome, context);
  if (transfers.length === 0) throw stateConflict('The payout has changed, or its block was not read yet: try again.');
  const { transfer } = present(transfers[0], 'the transfer');
  if (transfer.accountId !== null)
    await tx.deposits.updateTransaction(transfer.id, { fee: transfer.units - obtained, obtained });
  return { transfer, orders };
}
