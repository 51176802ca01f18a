import { createHash, randomBytes } from 'node:crypto';
import { TillgateError } from '../../../core/index.ts';
import { z } from 'zod';
import { InvalidRequest } from '../invalid-request.ts';
import { header } from '../messages.ts';
import { shortAddress } from '../operations/claims.ts';
import { collected } from './collect.ts';
import { blaming } from './core-errors.ts';
import type { GreenfieldDeps } from './deps.ts';
import { maybeDecimal, maybeText, queryFlag } from './fields.ts';
import { guestOperation } from './operation.ts';
import type { GreenfieldOperation } from './operation.ts';
import { isShown } from './payout-state.ts';
import { claimToken, seen } from './pull-payment-access.ts';
import type { PullCall } from './pull-payment-access.ts';
import { coinsOf, MAX_METHOD } from './pull-payment-fields.ts';
import { payoutRecord, payoutSchema } from './pull-payment-record.ts';
import type { PayoutRecord } from './pull-payment-record.ts';

const MAX_ADDRESS = 256;

/** Its payouts, newest first. */
async function payoutsOf(call: PullCall, includeCancelled: boolean, deps: GreenfieldDeps): Promise<PayoutRecord[]> {
  const isWanted = isShown(includeCancelled);
  const found = await seen(call, deps);
  if (found.by === 'link') {
    const { claims, currency } = found.view;
    return claims.filter(isWanted).map((paid) =>
      payoutRecord(paid, currency, deps.assets, {
        pullPaymentId: call.params.pullPaymentId,
        destination: shortAddress(paid.claim.toAddress),
      }),
    );
  }
  const { pull, currency } = found.managed;
  const { actor } = call.holder as NonNullable<PullCall['holder']>;
  const claims = await collected(
    (page) => deps.manage.pullPayments.claims(actor, { ...page, pullPaymentId: pull.id }),
    isWanted,
  );
  return claims.map((paid) => payoutRecord(paid, currency, deps.assets));
}

/** A repetition with the same `Idempotency-Key` is the same claim. */
function claimKey({ request }: PullCall): string {
  const sent = header(request.headers, 'idempotency-key');
  return sent === null ? randomBytes(16).toString('hex') : createHash('sha256').update(sent).digest('hex');
}

const params = z.object({ pullPaymentId: z.string() });
const payoutParams = z.object({ pullPaymentId: z.string(), payoutId: z.string() });
const resource = 'pullpayment';

/** The operations of what payees claim of pull payments. */
export const claimOperations: readonly GreenfieldOperation[] = [
  guestOperation({
    id: 'createPayout',
    method: 'POST',
    paths: ['/pull-payments/{pullPaymentId}/payouts'],
    resource,
    summary: 'Claim an amount of a pull payment',
    description:
      'Claims a part of a pull payment, or all that is left, to an address. By the last part of its link anyone can claim it; by its id a key of its store, where each claim waits for an approval. The network fee is taken from the amount. A repetition with the same `Idempotency-Key` is the same claim.',
    errors: [
      'NOT_FOUND',
      'AMOUNT_OUT_OF_RANGE',
      'DESTINATION_UNPAYABLE',
      'STATE_CONFLICT',
      'IDEMPOTENCY_MISMATCH',
      'INSUFFICIENT_BALANCE',
      'RATE_LIMITED',
      'NODE_FAILED',
      'NOT_READY',
    ],
    params,
    body: z.object({
      destination: maybeText(MAX_ADDRESS, 'Address; required'),
      amount: maybeDecimal('Amount in the currency of the pull payment; all that is left by default'),
      payoutMethodId: maybeText(MAX_METHOD, 'Coin; may be left out where there is only one'),
      paymentMethod: maybeText(MAX_METHOD, 'The same, by its former name'),
    }),
    data: payoutSchema,
    handler: async (call, deps) => {
      const { destination, amount, payoutMethodId, paymentMethod } = call.body;
      const token = await claimToken(call, deps);
      const path = paymentMethod === null || payoutMethodId !== null ? 'payoutMethodId' : 'paymentMethod';
      const method = payoutMethodId ?? paymentMethod;
      const coins = coinsOf(path, method === null ? null : [method], deps);
      if (destination === null) throw new InvalidRequest([{ path: 'destination', message: 'is required' }]);
      const input = { address: destination, amount, currency: coins?.[0] ?? null, key: claimKey(call) };
      const fields = { address: 'destination', currency: path };
      const paid = await blaming({ UNSUPPORTED: path, fields }, () => deps.claimPullPayment.claim(token, input));
      const { currency } = await deps.claimPullPayment.page(token);
      return payoutRecord(paid, currency, deps.assets, { pullPaymentId: call.params.pullPaymentId });
    },
  }),
  guestOperation({
    id: 'listPayoutsOfPullPayment',
    method: 'GET',
    paths: ['/pull-payments/{pullPaymentId}/payouts'],
    resource,
    summary: 'List the payouts of a pull payment',
    description: 'Returns what was claimed of a pull payment, newest first. It is found as when it is retrieved.',
    errors: ['NOT_FOUND'],
    params,
    query: z.object({ includeCancelled: queryFlag('Also cancelled payouts') }),
    data: z.array(payoutSchema),
    handler: (call, deps) => payoutsOf(call, call.query.includeCancelled, deps),
  }),
  guestOperation({
    id: 'getPayoutOfPullPayment',
    method: 'GET',
    paths: ['/pull-payments/{pullPaymentId}/payouts/{payoutId}'],
    resource: 'payout',
    summary: 'Retrieve a payout of a pull payment',
    description: 'Returns a claim of a pull payment. It is found as when it is retrieved.',
    errors: ['NOT_FOUND'],
    params: payoutParams,
    data: payoutSchema,
    handler: async (call, deps) => {
      const found = (await payoutsOf(call, true, deps)).find(({ id }) => id === call.params.payoutId);
      if (found === undefined) throw new TillgateError('NOT_FOUND', 'There is no such payout.');
      return found;
    },
  }),
];
