import { epochHold, isFromBackup } from './epoch.ts';
import type { Epoch } from './epoch.ts';
import { isTillgateError, LIGHTNING_ASSET } from '../kernel/index.ts';
import type { Lease, TransferId } from '../kernel/index.ts';
import type { UnfinishedPayment } from './lightning-store.ts';
import type { LightningPaymentView } from '../chain/index.ts';
import { requireSameNode } from './lightning-deps.ts';
import type { LightningDeps } from './lightning-deps.ts';
import { isToBeGiven, isWithoutEffect } from './lightning-payment.ts';
import { checkContinuity } from './node-continuity.ts';
import { NodeHoldings } from './node-holdings.ts';
import { isOfFormerLife, nodeLifeHold } from './node-life.ts';
import type { NodeLife } from './node-life.ts';
import { PaymentSteps } from './payment-steps.ts';

const PAGE = 200;
/** Concurrent payments or queries at the node. */
const CONCURRENCY = 8;

const FROM_BACKUP =
  'It was sent to the node before the restored backup, and the node has no record of it: find out whether it was paid, then approve or reject it.';

const FROM_FORMER_LIFE =
  'It was sent to the node before the node began anew, and the node has no record of it: find out whether it was paid, then approve or reject it.';

const EXPIRED = 'The invoice expired before it could be paid.';

interface Pass {
  readonly epoch: Epoch;
  readonly life: NodeLife;
  /** True when nothing new is paid. */
  readonly stopped: boolean;
}

interface Tally {
  moved: boolean;
  /** The number of payments for which the node answered. */
  answered: number;
  /** Errors of single payments. */
  readonly unanswered: unknown[];
  /** Errors of the pass: the node's balance, or whether it began again, is unknown. */
  readonly failures: unknown[];
}

/**
 * Pays invoices. SIGNED is committed before a payment is sent to the node. After a crash the node is queried by the
 * payment hash, and the payment is sent again only when the node never had it. Only the node's answers end a payment:
 * its outcome, or repeated refusals of a payment that it never had. Until then the reserve is kept.
 */
export class InvoicePayer {
  readonly #deps: LightningDeps;
  readonly #holdings: NodeHoldings;
  readonly #steps: PaymentSteps;
  #checked = false;

  constructor(deps: LightningDeps) {
    this.#deps = deps;
    this.#holdings = new NodeHoldings(deps);
    this.#steps = new PaymentSteps(deps);
  }

  /**
   * Makes one pass over every unfinished payment, under a held lease.
   *
   * @returns true when a payment made a step, so that there may be more to do at once
   * @throws TillgateError `LEASE_LOST`, `CHAIN_HALTED` (another node), `NODE_FAILED` when the node answered for no
   *   payment; any error of the database
   */
  async step(lease: Lease): Promise<boolean> {
    const { storage } = this.#deps;
    if (!this.#checked) await requireSameNode(this.#deps);
    this.#checked = true;
    const tally: Tally = { moved: false, answered: 0, unanswered: [], failures: [] };
    let pass = await this.#readPass(lease, tally);
    let after: TransferId | null = null;
    for (;;) {
      const page: readonly UnfinishedPayment[] = await storage.lightning.unfinished(after, PAGE);
      if (page.some(({ transfer: { status } }) => status === 'REQUESTED'))
        pass = await this.#sureOfNode(lease, pass, tally);
      for (let at = 0; at < page.length; at += CONCURRENCY)
        await this.#advanceAll(lease, page.slice(at, at + CONCURRENCY), pass, tally);
      after = page.at(-1)?.transfer.id ?? null;
      if (page.length < PAGE) break;
    }
    await this.#expireHeld(lease, pass, tally);
    if (tally.moved) this.#holdings.changed();
    this.#report(tally);
    return tally.moved;
  }

  async #advanceAll(lease: Lease, some: readonly UnfinishedPayment[], pass: Pass, tally: Tally): Promise<void> {
    for (const outcome of await Promise.allSettled(some.map((each) => this.#advance(lease, each, pass)))) {
      if (outcome.status === 'rejected') tally.unanswered.push(outcome.reason);
      else {
        tally.moved ||= outcome.value;
        tally.answered += 1;
      }
    }
  }

  /** A payment without an answer delays no other; when no payment gets an answer, the next pass is delayed. */
  #report({ failures, unanswered, answered }: Tally): void {
    const isMinor = (error: unknown): boolean => answered > 0 && isTillgateError(error, 'NODE_FAILED');
    const grave = [...failures, ...unanswered.filter((error) => !isMinor(error))];
    if (grave.length > 0) throw grave[0];
    const [first] = unanswered;
    if (first instanceof Error)
      this.#deps.logger.warn('the Lightning node did not report the state of every payment', {
        reason: first.message,
        payments: unanswered.length,
      });
  }

  /** Nobody approved it before the invoice expired: it cannot be paid any more, so the reserve is released. */
  async #expireHeld(lease: Lease, { epoch, life }: Pass, tally: Tally): Promise<void> {
    const { storage, clock, node } = this.#deps;
    for (const { payment, transfer } of await storage.lightning.heldExpired(clock.now(), PAGE)) {
      if (isFromBackup(epoch, transfer.createdAt) || isOfFormerLife(life, payment)) continue;
      try {
        // The node does not have a payment that was never started. An operator must settle one that it has.
        if ((await node.payment(payment.paymentHash)) === null)
          tally.moved = (await this.#steps.fail(lease, transfer, EXPIRED)) || tally.moved;
        else
          this.#steps.alert(
            transfer,
            'It is held, but the node has a payment of its invoice: find out which one, then settle the withdrawal.',
          );
      } catch (error) {
        tally.unanswered.push(error);
      }
    }
  }

  async #readPass(lease: Lease, tally: Tally): Promise<Pass> {
    const { storage, metrics } = this.#deps;
    const { chain } = LIGHTNING_ASSET;
    const [epoch, life] = [await storage.epochs.current(), await storage.lightning.life()];
    const caughtUpAt = (await storage.chains.state(chain))?.caughtUpAt ?? null;
    const isOpen = epochHold(epoch, caughtUpAt) !== null || nodeLifeHold(life) !== null;
    const mayPay = !isOpen && (await this.#holdsEnough(lease, { epoch, life }, tally));
    const stopped = !mayPay || (await storage.transfers.payoutStop(chain)) !== null;
    metrics.gauge('tillgate_payouts_stopped', stopped ? 1 : 0, { chain });
    return { epoch, life, stopped };
  }

  /** Also false while the balance is unknown; payments in flight are followed all the same. */
  async #holdsEnough(lease: Lease, lives: Pick<Pass, 'epoch' | 'life'>, { failures }: Tally): Promise<boolean> {
    try {
      return await this.#holdings.check(lease, lives);
    } catch (error) {
      if (isTillgateError(error, 'LEASE_LOST')) throw error;
      failures.push(error);
      return false;
    }
  }

  /** A node that may have begun again pays nothing new. */
  async #sureOfNode(lease: Lease, pass: Pass, { failures }: Tally): Promise<Pass> {
    if (pass.stopped) return pass;
    try {
      const life = await checkContinuity(this.#deps, lease);
      return { ...pass, life, stopped: nodeLifeHold(life) !== null };
    } catch (error) {
      if (!isTillgateError(error, 'NODE_FAILED')) throw error;
      failures.push(error);
      return { ...pass, stopped: true };
    }
  }

  async #advance(lease: Lease, each: UnfinishedPayment, pass: Pass): Promise<boolean> {
    const { transfer, payment } = each;
    const restored = isFromBackup(pass.epoch, transfer.createdAt);
    if (transfer.status === 'REQUESTED' && !restored) return pass.stopped ? false : this.#begin(lease, each);
    const view = await this.#deps.node.payment(payment.paymentHash);
    if (transfer.status === 'REQUESTED') {
      if (view !== null) return this.#takeOver(lease, each, view);
      return pass.stopped ? false : this.#begin(lease, each);
    }
    if (view !== null) return this.#steps.follow(lease, each, view);
    if (restored) return this.#hold(lease, each, FROM_BACKUP, pass.epoch.status === 'confirmed');
    return this.#unknown(lease, each, pass);
  }

  /** Handles a signed payment that the node does not have: it never had it, or has lost it. */
  async #unknown(lease: Lease, each: UnfinishedPayment, { stopped }: Pass): Promise<boolean> {
    const { transfer, payment } = each;
    // Checked after the payment was queried: a node that began again in between does not have what was sent to it
    // before.
    const life = await checkContinuity(this.#deps, lease);
    if (isOfFormerLife(life, { givenAt: payment.givenAt ?? transfer.createdAt }))
      return this.#hold(lease, each, FROM_FORMER_LIFE, life.status === 'confirmed');
    const now = this.#deps.clock.now();
    if (transfer.status === 'SIGNED') {
      if (payment.cancelReason !== null)
        return isWithoutEffect(payment, now) && this.#steps.fail(lease, transfer, payment.cancelReason);
      return !stopped && isToBeGiven(payment, now) && this.#steps.giveAgain(lease, each);
    }
    this.#steps.alert(
      transfer,
      'The node had this payment and has no record of it any more. Its amount stays reserved until an operator has found its outcome: "tillgate lightning confirm" holds it, so that it can be settled or rejected.',
    );
    return false;
  }

  /** Handles a payment that was sent to the node after the backup from which the database was restored. */
  async #takeOver(lease: Lease, each: UnfinishedPayment, view: LightningPaymentView): Promise<boolean> {
    if (!(await this.#steps.move(lease, each.transfer, 'SIGNED'))) return false;
    await this.#steps.follow(lease, { ...each, transfer: { ...each.transfer, status: 'SIGNED' } }, view);
    return true;
  }

  /** A node that no longer has the payment may have made it; an operator must find out. */
  async #hold(lease: Lease, { transfer }: UnfinishedPayment, reason: string, isConfirmed: boolean): Promise<boolean> {
    this.#steps.alert(transfer, reason);
    return isConfirmed && this.#steps.move(lease, transfer, 'HELD', reason);
  }

  async #begin(lease: Lease, each: UnfinishedPayment): Promise<boolean> {
    if (each.payment.expiresAt <= this.#deps.clock.now()) return this.#steps.fail(lease, each.transfer, EXPIRED);
    return this.#steps.begin(lease, each);
  }
}
