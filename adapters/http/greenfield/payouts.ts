import { TillgateError } from '../../../core/index.ts';
import type { ClaimId, ManagedClaim } from '../../../core/index.ts';
import { z } from 'zod';
import { InvalidRequest } from '../invalid-request.ts';
import { collected, MAX_LIST } from './collect.ts';
import type { GreenfieldDeps } from './deps.ts';
import { maybeCount, queryFlag } from './fields.ts';
import { greenfieldOperation } from './operation.ts';
import type { GreenfieldOperation } from './operation.ts';
import { isShown, payoutState } from './payout-state.ts';
import { payoutRecord, payoutSchema } from './pull-payment-record.ts';
import type { PayoutRecord } from './pull-payment-record.ts';

const MAX_REVISION = 1e9;
/** The reason that the payee reads. */
const CANCELLED = 'Cancelled by the shop.';

const payoutPaths = ['/stores/{storeId}/payouts/{payoutId}', '/payouts/{payoutId}'] as const;
const oneParams = z.object({ payoutId: z.string() });

const recordOf = (claim: ManagedClaim, { assets }: GreenfieldDeps): PayoutRecord =>
  payoutRecord(claim, claim.promised, assets);

/** The operations of the payouts of a store. */
export const payoutOperations: readonly GreenfieldOperation[] = [
  greenfieldOperation({
    id: 'listPayouts',
    method: 'GET',
    paths: ['/stores/{storeId}/payouts'],
    permission: 'btcpay.store.canviewpayouts',
    resource: 'store',
    summary: 'List payouts',
    description: `Returns what payees have claimed, newest first, at most ${MAX_LIST}.`,
    query: z.object({ includeCancelled: queryFlag('Also cancelled payouts') }),
    data: z.array(payoutSchema),
    handler: async ({ actor, query }, deps) => {
      const { pullPayments } = deps.manage;
      const found = await collected((page) => pullPayments.claims(actor, page), isShown(query.includeCancelled));
      return found.map((claim) => recordOf(claim, deps));
    },
  }),
  greenfieldOperation({
    id: 'getPayout',
    method: 'GET',
    paths: payoutPaths,
    permission: 'btcpay.store.canviewpayouts',
    resource: 'payout',
    summary: 'Retrieve a payout',
    description: 'Returns a payout.',
    errors: ['NOT_FOUND'],
    params: oneParams,
    data: payoutSchema,
    handler: async ({ actor, params: { payoutId } }, deps) =>
      recordOf(await deps.manage.pullPayments.findClaim(actor, payoutId as ClaimId), deps),
  }),
  greenfieldOperation({
    id: 'approvePayout',
    method: 'POST',
    paths: payoutPaths,
    permission: 'btcpay.store.canmanagepayouts',
    resource: 'payout',
    summary: 'Approve a payout',
    description:
      'Refused with 403: a key needs a code of the second factor to approve a payment to anyone, which this API cannot carry. Approve it in the dashboard, or by `/v1` with `verify_code`.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params: oneParams,
    bodyOptional: true,
    body: z.object({ revision: maybeCount(0, MAX_REVISION, 'Revision of the payout, which is always 0') }),
    data: payoutSchema,
    handler: async ({ actor, params: { payoutId }, body: { revision } }, deps) => {
      const { claim, transfer } = await deps.manage.pullPayments.findClaim(actor, payoutId as ClaimId);
      if (revision !== null && revision > 0)
        throw new InvalidRequest([{ path: 'revision', message: 'is not the revision of the payout, which is 0' }]);
      if (payoutState(claim.status, transfer?.status ?? null) !== 'AwaitingApproval')
        throw new TillgateError('STATE_CONFLICT', 'The payout does not wait for an approval.', {
          reason: 'invalid-state',
        });
      throw new TillgateError(
        'FORBIDDEN',
        'A key needs a code of the second factor to approve a payout, which this API cannot carry. Approve it in the dashboard, or by /v1 with verify_code.',
        { reason: 'code-required' },
      );
    },
  }),
  greenfieldOperation({
    id: 'cancelPayout',
    method: 'DELETE',
    paths: payoutPaths,
    permission: 'btcpay.store.canmanagepayouts',
    resource: 'payout',
    summary: 'Cancel a payout',
    description:
      'Cancels a payout that waits for an approval, or for the delay of its address. Its amount can be claimed again while the pull payment can.',
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    params: oneParams,
    data: payoutSchema,
    handler: async ({ actor, params: { payoutId } }, deps) =>
      recordOf(await deps.manage.pullPayments.reject(actor, payoutId as ClaimId, CANCELLED), deps),
  }),
];
