import { TillgateError } from '../kernel/index.ts';
import type { AccountId, Asset, Transaction, TransferId } from '../kernel/index.ts';
import type { NewLightningPayment } from './lightning-payment.ts';
import type { OrderMove } from '../orders/index.ts';
import { claimTransfer, reserveTransfer } from './reserve-transfer.ts';
import { settleHeldTransfer } from './settle-transfer.ts';
import type { FoundPayment, SettleContext } from './settle-transfer.ts';
import { newTransfer } from './transfer.ts';
import type { Transfer } from './transfer.ts';

/** A withdrawal that was requested and paid after the backup from which the database was restored. */
export interface LostWithdrawal extends FoundPayment {
  readonly accountId: AccountId;
  readonly asset: Asset;
  /** The units that left the account's balance. */
  readonly units: bigint;
  readonly sourceAddress: string;
  readonly toAddress: string;
  /** The paid invoice, on Lightning. */
  readonly invoice?: Omit<NewLightningPayment, 'transferId'>;
}

const ROUTE = 'operator:record-withdrawal';
/** How long the claim is kept, in milliseconds: longer than any backup, because an operator may retry after years. */
const KEPT_MS = 100 * 365 * 86_400_000;

/**
 * Books a withdrawal that is missing from the restored database, once for each transaction and receiver. Without this
 * entry the account has the amount in its balance again, and the chain holds less than the ledger says.
 *
 * @throws TillgateError `STATE_CONFLICT` when it was recorded before, or the account is frozen; `INSUFFICIENT_BALANCE`
 *   when the account has spent the amount again
 */
export async function recordLostWithdrawal(
  tx: Transaction,
  lost: LostWithdrawal,
  context: SettleContext,
): Promise<{ readonly transfer: Transfer; readonly orders: readonly OrderMove[] }> {
  const { accountId, asset, units, sourceAddress, toAddress, txHash, obtainedUnits, invoice } = lost;
  const { ids, now } = context;
  const feeUnits = units - obtainedUnits;
  const request = {
    ...{ id: ids.next() as TransferId, kind: 'withdrawal' as const, accountId, orderId: null },
    ...{ chain: asset.chain, currency: asset.currency, units, feeUnits, maxFeeUnits: feeUnits },
    ...{ sourceAddress, sourceIndex: null, toAddress },
  };
  const transfer = { ...newTransfer(request, now), status: 'HELD' as const };
  const key = `${asset.chain}:${txHash}:${toAddress}:${asset.currency}`;
  const claim = { route: ROUTE, key, bodyHash: key, expiresAt: now + KEPT_MS };
  const former = await claimTransfer(tx, transfer, claim);
  if (former !== null) throw new TillgateError('STATE_CONFLICT', `It was recorded before, as withdrawal ${former}.`);
  await reserveTransfer(tx, transfer, ids, () => spentAgain(asset));
  if (invoice !== undefined && !(await tx.lightning.addPayment({ ...invoice, transferId: transfer.id })))
    throw new TillgateError(
      'STATE_CONFLICT',
      'A withdrawal of the database pays this invoice already: "restore status" shows its state.',
    );
  return settleHeldTransfer(tx, transfer.id, lost, context);
}

function spentAgain({ currency }: Asset): TillgateError {
  return new TillgateError(
    'INSUFFICIENT_BALANCE',
    `The account has less ${currency} available than this withdrawal paid: the account has spent the amount since.`,
  );
}
