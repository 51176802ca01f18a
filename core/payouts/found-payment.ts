import { invalidField, LIGHTNING_ASSET, stateConflict, TillgateError } from '../kernel/index.ts';
import type { AccountId } from '../kernel/index.ts';
import type { LightningNode } from '../chain/index.ts';
import type { FoundPayment } from './settle-transfer.ts';
import type { LostWithdrawal } from './record-withdrawal.ts';

/** A Lightning payment that an operator reports as made. */
export interface ClaimedPayment {
  readonly paymentHash: string;
  /** The amount that the invoice got, and the routing fee, in millisatoshi. */
  readonly obtainedUnits: bigint;
  readonly feeUnits: bigint;
}

/**
 * Compares an operator's report of a Lightning payment with the node, which pays a payment hash at most once. The
 * report alone counts only where the node no longer has the payment.
 *
 * @throws TillgateError `STATE_CONFLICT` when the node has not paid it, or another amount or fee; `NOT_READY` without a
 *   node; `NODE_FAILED`
 */
export async function confirmedByNode(
  node: Pick<LightningNode, 'payment'> | null,
  { paymentHash, obtainedUnits, feeUnits }: ClaimedPayment,
): Promise<FoundPayment> {
  const view = await required(node).payment(paymentHash);
  if (view?.state === 'in-flight')
    throw stateConflict(`The node is still paying ${paymentHash}; wait until its payment has ended.`);
  if (view?.state === 'failed') throw stateConflict(`The node could not pay ${paymentHash}: ${view.reason}`);
  if (view !== null && view.msat !== null && view.msat !== obtainedUnits)
    throw stateConflict(`The node paid ${view.msat} msat under ${paymentHash}, not ${obtainedUnits}.`);
  if (view !== null && view.feeMsat !== feeUnits)
    throw stateConflict(`The node paid ${view.feeMsat} msat for the route of ${paymentHash}, not ${feeUnits}.`);
  const cost = { currency: LIGHTNING_ASSET.currency, units: feeUnits };
  return { txHash: paymentHash, obtainedUnits, cost, isReportedByNode: typeof view?.msat === 'bigint' };
}

/**
 * A Lightning withdrawal that was requested and paid after the backup from which the database was restored, for
 * recording it.
 *
 * @throws TillgateError `INVALID_FIELDS` when invoice, payment hash and amount do not match; as {@link confirmedByNode}
 */
export async function lostPayment(
  node: Pick<LightningNode, 'payment' | 'decode'> | null,
  claimed: ClaimedPayment & { readonly accountId: AccountId; readonly paymentRequest: string; readonly units: bigint },
): Promise<LostWithdrawal> {
  const { accountId, units, paymentHash, obtainedUnits, paymentRequest } = claimed;
  const invoice = await required(node).decode(paymentRequest);
  if (invoice.paymentHash !== paymentHash)
    throw invalidField('tx', `must be the payment hash of the invoice, ${invoice.paymentHash}`);
  if (invoice.msat !== null && invoice.msat !== obtainedUnits)
    throw invalidField('obtained', `must be the amount of the invoice, ${invoice.msat} msat`);
  const found = await confirmedByNode(node, claimed);
  const { expiresAt } = invoice;
  return {
    ...{ ...found, accountId, units, asset: LIGHTNING_ASSET, sourceAddress: '', toAddress: paymentRequest },
    invoice: { paymentHash, paymentRequest, msat: invoice.msat === null ? obtainedUnits : null, expiresAt },
  };
}

function required<N>(node: N | null): N {
  if (node === null) throw new TillgateError('NOT_READY', 'No Lightning node is configured.');
  return node;
}
