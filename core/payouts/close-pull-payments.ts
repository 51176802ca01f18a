import type { Clock, IdGenerator, Millis, PullPaymentId, Storage, Transaction } from '../kernel/index.ts';
import { decideOrderAgain } from './decide-order-again.ts';
import { rejectAwaiting } from './decide-claim.ts';
import { lockPullPayment } from './lock-pull-payment.ts';
import type { PullPayment } from './pull-payment.ts';
import { releaseAside } from './set-aside.ts';

/** The most pull payments that one pass of the worker closes. */
const BATCH = 100;

/** The reason of claims that wait for approval when their pull payment is archived. */
export const ARCHIVED = 'The payment was withdrawn.';

/** What closing a pull payment needs. */
export interface CloseContext {
  readonly ids: IdGenerator;
  readonly now: Millis;
}

/**
 * Archives a pull payment in the caller's transaction: claims that wait for approval are rejected, and all that is set
 * aside is released. Payments under way go on. Does nothing for an archived one.
 *
 * @param seen - the pull payment as it was read before
 * @returns the pull payment after it
 */
export async function archivePullPayment(
  tx: Transaction,
  seen: PullPayment,
  { ids, now }: CloseContext,
): Promise<PullPayment> {
  let { pull } = await lockPullPayment(tx, seen);
  if (pull.archivedAt !== null) return pull;
  for (const claim of await tx.pullPayments.awaiting(pull.id))
    pull = await rejectAwaiting(tx, { ...pull, archivedAt: now }, claim, ARCHIVED, { ids, now });
  await release(tx, pull, { archivedAt: now }, { ids, now });
  return { ...pull, archivedAt: now, asideUnits: 0n };
}

async function release(
  tx: Transaction,
  { id, accountId, currency, asideUnits, orderId }: PullPayment,
  closed: { readonly archivedAt: Millis } | { readonly releasedAt: Millis },
  { ids, now }: CloseContext,
): Promise<void> {
  if (asideUnits > 0n) {
    const what = 'archivedAt' in closed ? 'archived' : 'expired';
    const aside = { accountId, currency, units: asideUnits, reference: `pull-payment:${id}:${what}` };
    await releaseAside(tx, aside, { ids, now });
  }
  await tx.pullPayments.update(id, { ...closed, asideUnits: 0n });
  // The promise kept payments from moving the order.
  await decideOrderAgain(tx, { kind: 'refund', orderId }, now);
}

export interface ExpirePullPaymentsDeps {
  readonly storage: Pick<Storage, 'pullPayments' | 'transaction'>;
  readonly clock: Clock;
  readonly ids: IdGenerator;
}

/** Releases what is left of pull payments that have expired. Claims that were made in time can still be approved. */
export class ExpirePullPayments {
  readonly #deps: ExpirePullPaymentsDeps;

  constructor(deps: ExpirePullPaymentsDeps) {
    this.#deps = deps;
  }

  /** Makes one pass; returns the number of closed pull payments, so that a busy worker calls again at once. */
  async run(): Promise<number> {
    const { storage, clock } = this.#deps;
    const due = await storage.pullPayments.expired(clock.now(), BATCH);
    for (const id of due) await this.#expire(id);
    return due.length;
  }

  async #expire(id: PullPaymentId): Promise<void> {
    const { storage, clock, ids } = this.#deps;
    const seen = await storage.pullPayments.find(id);
    if (seen === null) return;
    await storage.transaction(async (tx) => {
      const { pull } = await lockPullPayment(tx, seen);
      const now = clock.now();
      if (pull.archivedAt !== null || pull.releasedAt !== null || pull.expiresAt === null || pull.expiresAt > now)
        return;
      await release(tx, pull, { releasedAt: now }, { ids, now });
    });
  }
}
