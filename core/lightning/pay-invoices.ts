import { raiseAlert } from '../alerts/raise-alert.ts';
import { LIGHTNING_ASSET } from '../kernel/asset.ts';
import type { TransferId } from '../kernel/ids.ts';
import type { Lease } from '../ports/lease-store.ts';
import type { UnfinishedPayment } from '../ports/lightning-store.ts';
import type { LightningPaymentView } from '../ports/lightning.ts';
import { obtainedUnits } from '../transfers/transfer.ts';
import type { Transfer, TransferStatus } from '../transfers/transfer.ts';
import { confirmPayment, failPayment } from './finish-payment.ts';
import { requireSameNode } from './lightning-deps.ts';
import type { LightningDeps } from './lightning-deps.ts';

const PAGE = 200;
/** Payments given to the node, or asked for, at once. */
const AT_ONCE = 8;

/**
 * Pays invoices. Before the node hears of a payment, SIGNED is committed: whoever finds it so after a crash asks the node
 * by the payment hash, and only a node that never heard of it is given it, again under the same hash. Only the node's
 * word ends a payment: the reserve stays for as long as that takes.
 */
export class InvoicePayer {
  readonly #deps: LightningDeps;
  #checked = false;
  /** Payments that a person was told of, by this instance. */
  readonly #told = new Set<TransferId>();

  constructor(deps: LightningDeps) {
    this.#deps = deps;
  }

  /**
   * One look at every payment that is not finished, under a held lease.
   *
   * @returns true when a payment made a step, so that there may be more to do at once
   * @throws TillgateError `LEASE_LOST`, `CHAIN_HALTED` (another node), `NODE_FAILED`; any error of the database
   */
  async step(lease: Lease): Promise<boolean> {
    const { storage } = this.#deps;
    if (!this.#checked) await requireSameNode(this.#deps);
    this.#checked = true;
    const stopped = (await storage.transfers.payoutStop(LIGHTNING_ASSET.chain)) !== null;
    let after: TransferId | null = null;
    let moved = false;
    const failures: unknown[] = [];
    for (;;) {
      const page: readonly UnfinishedPayment[] = await storage.lightning.unfinished(after, PAGE);
      for (let at = 0; at < page.length; at += AT_ONCE) {
        const outcomes = await Promise.allSettled(page.slice(at, at + AT_ONCE).map((each) => this.#advance(lease, each, stopped)));
        for (const outcome of outcomes) {
          if (outcome.status === 'rejected') failures.push(outcome.reason);
          else moved ||= outcome.value;
        }
      }
      after = page.at(-1)?.transfer.id ?? null;
      if (page.length < PAGE) break;
    }
    // One that cannot be asked for keeps none of the others waiting.
    if (failures.length > 0) throw failures[0];
    return moved;
  }

  async #advance(lease: Lease, each: UnfinishedPayment, stopped: boolean): Promise<boolean> {
    if (each.transfer.status === 'REQUESTED') return stopped ? false : this.#begin(lease, each);
    const view = await this.#deps.node.payment(each.payment.paymentHash);
    if (view !== null) return this.#follow(lease, each, view);
    if (each.transfer.status === 'SIGNED') return stopped ? false : this.#send(lease, each);
    this.#tell(each.transfer, 'The node had this payment and knows nothing of it any more. Its reserve stays until somebody finds out what became of it.');
    return false;
  }

  async #begin(lease: Lease, { transfer, payment }: UnfinishedPayment): Promise<boolean> {
    const { clock } = this.#deps;
    if (payment.expiresAt <= clock.now()) {
      return this.#end(transfer, 'FAILED', () => failPayment(this.#deps, lease, transfer, 'The invoice expired before it could be paid.'));
    }
    if (!(await this.#move(lease, transfer, 'SIGNED'))) return false;
    await this.#send(lease, { payment, transfer: { ...transfer, status: 'SIGNED' } });
    return true;
  }

  async #send(lease: Lease, { transfer, payment }: UnfinishedPayment): Promise<boolean> {
    const { paymentHash, paymentRequest, msat } = payment;
    const view = await this.#deps.node.pay({ paymentHash, paymentRequest, msat, maxFeeMsat: transfer.maxFeeUnits });
    return this.#follow(lease, { transfer, payment }, view);
  }

  async #follow(lease: Lease, each: UnfinishedPayment, view: LightningPaymentView): Promise<boolean> {
    const { transfer } = each;
    switch (view.state) {
      case 'settled':
        if (view.feeMsat > transfer.maxFeeUnits) this.#tell(transfer, `Routing cost ${view.feeMsat} msat, more than the limit that the node was given; the till bears the difference.`);
        return this.#end(transfer, 'CONFIRMED', () => confirmPayment(this.#deps, lease, each, view.feeMsat));
      case 'failed':
        return this.#end(transfer, 'FAILED', () => failPayment(this.#deps, lease, transfer, `The node could not pay: ${view.reason}`));
      case 'in-flight':
        return transfer.status === 'SIGNED' ? this.#move(lease, transfer, 'BROADCAST') : false;
    }
  }

  async #end(transfer: Transfer, to: TransferStatus, book: () => Promise<boolean>): Promise<boolean> {
    if (!(await book())) return false;
    this.#told.delete(transfer.id);
    this.#announce(transfer, to);
    return true;
  }

  async #move(lease: Lease, transfer: Transfer, to: 'SIGNED' | 'BROADCAST'): Promise<boolean> {
    const { storage, clock } = this.#deps;
    const moved = await storage.transaction(async (tx) => {
      await tx.leases.check(lease);
      return tx.transfers.move(transfer.id, transfer.status, to, { updatedAt: clock.now() });
    });
    if (moved) this.#announce(transfer, to);
    return moved;
  }

  #announce({ id, chain, kind, status }: Transfer, to: TransferStatus): void {
    const { events, metrics } = this.#deps;
    metrics.count('tillgate_transfers_total', { chain, kind, status: to });
    events.emit('transfer.status', { transferId: id, from: status, to });
  }

  /** Once for each payment and instance. */
  #tell(transfer: Transfer, reason: string): void {
    if (this.#told.has(transfer.id)) return;
    this.#told.add(transfer.id);
    raiseAlert(this.#deps, 'transfer', `withdrawal ${transfer.id} of ${obtainedUnits(transfer)} msat`, reason);
  }
}
