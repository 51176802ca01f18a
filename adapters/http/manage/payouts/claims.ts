import {
  CLAIM_STATES,
  CLAIM_STATUSES,
  claimState,
  formatInstant,
  formatUnits,
  obtainedUnits,
} from '../../../../core/index.ts';
import type {
  AssetCatalogue,
  ClaimId,
  ManagedClaim,
  PaidClaim,
  PromisedCurrency,
  PullPaymentId,
} from '../../../../core/index.ts';
import { z } from 'zod';
import { optionalCode, text } from '../../fields.ts';
import { CODE_DIGITS } from '../../operations/withdrawal-record.ts';
import { accountExample } from '../access/accounts.ts';
import { accountFilter, idParams, recordId, word } from '../fields.ts';
import { inputOf } from '../fields.ts';
import { apiOperation, manageList } from '../operation.ts';
import type { ManageOperation } from '../operation.ts';
import { amount, id, instant, pageRecord, time } from '../reply-fields.ts';
import { payoutExample } from './payouts.ts';

const MAX_REASON = 255;

export const claimSchema = z
  .object({
    id: id('ID of the claim'),
    pull_payment: id('ID of the pull payment'),
    account: id('ID of the account that pays'),
    state: z.enum(CLAIM_STATES).meta({
      description:
        'waiting: it is approved, and its payment waits for `not_before` or is held; in_progress: its payment is made',
    }),
    currency: z.string().meta({ description: 'Currency of the pull payment' }),
    amount: amount('Amount claimed, in the currency of the pull payment'),
    chain: z.string(),
    coin: z.string().meta({ description: 'Coin in which it is paid' }),
    coin_amount: amount('Amount taken from the balance, in the coin'),
    fee: amount(
      'Network fee, taken from the amount; an estimate until the payment is signed, null before it is approved',
    ).nullable(),
    received: amount('Amount that the payee receives; null before it is approved').nullable(),
    to_address: z.string(),
    reason: z.string().nullable().meta({ description: 'Reason why it was rejected, failed or is held' }),
    payout: id('ID of the payout that pays it').nullable(),
    not_before: instant('Time before which it is not paid, unless another person approves it').nullable(),
    tx_hash: z.string().nullable(),
    created_at: instant('Time of the claim'),
    decided_at: instant('Time at which it was approved or rejected').nullable(),
  })
  .meta({ id: 'Claim' });

type ClaimRecord = z.input<typeof claimSchema>;

/** Writes the record of a claim. An unknown currency is shown in its smallest unit. */
export function claimRecord(
  { claim, transfer, txHash, promised }: PaidClaim & { readonly promised: PromisedCurrency | null },
  { assets, now }: { readonly assets: Pick<AssetCatalogue, 'find'>; readonly now: number },
): ClaimRecord {
  const decimals = assets.find(claim.currency)?.decimals ?? 0;
  const coins = (units: bigint): string => formatUnits(units, decimals);
  return {
    id: claim.id,
    pull_payment: claim.pullPaymentId,
    account: claim.accountId,
    state: claimState({ claim, transfer }, now),
    currency: promised?.code ?? claim.currency,
    amount: formatUnits(claim.amount, promised?.decimals ?? 0),
    chain: claim.chain,
    coin: claim.currency,
    coin_amount: coins(claim.units),
    fee: transfer === null ? null : coins(transfer.feeUnits),
    received: transfer === null ? null : coins(obtainedUnits(transfer)),
    to_address: claim.toAddress,
    reason: claim.reason ?? transfer?.reason ?? null,
    payout: claim.transferId,
    not_before: time(transfer?.notBefore ?? null),
    tx_hash: txHash,
    created_at: formatInstant(claim.createdAt),
    decided_at: time(claim.decidedAt),
  };
}

export const claimExample = {
  id: '1530219844911046801',
  pull_payment: '1530219844911046800',
  account: accountExample.id,
  state: 'waiting',
  currency: 'EUR',
  amount: '25',
  chain: 'ETH',
  coin: 'USDT-ERC20',
  coin_amount: '27.12',
  fee: '0.42',
  received: '26.7',
  to_address: payoutExample.to_address,
  reason: null,
  payout: payoutExample.id,
  not_before: accountExample.updated_at,
  tx_hash: null,
  created_at: accountExample.created_at,
  decided_at: accountExample.created_at,
} as const satisfies ClaimRecord;

const rejectReason = 'The payee has named another address.';
const params = idParams<ClaimId>('ID of the claim');

const record = (claim: ManagedClaim, assets: Pick<AssetCatalogue, 'find'>): ClaimRecord =>
  claimRecord(claim, { assets, now: claim.now });

/** The operations of claims of pull payments. */
export const claimOperations: readonly ManageOperation[] = [
  manageList({
    offer: { name: 'claims.list', scope: 'read' },
    id: 'listClaims',
    path: '/claims',
    summary: 'List claims',
    description:
      'Returns what payees have claimed of pull payments, newest first. Use `status=AWAITING_APPROVAL` for those that you have to decide about.',
    errors: ['NOT_FOUND'],
    filter: {
      pull_payment: recordId<PullPaymentId>('Only claims of this pull payment').optional(),
      status: word(CLAIM_STATUSES, 'Only claims with this decision').optional(),
      ...accountFilter,
    },
    name: 'ClaimList',
    item: claimSchema,
    example: claimExample,
    handler: async ({ actor, query }, { manage, assets }) =>
      pageRecord(await manage.pullPayments.claims(actor, inputOf(query)), (claim) => record(claim, assets)),
  }),
  apiOperation({
    offer: { name: 'claims.get', scope: 'read' },
    id: 'getClaim',
    method: 'GET',
    path: '/claims/{id}',
    summary: 'Retrieve a claim',
    description: 'Returns a claim with the state of its payment.',
    errors: ['NOT_FOUND'],
    params,
    data: claimSchema,
    examples: { data: claimExample },
    handler: async ({ actor, params: { id } }, { manage, assets }) =>
      record(await manage.pullPayments.findClaim(actor, id), assets),
  }),
  apiOperation({
    offer: { name: 'claims.approve', scope: 'move' },
    id: 'approveClaim',
    method: 'POST',
    path: '/claims/{id}/approve',
    summary: 'Approve a claim',
    description:
      'Pays a claim. Its address is not registered, so a claim that only its account has approved is paid after the delay of a new address; another admin, or as many as `withdrawals.approvals` demands, can approve it as well, and it is paid at once. A session needs a step-up, an API key a code of the second factor.',
    errors: [
      'NOT_FOUND',
      'STATE_CONFLICT',
      'VERIFY_CODE_INVALID',
      'AMOUNT_OUT_OF_RANGE',
      'DESTINATION_UNPAYABLE',
      'NOT_READY',
      'NODE_FAILED',
    ],
    params,
    bodyOptional: true,
    body: z.object({
      verify_code: optionalCode(CODE_DIGITS, 'Code of the second factor; required for an API key'),
    }),
    data: claimSchema,
    examples: { data: claimExample },
    owner: async ({ actor, params: { id } }, { manage }) =>
      (await manage.pullPayments.findClaim(actor, id)).claim.accountId,
    handler: async ({ actor, params: { id }, body }, { manage, assets }) =>
      record(await manage.pullPayments.approve(actor, id, body.verify_code ?? null), assets),
  }),
  apiOperation({
    offer: { name: 'claims.reject', scope: 'move' },
    id: 'rejectClaim',
    method: 'POST',
    path: '/claims/{id}/reject',
    summary: 'Reject a claim',
    description:
      'Rejects a claim that waits for approval, or whose payment waits for `not_before`. Its amount can be claimed again while the pull payment is active.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params,
    body: z.object({ reason: text(MAX_REASON, 'Reason, shown to the payee') }),
    data: claimSchema,
    examples: {
      body: { reason: rejectReason },
      data: {
        ...claimExample,
        state: 'rejected',
        reason: rejectReason,
        fee: null,
        received: null,
        payout: null,
        not_before: null,
      },
    },
    owner: async ({ actor, params: { id } }, { manage }) =>
      (await manage.pullPayments.findClaim(actor, id)).claim.accountId,
    handler: async ({ actor, params: { id }, body }, { manage, assets }) =>
      record(await manage.pullPayments.reject(actor, id, body.reason), assets),
  }),
];
