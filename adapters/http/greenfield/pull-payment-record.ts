import { formatUnits, obtainedUnits } from '../../../core/index.ts';
import type { AssetCatalogue, ManagedPullPayment, PaidClaim, PromisedCurrency } from '../../../core/index.ts';
import { z } from 'zod';
import { decimal, inSeconds, seconds } from './fields.ts';
import { paymentMethodId } from './payment-method-ids.ts';
import { PAYOUT_STATES, payoutState } from './payout-state.ts';

export const pullPaymentSchema = z
  .object({
    id: z.string().meta({ description: 'ID of the pull payment, which does not let anybody claim it' }),
    name: z.string(),
    description: z.string(),
    currency: z.string().meta({ description: 'Code of a coin, or of a fiat currency' }),
    amount: decimal('Amount promised'),
    BOLT11Expiration: z.number().meta({ type: 'integer', description: 'Always 0: Lightning invoices are not claimed' }),
    autoApproveClaims: z.boolean(),
    archived: z.boolean(),
    startsAt: seconds('Time of creation'),
    expiresAt: z
      .number()
      .nullable()
      .meta({ type: ['integer', 'null'], description: 'Time of expiry' }),
    viewLink: z.string().nullable().meta({
      description: 'URL of the claim page, with which anyone can claim; only for whoever makes it, or has it',
    }),
  })
  .meta({ id: 'GreenfieldPullPayment' });

export type PullPaymentRecord = z.input<typeof pullPaymentSchema>;

/** The name in a pull payment's metadata under which a shop's description is kept. */
export const DESCRIPTION = 'description';

/** A pull payment as shop plugins read it. @param id - as the caller named it */
export function pullPaymentRecord(
  { pull, currency, url }: Pick<ManagedPullPayment, 'pull' | 'currency' | 'url'>,
  id: string = pull.id,
): PullPaymentRecord {
  return {
    id,
    name: pull.name,
    description: pull.metadata[DESCRIPTION] ?? '',
    currency: pull.currency,
    amount: formatUnits(pull.amount, currency.decimals),
    BOLT11Expiration: 0,
    autoApproveClaims: pull.autoApprove,
    archived: pull.archivedAt !== null,
    startsAt: inSeconds(pull.createdAt),
    expiresAt: pull.expiresAt === null ? null : inSeconds(pull.expiresAt),
    viewLink: url,
  };
}

export const payoutSchema = z
  .object({
    id: z.string(),
    revision: z.literal(0).meta({ description: 'Always 0: a payout is never changed' }),
    pullPaymentId: z.string(),
    date: seconds('Time of the claim'),
    destination: z.string().meta({ description: 'Address; without a key its first and last characters' }),
    originalCurrency: z.string(),
    originalAmount: decimal('Amount claimed, in the currency of the pull payment'),
    payoutCurrency: z.string().meta({ description: 'Code of the coin' }),
    payoutAmount: decimal('Amount in the coin, less the network fee').nullable(),
    payoutMethodId: z.string(),
    state: z.enum(PAYOUT_STATES),
    paymentProof: z
      .object({ proofType: z.literal('PayoutTransactionOnChainBlob'), id: z.string() })
      .nullable()
      .meta({ description: 'Transaction that pays it, or the last one that was sent' }),
    metadata: z.object({}),
  })
  .meta({ id: 'GreenfieldPayout' });

export type PayoutRecord = z.input<typeof payoutSchema>;

/** A claim as shop plugins read it. */
export function payoutRecord(
  { claim, transfer, txHash }: PaidClaim,
  promised: PromisedCurrency,
  assets: Pick<AssetCatalogue, 'find'>,
  {
    pullPaymentId = claim.pullPaymentId,
    destination = claim.toAddress,
  }: { readonly pullPaymentId?: string; readonly destination?: string } = {},
): PayoutRecord {
  const decimals = assets.find(claim.currency)?.decimals ?? 0;
  return {
    id: claim.id,
    revision: 0,
    pullPaymentId,
    date: inSeconds(claim.createdAt),
    destination,
    originalCurrency: promised.code,
    originalAmount: formatUnits(claim.amount, promised.decimals),
    payoutCurrency: claim.currency,
    payoutAmount: transfer === null ? null : formatUnits(obtainedUnits(transfer), decimals),
    payoutMethodId: paymentMethodId(claim),
    state: payoutState(claim.status, transfer?.status ?? null),
    paymentProof: txHash === null ? null : { proofType: 'PayoutTransactionOnChainBlob', id: txHash },
    metadata: {},
  };
}
