import { ActionGuard, isTillgateError } from '../../../core/index.ts';
import type { ManageAction, OpenSession, Session } from '../../../core/index.ts';
import { inside } from './action.ts';
import type { Action, Scene } from './action.ts';
import { merchantOf, ordersOf } from './merchants.ts';

/** Operations that a thief would try with a session without a step-up. */
const WANTED: readonly ManageAction[] = [
  ...(['resolveOrder', 'refundOrderByHand', 'removeRefundAddress', 'withdrawByHand'] as const),
  ...(['createPullPayment', 'approveClaim', 'revealPullPayment'] as const),
  ...(['setWithdrawalAddress', 'createCredential', 'revealCredential', 'createWebhook', 'updateLink'] as const),
  ...(['pairLinkDevice', 'createApp', 'rotateAppKey', 'revealAppKey', 'updateGateway', 'updateBranding'] as const),
  ...(['archiveAccounts', 'createAccount', 'approveWithdrawal', 'unfreezeWithdrawals', 'resumePayouts'] as const),
];

/** A thief has the token of a merchant's session, and tries operations of the management API one after the other. */
async function stolenSession(scene: Scene): Promise<string> {
  const { world, random, instance } = scene;
  const { accountId } = merchantOf(scene).principal;
  const account = await instance.storage.accounts.find(accountId);
  if (account === null) return 'nobody';
  const guard = new ActionGuard({
    ...{ storage: instance.storage, clock: { now: () => world.now }, secondFactorOf: 'nobody' as const },
    refusedAttempts: { note: () => undefined },
  });
  const session = { accountId, tokenHash: 'stolen', raisedUntil: null } as unknown as Session;
  const open: OpenSession = { session, account, csrfToken: '' };
  const owner = () => Promise.resolve(accountId);
  for (const action of WANTED) {
    try {
      await guard.check(action, { open, ip: '192.0.2.1', fields: {}, owner });
    } catch (error) {
      if (isTillgateError(error, 'FORBIDDEN')) continue;
      throw error;
    }
    world.breaches.push(`stolen-session: ${action} goes through in a session that was never raised`);
  }
  // The thief's aim: a signed success callback of an unpaid order.
  const order = random.pick(ordersOf(scene, 'OVERDUE'));
  if (world.breaches.length > 0 && order !== undefined) await instance.orderAdminActions.resolve(order.id, 'thief');
  return 'refused';
}

export const STOLEN_SESSION: readonly Action[] = [inside('stolen-session', 0.2, stolenSession)];
