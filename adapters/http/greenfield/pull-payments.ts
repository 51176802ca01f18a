import { findFiat } from '../../../core/index.ts';
import type { ManagedPullPayment, PullPaymentId } from '../../../core/index.ts';
import { z } from 'zod';
import { InvalidRequest } from '../invalid-request.ts';
import { collected, MAX_LIST } from './collect.ts';
import { blaming, withoutCode } from './core-errors.ts';
import type { GreenfieldDeps } from './deps.ts';
import { maybeCount, maybeDecimal, maybeFlag, maybeText, maybeTexts, queryFlag } from './fields.ts';
import { greenfieldOperation, guestOperation } from './operation.ts';
import type { GreenfieldOperation } from './operation.ts';
import { coinOf } from './payment-method-ids.ts';
import { requirePermission } from './permissions.ts';
import { seen } from './pull-payment-access.ts';
import { coinsOf, descriptionField, MAX_METHOD, MAX_METHODS, nameField, textsOf } from './pull-payment-fields.ts';
import { pullPaymentRecord, pullPaymentSchema } from './pull-payment-record.ts';

const MAX_SECONDS = 1e11;

const createBody = z.object({
  name: nameField,
  description: descriptionField,
  amount: maybeDecimal('Amount to promise; required'),
  currency: maybeText(MAX_METHOD, 'Code of a coin, or of a fiat currency; required'),
  autoApproveClaims: maybeFlag('Refused with true: a key would need a code of the second factor'),
  startsAt: maybeCount(0, MAX_SECONDS, 'Refused in the future: a pull payment starts when it is made'),
  expiresAt: maybeCount(0, MAX_SECONDS, 'Time of expiry, in seconds; none by default'),
  payoutMethods: maybeTexts(MAX_METHODS, MAX_METHOD, 'Coins in which it can be claimed; all by default'),
  paymentMethods: maybeTexts(MAX_METHODS, MAX_METHOD, 'The same, by its former name'),
});
type CreateBody = z.output<typeof createBody>;

/** The code of the till for a currency: of a fiat currency, or of a coin in any of its names. */
function currencyOf(
  name: string | null,
  { assets }: GreenfieldDeps,
): { readonly code: string; readonly isFiat: boolean } {
  const asset = name === null ? null : coinOf(name, assets);
  const fiat = name === null || asset !== null ? null : findFiat(name.toUpperCase());
  if (asset !== null) return { code: asset.currency, isFiat: false };
  if (fiat !== null) return { code: fiat.code, isFiat: true };
  throw new InvalidRequest([
    { path: 'currency', message: 'must be the code of a coin or of a fiat currency that this till has' },
  ]);
}

/** The fields of a request, as the core takes them. @throws InvalidRequest */
function newPullPayment(body: CreateBody, deps: GreenfieldDeps) {
  const { amount, startsAt, expiresAt } = body;
  const { code, isFiat } = currencyOf(body.currency, deps);
  const methods = body.payoutMethods === null ? 'paymentMethods' : 'payoutMethods';
  const coins = coinsOf(methods, body[methods], deps);
  if (amount === null) throw new InvalidRequest([{ path: 'amount', message: 'is required' }]);
  if (startsAt !== null && startsAt * 1000 > deps.clock.now())
    throw new InvalidRequest([{ path: 'startsAt', message: 'must not be in the future: it starts when it is made' }]);
  if (!isFiat && coins !== null && !coins.includes(code))
    throw new InvalidRequest([{ path: methods, message: `must contain ${code}, in which the amount is` }]);
  return {
    ...textsOf(body),
    ...(isFiat && { coins }),
    currency: code,
    amount,
    expiresAt: expiresAt === null ? null : expiresAt * 1000,
  };
}

/** @throws InvalidRequest for claims that are paid without an approval; TillgateError `FORBIDDEN` for a key that may not ask for it */
function refuseAutoApproval(wanted: boolean | null, principal: Parameters<typeof requirePermission>[0]): void {
  if (wanted !== true) return;
  requirePermission(principal, 'btcpay.store.cancreatepullpayments');
  const message =
    'must not be true: a key needs a code of the second factor for it, which this API cannot carry; use the dashboard, or /v1 with verify_code';
  throw new InvalidRequest([{ path: 'autoApproveClaims', message }]);
}

const CREATION_ERRORS = [
  'VERIFICATION_REQUIRED',
  'STATE_CONFLICT',
  'INSUFFICIENT_BALANCE',
  'IDEMPOTENCY_MISMATCH',
  'IDEMPOTENCY_RUNNING',
  'NOT_READY',
] as const;

const params = z.object({ pullPaymentId: z.string() });
const resource = 'pullpayment';

/** The operations of pull payments. */
export const pullPaymentOperations: readonly GreenfieldOperation[] = [
  greenfieldOperation({
    id: 'createPullPayment',
    method: 'POST',
    paths: ['/stores/{storeId}/pull-payments'],
    permission: 'btcpay.store.cancreatenonapprovedpullpayments',
    resource: 'store',
    summary: 'Create a pull payment',
    description:
      'Promises an amount to whoever has the URL of its claim page, `viewLink`. The account approves each claim. An amount in a coin is set aside now, one in a fiat currency when it is claimed.',
    idempotent: true,
    errors: CREATION_ERRORS,
    body: createBody,
    data: pullPaymentSchema,
    handler: async ({ principal, actor, body, idempotency }, deps) => {
      refuseAutoApproval(body.autoApproveClaims, principal);
      const input = newPullPayment(body, deps);
      const made = await withoutCode(() =>
        blaming({ UNSUPPORTED: 'currency', fields: { coins: 'payoutMethods', metadata: 'description' } }, () =>
          deps.manage.pullPayments.create(actor, input, idempotency),
        ),
      );
      return pullPaymentRecord(made);
    },
  }),
  greenfieldOperation({
    id: 'listPullPayments',
    method: 'GET',
    paths: ['/stores/{storeId}/pull-payments'],
    permission: 'btcpay.store.canviewpullpayments',
    resource: 'store',
    summary: 'List pull payments',
    description: `Returns pull payments without their links, newest first, at most ${MAX_LIST}.`,
    query: z.object({ includeArchived: queryFlag('Also archived pull payments') }),
    data: z.array(pullPaymentSchema),
    handler: async ({ actor, query: { includeArchived } }, { manage }) => {
      const isWanted = ({ pull }: ManagedPullPayment): boolean => includeArchived || pull.archivedAt === null;
      const found = await collected((page) => manage.pullPayments.list(actor, page), isWanted);
      return found.map((managed) => pullPaymentRecord(managed));
    },
  }),
  guestOperation({
    id: 'getPullPayment',
    method: 'GET',
    paths: ['/pull-payments/{pullPaymentId}', '/stores/{storeId}/pull-payments/{pullPaymentId}'],
    resource,
    summary: 'Retrieve a pull payment',
    description:
      'Returns a pull payment: by its id with a key of its store that has `btcpay.store.canviewpullpayments`, or by the last part of its link without one.',
    errors: ['NOT_FOUND'],
    params,
    data: pullPaymentSchema,
    handler: async (call, deps) => {
      const found = await seen(call, deps);
      if (found.by === 'key') return pullPaymentRecord(found.managed);
      const { pull, currency } = found.view;
      const url = deps.orderQueries.claimUrl(pull);
      return pullPaymentRecord({ pull, currency, url }, call.params.pullPaymentId);
    },
  }),
  greenfieldOperation({
    id: 'archivePullPayment',
    method: 'DELETE',
    paths: ['/stores/{storeId}/pull-payments/{pullPaymentId}', '/pull-payments/{pullPaymentId}'],
    permission: 'btcpay.store.canarchivepullpayments',
    resource,
    summary: 'Archive a pull payment',
    description:
      'Ends a pull payment: nothing more can be claimed, claims that wait for an approval are cancelled, and what is left returns to the balance. Payments under way go on.',
    errors: ['NOT_FOUND'],
    params,
    data: z.object({}),
    handler: async ({ actor, params: { pullPaymentId } }, { manage }) => {
      await manage.pullPayments.archive(actor, pullPaymentId as PullPaymentId);
      return {};
    },
  }),
];
