import { raiseAlert } from '../notify/index.ts';
import { isTillgateError } from '../kernel/index.ts';
import type { Lease, TransferId } from '../kernel/index.ts';
import type { UnfinishedPayment } from './lightning-store.ts';
import type { LightningPaymentView, LightningPayOutcome } from '../chain/index.ts';
import { paymentObstacle } from './payment-obstacle.ts';
import { obtainedUnits } from './transfer.ts';
import type { Transfer, TransferStatus } from './transfer.ts';
import { confirmPayment, failPayment, refusePayment } from './finish-payment.ts';
import type { LightningDeps } from './lightning-deps.ts';

/**
 * The steps of one payment. SIGNED is committed before the payment is sent to the node; each request is recorded before
 * it is sent, and each refusal after it. After a request without an answer the node may have the payment.
 */
export class PaymentSteps {
  readonly #deps: LightningDeps;
  /** Payments for which this instance has raised an alert. */
  readonly #alerted = new Set<TransferId>();

  constructor(deps: LightningDeps) {
    this.#deps = deps;
  }

  /** Signs a payment and sends it to the node. */
  async begin(lease: Lease, each: UnfinishedPayment): Promise<boolean> {
    const { transfer } = each;
    const to = await this.#sign(lease, transfer);
    if (to === 'SIGNED') await this.#pay(lease, { ...each, transfer: { ...transfer, status: 'SIGNED' } });
    return to !== null;
  }

  /** Sends a signed payment to the node again. */
  async giveAgain(lease: Lease, each: UnfinishedPayment): Promise<boolean> {
    const { storage, clock } = this.#deps;
    const isGiven = await storage.transaction(async (tx) => {
      await tx.leases.check(lease);
      return tx.lightning.give(each.transfer.id, clock.now());
    });
    return isGiven && this.#pay(lease, each);
  }

  /** Books the node's answer about a payment. */
  async follow(lease: Lease, each: UnfinishedPayment, view: LightningPaymentView): Promise<boolean> {
    const { transfer } = each;
    switch (view.state) {
      case 'settled':
        if (view.feeMsat > transfer.maxFeeUnits)
          this.alert(
            transfer,
            `Routing cost ${view.feeMsat} msat, more than the limit that the node was set; the till pays the difference.`,
          );
        if (view.msat !== null && view.msat !== obtainedUnits(transfer))
          this.alert(
            transfer,
            `The node had paid ${view.msat} msat under the payment hash of its invoice, so it does not pay the invoice; the account is charged no more than that.`,
          );
        return this.#end(transfer, 'CONFIRMED', () => confirmPayment(this.#deps, lease, each, view));
      case 'failed':
        return this.fail(lease, transfer, `The node could not pay: ${view.reason}`);
      case 'in-flight':
        return transfer.status === 'SIGNED' ? this.move(lease, transfer, 'BROADCAST') : false;
    }
  }

  fail(lease: Lease, transfer: Transfer, reason: string): Promise<boolean> {
    return this.#end(transfer, 'FAILED', () => failPayment(this.#deps, lease, transfer, reason));
  }

  async move(
    lease: Lease,
    transfer: Transfer,
    to: 'SIGNED' | 'BROADCAST' | 'HELD',
    reason: string | null = null,
  ): Promise<boolean> {
    const { storage, clock } = this.#deps;
    const moved = await storage.transaction(async (tx) => {
      await tx.leases.check(lease);
      return tx.transfers.move(transfer.id, transfer.status, to, { reason, updatedAt: clock.now() });
    });
    if (moved) this.#publish(transfer, to);
    return moved;
  }

  /** Raises at most one alert for each payment and instance. */
  alert(transfer: Transfer, reason: string): void {
    if (this.#alerted.has(transfer.id)) return;
    this.#alerted.add(transfer.id);
    raiseAlert(this.#deps, 'transfer', `withdrawal ${transfer.id} of ${obtainedUnits(transfer)} msat`, reason);
  }

  /** Checks again, in the transaction that signs, whether it may be paid now; otherwise it waits for an operator. */
  async #sign(lease: Lease, transfer: Transfer): Promise<'SIGNED' | 'HELD' | null> {
    const { storage, clock } = this.#deps;
    const [to, reason] = await storage.transaction(async (tx) => {
      await tx.leases.check(lease);
      const updatedAt = clock.now();
      const obstacle = await paymentObstacle(tx, transfer, updatedAt);
      const next = obstacle === null ? ('SIGNED' as const) : ('HELD' as const);
      const moved = await tx.transfers.move(transfer.id, 'REQUESTED', next, { reason: obstacle, updatedAt });
      if (moved && next === 'SIGNED') await tx.lightning.begin(transfer.id, updatedAt);
      return [moved ? next : null, obstacle] as const;
    });
    if (to !== null) this.#publish(transfer, to);
    if (to === 'HELD') raiseAlert(this.#deps, 'approval', `withdrawal ${transfer.id}`, reason ?? '');
    return to;
  }

  async #pay(lease: Lease, each: UnfinishedPayment): Promise<boolean> {
    const { paymentHash, paymentRequest, msat } = each.payment;
    const outcome = await this.#outcomeOf({ paymentHash, paymentRequest, msat, maxFeeMsat: each.transfer.maxFeeUnits });
    return outcome.state === 'refused' ? this.#refused(lease, each, outcome.reason) : this.follow(lease, each, outcome);
  }

  /** An invoice that cannot be decoded is never sent to the node, which counts as a refusal by the node. */
  async #outcomeOf(request: Parameters<LightningDeps['node']['pay']>[0]): Promise<LightningPayOutcome> {
    try {
      return await this.#deps.node.pay(request);
    } catch (error) {
      if (!isTillgateError(error, 'INVOICE_INVALID')) throw error;
      return { state: 'refused', reason: error.message };
    }
  }

  async #refused(lease: Lease, { transfer }: UnfinishedPayment, reason: string): Promise<boolean> {
    const { logger } = this.#deps;
    const answer = await refusePayment(this.#deps, lease, transfer, reason);
    logger.warn('the Lightning node refused a payment', {
      transferId: transfer.id,
      reason,
      givenUp: answer === 'failed',
    });
    return answer === 'failed' && this.#end(transfer, 'FAILED', async () => true);
  }

  async #end(transfer: Transfer, to: TransferStatus, book: () => Promise<boolean>): Promise<boolean> {
    if (!(await book())) return false;
    this.#alerted.delete(transfer.id);
    this.#publish(transfer, to);
    return true;
  }

  #publish({ id, chain, kind, status }: Transfer, to: TransferStatus): void {
    const { events, metrics } = this.#deps;
    metrics.count('tillgate_transfers_total', { chain, kind, status: to });
    events.emit('transfer.status', { transferId: id, from: status, to });
  }
}
