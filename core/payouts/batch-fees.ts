import { isTillgateError, present } from '../kernel/index.ts';
import type { AccountId, Asset } from '../kernel/index.ts';
import type { ChainRegistry } from '../chain/index.ts';
import type { PayoutFeeEstimator, SharedFeeEstimate } from './fee-estimator.ts';
import { requirePayments } from './fee-estimator.ts';

/** Receivers that are tried for an estimate, when a contract among them refuses payments. */
const TRIED = 3;

/** One payment of several in the same currency. */
export interface SharedPayment {
  readonly toAddress: string;
  readonly units: bigint;
}

/** The fees of a row, in units of its currency. */
export interface RowFees {
  readonly feeUnits: bigint;
  readonly maxFeeUnits: bigint;
}

/** An estimate for several payments. */
export interface RowsEstimate {
  /** `null` when none of the receivers that were tried can be paid. */
  readonly estimate: SharedFeeEstimate | null;
  /** The smallest amount that a receiver may get. */
  readonly dust: bigint;
  /** The receivers that were tried and cannot be paid, with the reasons. */
  readonly unpayable: readonly { readonly toAddress: string; readonly reason: string }[];
}

/**
 * The fees of the rows of a batch in one currency on a chain: one estimate for all, because asking a node for each of
 * thousands of receivers would take minutes. The largest payments are priced; each payment is priced again when it is
 * signed.
 *
 * @throws TillgateError `NOT_READY`, `AMOUNT_OUT_OF_RANGE`, `STATE_CONFLICT`, `NODE_FAILED`
 */
export async function estimateRows(
  { chains, fees }: { readonly chains: ChainRegistry; readonly fees: PayoutFeeEstimator },
  asset: Asset,
  accountId: AccountId,
  rows: readonly SharedPayment[],
): Promise<RowsEstimate> {
  const chain = present(chains.get(asset.chain), `chain ${asset.chain}`);
  const dust = requirePayments(chain).dust(asset.currency);
  const list = rows
    .map(({ toAddress: to, units }) => ({ to, units }))
    .sort((a, b) => (a.units < b.units ? 1 : a.units > b.units ? -1 : 0));
  const unpayable: { toAddress: string; reason: string }[] = [];
  for (const [skipped, { to: toAddress }] of list.slice(0, TRIED).entries()) {
    try {
      return { estimate: await fees.estimateTogether(chain, asset, list.slice(skipped), accountId), dust, unpayable };
    } catch (error) {
      if (!isTillgateError(error, 'DESTINATION_UNPAYABLE')) throw error;
      unpayable.push({ toAddress, reason: error.message });
    }
  }
  return { estimate: null, dust, unpayable };
}

/** The fees of one row; `null` when they would leave less than the network's minimum. */
export function feesOf({ feeUnits, maxFeeUnits }: SharedFeeEstimate, units: bigint, dust: bigint): RowFees | null {
  const left = units - dust;
  return feeUnits > left ? null : { feeUnits, maxFeeUnits: maxFeeUnits > left ? left : maxFeeUnits };
}
