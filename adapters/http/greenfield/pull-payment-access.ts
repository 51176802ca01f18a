import { TillgateError } from '../../../core/index.ts';
import type { ClaimPageView, ManagedPullPayment, PullPaymentId } from '../../../core/index.ts';
import type { GreenfieldDeps } from './deps.ts';
import type { GuestCall } from './operation.ts';
import { hasPermission, requirePermission } from './permissions.ts';

const TOKEN = /^[0-9a-f]{32}$/;

/** A pull payment for whoever may see it: by the last part of its claim page's URL, or by its id and a key of its store. */
export type Seen =
  { readonly by: 'link'; readonly view: ClaimPageView } | { readonly by: 'key'; readonly managed: ManagedPullPayment };

/** A call about a pull payment. */
export type PullCall = GuestCall<{ readonly pullPaymentId: string }, unknown, unknown>;

/** @throws TillgateError `NOT_FOUND`, also for an id without a key of its store */
export async function seen({ holder, params: { pullPaymentId: id } }: PullCall, deps: GreenfieldDeps): Promise<Seen> {
  if (TOKEN.test(id)) return { by: 'link', view: await deps.claimPullPayment.page(id) };
  if (holder === null || !hasPermission(holder.principal, 'btcpay.store.canviewpullpayments'))
    throw new TillgateError('NOT_FOUND', 'There is no such pull payment.');
  return { by: 'key', managed: await deps.manage.pullPayments.find(holder.actor, id as PullPaymentId) };
}

/**
 * The token with which a claim is made: a payee has it, and a key of the store may use that of a pull payment whose claims
 * wait for an approval.
 *
 * @throws TillgateError `NOT_FOUND`, `FORBIDDEN`
 */
export async function claimToken(call: PullCall, { manage }: GreenfieldDeps): Promise<string> {
  const { holder, params } = call;
  const { pullPaymentId: id } = params;
  if (TOKEN.test(id)) return id;
  if (holder === null) throw new TillgateError('NOT_FOUND', 'There is no such pull payment.');
  const { pull } = await manage.pullPayments.find(holder.actor, id as PullPaymentId);
  requirePermission(holder.principal, 'btcpay.store.cancreatenonapprovedpullpayments');
  if (!pull.autoApprove) return pull.token;
  throw new TillgateError('FORBIDDEN', 'It approves claims by itself, so that only its link claims it.', {
    reason: 'link-required',
  });
}
