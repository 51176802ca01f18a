import { raiseAlert } from '../alerts/raise-alert.ts';
import { epochHold, isFromBackup } from '../epochs/epoch.ts';
import type { Epoch } from '../epochs/epoch.ts';
import { LIGHTNING_ASSET } from '../kernel/asset.ts';
import { isTillgateError } from '../kernel/errors.ts';
import type { TransferId } from '../kernel/ids.ts';
import type { Lease } from '../ports/lease-store.ts';
import type { UnfinishedPayment } from '../ports/lightning-store.ts';
import type { LightningPaymentView } from '../ports/lightning.ts';
import { paymentObstacle } from '../transfers/payment-obstacle.ts';
import { obtainedUnits } from '../transfers/transfer.ts';
import type { Transfer, TransferStatus } from '../transfers/transfer.ts';
import { confirmPayment, failPayment } from './finish-payment.ts';
import { requireSameNode } from './lightning-deps.ts';
import type { LightningDeps } from './lightning-deps.ts';
import { NodeHoldings } from './node-holdings.ts';

const PAGE = 200;
/** Concurrent payments or queries at the node. */
const CONCURRENCY = 8;

const FROM_BACKUP =
  'It was given to the node before the backup that was restored, and the node does not know it: find out whether it was paid, then approve or reject it.';

const EXPIRED = 'The invoice expired before it could be paid.';

/** What holds for one pass. */
interface Pass {
  readonly epoch: Epoch;
  /** Nothing new is paid. */
  readonly stopped: boolean;
  /** Why what the node holds is not known. */
  readonly failures: unknown[];
}

/**
 * Pays invoices. SIGNED is committed before the node is given a payment: after a crash the node is asked by the payment
 * hash, and is given the payment again only when it never had it. Only the node's final answer ends a payment; until then
 * the reserve stays.
 */
export class InvoicePayer {
  readonly #deps: LightningDeps;
  readonly #holdings: NodeHoldings;
  #checked = false;
  /** Payments for which this instance has raised an alert. */
  readonly #alerted = new Set<TransferId>();

  constructor(deps: LightningDeps) {
    this.#deps = deps;
    this.#holdings = new NodeHoldings(deps);
  }

  /**
   * One pass over every unfinished payment, under a held lease.
   *
   * @returns true when a payment made a step, so that there may be more to do at once
   * @throws TillgateError `LEASE_LOST`, `CHAIN_HALTED` (another node), `NODE_FAILED`; any error of the database
   */
  async step(lease: Lease): Promise<boolean> {
    const { storage } = this.#deps;
    if (!this.#checked) await requireSameNode(this.#deps);
    this.#checked = true;
    const pass = await this.#readPass(lease);
    const { failures } = pass;
    let after: TransferId | null = null;
    let moved = false;
    for (;;) {
      const page: readonly UnfinishedPayment[] = await storage.lightning.unfinished(after, PAGE);
      for (let at = 0; at < page.length; at += CONCURRENCY) {
        const outcomes = await Promise.allSettled(
          page.slice(at, at + CONCURRENCY).map((each) => this.#advance(lease, each, pass)),
        );
        for (const outcome of outcomes) {
          if (outcome.status === 'rejected') failures.push(outcome.reason);
          else moved ||= outcome.value;
        }
      }
      after = page.at(-1)?.transfer.id ?? null;
      if (page.length < PAGE) break;
    }
    moved = (await this.#expireHeld(lease, pass)) || moved;
    if (moved) this.#holdings.changed();
    // A payment whose status cannot be read does not delay the others.
    if (failures.length > 0) throw failures[0];
    return moved;
  }

  /** Nobody decided before the invoice expired: it cannot be paid any more, so the merchant gets the reserve back. */
  async #expireHeld(lease: Lease, { epoch, failures }: Pass): Promise<boolean> {
    const { storage, clock } = this.#deps;
    let moved = false;
    for (const { payment, transfer } of await storage.lightning.heldExpired(clock.now(), PAGE)) {
      if (isFromBackup(epoch, transfer.createdAt)) continue;
      try {
        // Of a payment that was never begun the node knows nothing. One that it knows is for an operator to settle.
        if ((await this.#deps.node.payment(payment.paymentHash)) === null)
          moved = (await this.#fail(lease, transfer, EXPIRED)) || moved;
        else
          this.#alert(
            transfer,
            'It is held, and the node knows a payment of its invoice: find out which, then settle it.',
          );
      } catch (error) {
        failures.push(error);
      }
    }
    return moved;
  }

  async #readPass(lease: Lease): Promise<Pass> {
    const { storage, metrics } = this.#deps;
    const { chain } = LIGHTNING_ASSET;
    const failures: unknown[] = [];
    const epoch = await storage.epochs.current();
    const caughtUpAt = (await storage.chains.state(chain))?.caughtUpAt ?? null;
    const mayPay = epochHold(epoch, caughtUpAt) === null && (await this.#holdsEnough(lease, epoch, failures));
    const stopped = !mayPay || (await storage.transfers.payoutStop(chain)) !== null;
    metrics.gauge('tillgate_payouts_stopped', stopped ? 1 : 0, { chain });
    return { epoch, stopped, failures };
  }

  /** False while it is not known as well: payments under way are followed all the same. */
  async #holdsEnough(lease: Lease, epoch: Epoch, failures: unknown[]): Promise<boolean> {
    try {
      return await this.#holdings.check(lease, epoch);
    } catch (error) {
      if (isTillgateError(error, 'LEASE_LOST')) throw error;
      failures.push(error);
      return false;
    }
  }

  async #advance(lease: Lease, each: UnfinishedPayment, { stopped, epoch }: Pass): Promise<boolean> {
    const restored = isFromBackup(epoch, each.transfer.createdAt);
    if (each.transfer.status === 'REQUESTED' && !restored) return stopped ? false : this.#begin(lease, each);
    const view = await this.#deps.node.payment(each.payment.paymentHash);
    if (each.transfer.status === 'REQUESTED') {
      if (view !== null) return this.#takeOver(lease, each, view);
      return stopped ? false : this.#begin(lease, each);
    }
    if (view !== null) return this.#follow(lease, each, view);
    if (restored) return this.#hold(lease, each, epoch);
    if (each.transfer.status === 'SIGNED') return stopped ? false : this.#send(lease, each);
    this.#alert(
      each.transfer,
      'The node had this payment and does not know it any more. Its reserve stays until an operator has found its outcome.',
    );
    return false;
  }

  /** The node was given this payment after the backup that was restored. */
  async #takeOver(lease: Lease, each: UnfinishedPayment, view: LightningPaymentView): Promise<boolean> {
    if (!(await this.#move(lease, each.transfer, 'SIGNED'))) return false;
    await this.#follow(lease, { ...each, transfer: { ...each.transfer, status: 'SIGNED' } }, view);
    return true;
  }

  /** A node that does not know the payment any more may have made it: an operator has to find out. */
  async #hold(lease: Lease, { transfer }: UnfinishedPayment, epoch: Epoch): Promise<boolean> {
    this.#alert(transfer, FROM_BACKUP);
    return epoch.status === 'confirmed' && this.#move(lease, transfer, 'HELD', FROM_BACKUP);
  }

  async #begin(lease: Lease, { transfer, payment }: UnfinishedPayment): Promise<boolean> {
    const { clock } = this.#deps;
    if (payment.expiresAt <= clock.now()) return this.#fail(lease, transfer, EXPIRED);
    const to = await this.#sign(lease, transfer);
    if (to === 'SIGNED') await this.#send(lease, { payment, transfer: { ...transfer, status: 'SIGNED' } });
    return to !== null;
  }

  /** Looks again, in the transaction that signs, whether it may be paid now; if not, it waits for an operator. */
  async #sign(lease: Lease, transfer: Transfer): Promise<'SIGNED' | 'HELD' | null> {
    const { storage, clock } = this.#deps;
    const [to, reason] = await storage.transaction(async (tx) => {
      await tx.leases.check(lease);
      const updatedAt = clock.now();
      const obstacle = await paymentObstacle(tx, transfer, updatedAt);
      const next = obstacle === null ? ('SIGNED' as const) : ('HELD' as const);
      const moved = await tx.transfers.move(transfer.id, 'REQUESTED', next, { reason: obstacle, updatedAt });
      return [moved ? next : null, obstacle] as const;
    });
    if (to !== null) this.#publish(transfer, to);
    if (to === 'HELD') raiseAlert(this.#deps, 'approval', `withdrawal ${transfer.id}`, reason ?? '');
    return to;
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
        if (view.feeMsat > transfer.maxFeeUnits)
          this.#alert(
            transfer,
            `Routing cost ${view.feeMsat} msat, more than the limit given to the node; the till pays the difference.`,
          );
        return this.#end(transfer, 'CONFIRMED', () => confirmPayment(this.#deps, lease, each, view.feeMsat));
      case 'failed':
        return this.#fail(lease, transfer, `The node could not pay: ${view.reason}`);
      case 'in-flight':
        return transfer.status === 'SIGNED' ? this.#move(lease, transfer, 'BROADCAST') : false;
    }
  }

  #fail(lease: Lease, transfer: Transfer, reason: string): Promise<boolean> {
    return this.#end(transfer, 'FAILED', () => failPayment(this.#deps, lease, transfer, reason));
  }

  async #end(transfer: Transfer, to: TransferStatus, book: () => Promise<boolean>): Promise<boolean> {
    if (!(await book())) return false;
    this.#alerted.delete(transfer.id);
    this.#publish(transfer, to);
    return true;
  }

  async #move(
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

  #publish({ id, chain, kind, status }: Transfer, to: TransferStatus): void {
    const { events, metrics } = this.#deps;
    metrics.count('tillgate_transfers_total', { chain, kind, status: to });
    events.emit('transfer.status', { transferId: id, from: status, to });
  }

  /** At most one alert for each payment and instance. */
  #alert(transfer: Transfer, reason: string): void {
    if (this.#alerted.has(transfer.id)) return;
    this.#alerted.add(transfer.id);
    raiseAlert(this.#deps, 'transfer', `withdrawal ${transfer.id} of ${obtainedUnits(transfer)} msat`, reason);
  }
}
