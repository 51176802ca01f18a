import type { IdempotencyClaim, IdGenerator, TillgateError, Transaction, TransferId } from '../kernel/index.ts';
import type { Actor } from '../access/index.ts';
import { claimTransfer, reserveTransfer } from './reserve-transfer.ts';
import type { MerchantTransfer } from './reserve-transfer.ts';
import type { WithdrawalLimits } from './limits.ts';

/** How a merchant's new transfer is stored. */
export interface StoringContext {
  readonly ids: IdGenerator;
  readonly limits: WithdrawalLimits | undefined;
  readonly idempotency: IdempotencyClaim | null;
  /** Set for a transfer that a person requests in the management API. */
  readonly byHand?: RequestByHand | null;
}

/** A request of a person in the management API. */
export interface RequestByHand {
  readonly actor: Actor;
  /** Writes the audit row, in the transaction that reserves. */
  note(tx: Transaction, transfer: MerchantTransfer): void;
}

/** The stored transfer with the remaining available balance, or the earlier one of the same idempotency key. */
export type StoredTransfer =
  { readonly former: TransferId } | { readonly transfer: MerchantTransfer; readonly left: bigint };

/**
 * Claims the idempotency key, holds a transfer that exceeds the limits, and reserves, in the caller's transaction.
 *
 * @param lacking - creates the error for an insufficient balance
 * @returns `null` when another live transfer excludes it
 * @throws TillgateError as {@link claimTransfer} and {@link reserveTransfer}
 */
export async function storeTransfer(
  tx: Transaction,
  asked: MerchantTransfer,
  { ids, limits, idempotency, byHand = null }: StoringContext,
  lacking: () => TillgateError,
): Promise<StoredTransfer | null> {
  const former = await claimTransfer(tx, asked, idempotency);
  if (former !== null) return { former };
  const requested = byHand === null ? asked : { ...asked, requestedBy: byHand.actor.accountId };
  const transfer = (await limits?.hold(tx, requested)) ?? requested;
  const left = await reserveTransfer(tx, transfer, ids, lacking);
  if (left === null) return null;
  byHand?.note(tx, transfer);
  return { transfer, left };
}
