import { merchantActor, recordNotFound, requireAccess } from '../access/index.ts';
import type { Actor, SecondFactor } from '../access/index.ts';
import { assert, isId, present, stateConflict } from '../kernel/index.ts';
import type { ClaimId, Millis, Transaction, TransferId } from '../kernel/index.ts';
import { addApproval } from './approval.ts';
import { requireApprover } from './approvers.ts';
import { claimTransfer, priceClaim, publishClaimTransfer, storeClaimTransfer } from './claim-transfer.ts';
import type { ClaimTransferDeps, PricedClaim } from './claim-transfer.ts';
import { decideOrderAgain } from './decide-order-again.ts';
import { lockPullPayment } from './lock-pull-payment.ts';
import { isDelayed, isOpen } from './pull-payment.ts';
import type { Claim, PaidClaim, PullPayment } from './pull-payment.ts';
import type { MerchantTransfer } from './reserve-transfer.ts';
import { rejectByOperator } from './review-transfer.ts';
import { releaseAside } from './set-aside.ts';
import { keptOf } from './till-budget.ts';
import type { Transfer } from './transfer.ts';
import { DEFAULT_APPROVALS } from './withdrawal-settings.ts';

export interface DecideClaimDeps extends ClaimTransferDeps {
  readonly secondFactor: Pick<SecondFactor, 'use'>;
  /** How long an account must have been an admin before its approvals count, in milliseconds. */
  readonly approverHoldMs: Millis;
}

/** Writes the audit row of a decision, in its transaction. */
export type NoteDecision = (tx: Transaction, claim: Claim, transfer: Transfer | null) => void;

/** Approves and rejects claims (core/decisions/pull-payments.md). */
export class DecideClaim {
  readonly #deps: DecideClaimDeps;

  constructor(deps: DecideClaimDeps) {
    this.#deps = deps;
  }

  /**
   * Approves a claim. By its account, it is paid after the delay of an address, because nobody else has checked where
   * it goes. By other persons, as many as a held payment needs, it is paid at once; they may also end the delay of a
   * claim that was approved before.
   *
   * @throws TillgateError `NOT_FOUND`; `FORBIDDEN` for a person whose approval does not count; `VERIFY_CODE_INVALID`
   *   for a credential; `STATE_CONFLICT` when nothing is to be decided, or it must not be paid now; as for a new claim
   */
  async approve(actor: Actor, id: ClaimId, verifyCode: string | null, note: NoteDecision): Promise<PaidClaim> {
    const { claim: seen, pull } = await this.#find(actor, id);
    await this.#authorise(actor, seen, verifyCode);
    const priced = seen.status === 'AWAITING_APPROVAL' ? await priceClaim(this.#deps, seen) : null;
    const transfer = await this.#deps.storage.transaction(async (tx) => {
      const locked = await lockPullPayment(tx, pull);
      const claim = present(await tx.pullPayments.findClaim(id), `claim ${id}`);
      const paying =
        claim.status === 'AWAITING_APPROVAL' && priced !== null
          ? await this.#pay(tx, actor, { pull: locked.pull, claim, priced })
          : await this.#release(tx, actor, claim);
      note(tx, claim, paying);
      return paying;
    });
    publishClaimTransfer(this.#deps, transfer);
    return this.#paid(id);
  }

  /**
   * Rejects a claim, whose amount can then be claimed again: one that waits for approval, or whose payment still waits
   * for the delay of its address; an admin also one that is held.
   *
   * @throws TillgateError `NOT_FOUND`; `STATE_CONFLICT` once it may have been signed
   */
  async reject(actor: Actor, id: ClaimId, reason: string, note: NoteDecision): Promise<PaidClaim> {
    const { storage, chains, events } = this.#deps;
    const { claim: seen, pull, transfer: paying } = await this.#find(actor, id);
    const kept = paying === null ? 0n : await keptOf(chains.get(paying.chain), storage, paying);
    const failed = await storage.transaction(async (tx) => {
      const { pull: locked } = await lockPullPayment(tx, pull);
      const claim = present(await tx.pullPayments.findClaim(seen.id), `claim ${id}`);
      if (claim.status === 'AWAITING_APPROVAL') {
        await rejectAwaiting(tx, locked, claim, reason, this.#context);
        await decideOrderAgain(tx, { kind: 'refund', orderId: locked.orderId }, this.#deps.clock.now());
        note(tx, { ...claim, status: 'REJECTED', reason }, null);
        return null;
      }
      const rejected = await this.#rejectPayment(tx, actor, claim, reason, kept);
      note(tx, claim, rejected.transfer);
      return rejected;
    });
    if (failed !== null)
      events.emit('transfer.status', { transferId: failed.transfer.id, from: failed.from, to: 'FAILED' });
    return this.#paid(id);
  }

  get #context(): { readonly ids: DecideClaimDeps['ids']; readonly now: Millis } {
    const { ids, clock } = this.#deps;
    return { ids, now: clock.now() };
  }

  async #find(actor: Actor, id: ClaimId): Promise<PaidClaim & { readonly pull: PullPayment }> {
    const { pullPayments } = this.#deps.storage;
    const found = isId(id) ? await pullPayments.findClaim(id) : null;
    if (found === null) throw recordNotFound();
    requireAccess(actor, found.claim.accountId);
    const pull = await pullPayments.find(found.claim.pullPaymentId);
    return { ...found, pull: present(pull, `pull payment of claim ${id}`) };
  }

  async #paid(id: ClaimId): Promise<PaidClaim> {
    return present(await this.#deps.storage.pullPayments.findClaim(id), `claim ${id}`);
  }

  /** A person's session has had a step-up; a credential needs a code always, because the address is anyone's. */
  async #authorise(actor: Actor, { accountId }: Claim, verifyCode: string | null): Promise<void> {
    if (actor.program === undefined || actor.accountId === null) return;
    await this.#deps.secondFactor.use(accountId, verifyCode, 'verifyCode', { by: merchantActor(accountId) });
  }

  /** Makes the transfer of a claim that waits for approval. */
  async #pay(
    tx: Transaction,
    actor: Actor,
    { pull, claim, priced }: { readonly pull: PullPayment; readonly claim: Claim; readonly priced: PricedClaim },
  ): Promise<MerchantTransfer> {
    const { clock, settings } = this.#deps;
    const now = clock.now();
    const byOwner = actor.accountId === claim.accountId;
    if (!byOwner) await this.#requireIndependent(tx, actor, claim);
    const account = present(await tx.accounts.lockShared(claim.accountId), `account ${claim.accountId}`);
    if (account.status !== 'active') throw stateConflict(`The account is ${account.status}.`);
    const terms = { now, notBefore: now + settings.addressHoldMs };
    const transfer = await claimTransfer(tx, this.#deps, { pull, claim, account }, priced, terms);
    const changes = { reason: null, transferId: transfer.id, decidedAt: now };
    assert(await tx.pullPayments.decideClaim(claim, 'APPROVED', changes), `claim ${claim.id} changed while locked`);
    await storeClaimTransfer(tx, this.#deps, transfer);
    if (byOwner || (transfer.status !== 'HELD' && !isDelayed(transfer, now))) return transfer;
    return this.#approved(tx, actor, transfer.id);
  }

  /** An independent person ends the delay, or the hold, of a claim's payment. */
  async #release(tx: Transaction, actor: Actor, claim: Claim): Promise<MerchantTransfer> {
    if (claim.transferId === null) throw stateConflict(`The claim is ${claim.status}; there is nothing to approve.`);
    if (actor.accountId === claim.accountId)
      throw stateConflict('The claim is approved; an admin can approve it as well, so that it is paid at once.');
    return this.#approved(tx, actor, claim.transferId);
  }

  /** The rules are those of a held payment, from the time of the claim on. */
  async #requireIndependent(tx: Transaction, actor: Actor, claim: Claim): Promise<void> {
    const { clock, approverHoldMs: holdMs } = this.#deps;
    await requireApprover(tx, claim, actor.accountId, { now: clock.now(), holdMs });
  }

  async #approved(tx: Transaction, { accountId }: Actor, id: TransferId): Promise<MerchantTransfer> {
    const { clock, approverHoldMs: holdMs, settings } = this.#deps;
    const rules = { now: clock.now(), needed: settings.approvals ?? DEFAULT_APPROVALS, holdMs };
    const { transfer } = await addApproval(tx, id, accountId, rules);
    return transfer as MerchantTransfer;
  }

  async #rejectPayment(
    tx: Transaction,
    actor: Actor,
    { transferId, status }: Claim,
    reason: string,
    kept: bigint,
  ): Promise<{ readonly transfer: Transfer; readonly from: Transfer['status'] }> {
    if (transferId === null) throw stateConflict(`The claim is ${status}; there is nothing to reject.`);
    const transfer = present(await tx.transfers.lock(transferId), `transfer ${transferId}`);
    // Only its delay proves to the account that it was never paid: a held one may be one of a restored backup.
    if (actor.role !== 'admin' && !isDelayed(transfer, this.#deps.clock.now()))
      throw stateConflict('The claim is being paid; only one that waits can be rejected.');
    const failed = await rejectByOperator(tx, transferId, reason, { ...this.#context, kept });
    return { transfer: failed, from: transfer.status };
  }
}

/**
 * Rejects a claim that waits for approval, in the caller's transaction and with its pull payment locked. Its units stay
 * set aside while the pull payment is open in the same coin; otherwise they are released.
 *
 * @returns the pull payment after it
 */
export async function rejectAwaiting(
  tx: Transaction,
  pull: PullPayment,
  claim: Claim,
  reason: string,
  { ids, now }: { readonly ids: DecideClaimDeps['ids']; readonly now: Millis },
): Promise<PullPayment> {
  const { id, accountId, currency, units, amount } = claim;
  const changes = { reason, transferId: null, decidedAt: now };
  assert(await tx.pullPayments.decideClaim(claim, 'REJECTED', changes), `claim ${id} changed while locked`);
  const stays = pull.currency === currency && isOpen(pull, now);
  const after = {
    claimed: pull.claimed - amount,
    asideUnits: stays ? pull.asideUnits + units : pull.asideUnits,
  };
  await tx.pullPayments.update(pull.id, after);
  if (!stays) {
    const aside = { accountId, currency, units, reference: `claim:${id}:released` };
    await releaseAside(tx, aside, { ids, now });
  }
  return { ...pull, ...after };
}
