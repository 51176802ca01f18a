import type { TillgateError } from '../kernel/errors.ts';
import type { TransferId } from '../kernel/ids.ts';
import type { IdGenerator } from '../ports/id-generator.ts';
import type { IdempotencyClaim } from '../ports/order-store.ts';
import type { Transaction } from '../ports/storage.ts';
import { claimTransfer, reserveTransfer } from '../transfers/reserve-transfer.ts';
import type { MerchantTransfer } from '../transfers/reserve-transfer.ts';
import type { WithdrawalLimits } from './limits.ts';

/** How a merchant's new transfer is stored. */
export interface StoringContext {
  readonly ids: IdGenerator;
  readonly limits: WithdrawalLimits | undefined;
  readonly idempotency: IdempotencyClaim | null;
}

/** A merchant's transfer as it was stored, and the available balance that remains; or what its idempotency key made earlier. */
export type StoredTransfer =
  { readonly former: TransferId } | { readonly transfer: MerchantTransfer; readonly left: bigint };

/**
 * Claims the key, holds what goes beyond the limits, and reserves, in the caller's transaction.
 *
 * @param lacking - makes the error for an insufficient balance
 * @returns `null` when another live transfer excludes it
 * @throws TillgateError as {@link claimTransfer} and {@link reserveTransfer}
 */
export async function storeTransfer(
  tx: Transaction,
  asked: MerchantTransfer,
  { ids, limits, idempotency }: StoringContext,
  lacking: () => TillgateError,
): Promise<StoredTransfer | null> {
  const former = await claimTransfer(tx, asked, idempotency);
  if (former !== null) return { former };
  const transfer = (await limits?.hold(tx, asked)) ?? asked;
  const left = await reserveTransfer(tx, transfer, ids, lacking);
  return left === null ? null : { transfer, left };
}
