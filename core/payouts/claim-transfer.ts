import { present, TillgateError } from '../kernel/index.ts';
import type {
  Asset,
  AssetCatalogue,
  Clock,
  EventBus,
  IdGenerator,
  Logger,
  Metrics,
  Millis,
  Storage,
  Transaction,
  TransferId,
} from '../kernel/index.ts';
import type { Account } from '../access/index.ts';
import type { ChainRegistry } from '../chain/index.ts';
import { requireChain } from '../chain/index.ts';
import { requirePayments } from './fee-estimator.ts';
import type { FeeEstimate, PayoutFeeEstimator } from './fee-estimator.ts';
import { heldForAddress } from './held-refund.ts';
import type { WithdrawalLimits } from './limits.ts';
import type { Claim, PullPayment } from './pull-payment.ts';
import type { MerchantTransfer } from './reserve-transfer.ts';
import { storeTransfer } from './store-transfer.ts';
import { newTransfer } from './transfer.ts';
import { alertHeld, heldAbove } from './withdrawal-rules.ts';
import type { WithdrawalSettings } from './withdrawal-settings.ts';

/** What paying a claim needs. */
export interface ClaimTransferDeps {
  readonly storage: Storage;
  readonly assets: AssetCatalogue;
  readonly chains: ChainRegistry;
  readonly fees: Pick<PayoutFeeEstimator, 'estimate'>;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly events: EventBus;
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly limits?: WithdrawalLimits;
  readonly settings: WithdrawalSettings;
}

/** A payment of a claim before it is stored: its coin, its source and its fee. */
export interface PricedClaim {
  readonly asset: Asset;
  readonly sourceAddress: string;
  readonly fee: FeeEstimate;
}

/**
 * Prices a claim's payment, outside of any transaction.
 *
 * @throws TillgateError as {@link PayoutFeeEstimator.estimate}; `UNSUPPORTED` for a chain that is not configured
 */
export async function priceClaim(
  { assets, chains, fees, limits }: ClaimTransferDeps,
  { accountId, currency, units, toAddress }: Pick<Claim, 'accountId' | 'currency' | 'units' | 'toAddress'>,
): Promise<PricedClaim> {
  const asset = present(assets.find(currency), `asset ${currency}`);
  const chain = requireChain(chains, asset.chain);
  const { hotAddress } = requirePayments(chain);
  const fee = await fees.estimate(chain, asset, units, toAddress, accountId);
  await limits?.prepare(asset);
  return { asset, sourceAddress: hotAddress, fee };
}

/**
 * The transfer that pays a claim, HELD for the reasons of a withdrawal. Nothing is stored. A refund is also held for an
 * account without business verification, which could use its own orders for a withdrawal that is not allowed.
 *
 * @param notBefore - the end of the address's delay
 */
export async function claimTransfer(
  tx: Transaction,
  { ids, limits, settings }: ClaimTransferDeps,
  { pull, claim, account }: { readonly pull: PullPayment; readonly claim: Claim; readonly account: Account },
  { asset, sourceAddress, fee }: PricedClaim,
  { now, notBefore }: { readonly now: Millis; readonly notBefore: Millis },
): Promise<MerchantTransfer> {
  const request = {
    id: ids.next() as TransferId,
    kind: pull.orderId === null ? ('payout' as const) : ('refund' as const),
    accountId: claim.accountId,
    orderId: pull.orderId,
    claimId: claim.id,
    ...(pull.requestedBy === null ? {} : { requestedBy: pull.requestedBy }),
    chain: asset.chain,
    currency: asset.currency,
    units: claim.units,
    ...fee,
    sourceAddress,
    sourceIndex: null,
    toAddress: claim.toAddress,
    ...(notBefore > now ? { notBefore } : {}),
  };
  const above = heldAbove(settings, asset, newTransfer(request, now));
  const held =
    pull.orderId === null ? above : heldForAddress(above, { address: claim.toAddress, lateUntil: null }, account);
  // Before any balance is locked: requests are counted under a lock that withdrawals take before balances too.
  return (await limits?.hold(tx, held)) ?? held;
}

/** Reserves the transfer of a claim from what is set aside. @throws TillgateError as `reserveTransfer` */
export async function storeClaimTransfer(
  tx: Transaction,
  { ids }: ClaimTransferDeps,
  transfer: MerchantTransfer,
): Promise<void> {
  const stored = await storeTransfer(tx, transfer, { ids, limits: undefined, idempotency: null }, () =>
    lackingAside(transfer),
  );
  present(stored, `reserve of transfer ${transfer.id}`);
}

/** Reports the transfer of a claim after its commit. */
export function publishClaimTransfer(deps: ClaimTransferDeps, transfer: MerchantTransfer): void {
  const { chain, kind, status } = transfer;
  deps.metrics.count('tillgate_transfers_total', { chain, kind, status });
  if (status === 'HELD') alertHeld(deps, transfer);
  else deps.events.emit('transfer.queued', { chain });
}

/** The units of a claim were set aside before, so this is never seen while the ledger holds. */
function lackingAside({ id }: MerchantTransfer): TillgateError {
  return new TillgateError('INTERNAL', `The amount of transfer ${id} is not set aside.`);
}
