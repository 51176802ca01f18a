import { present } from '../kernel/index.ts';
import type { Lease } from '../kernel/index.ts';
import { hasLapsed } from './charge-fees.ts';
import { publishTransfer } from './payout-deps.ts';
import type { PayingChain, PayoutDeps } from './payout-deps.ts';
import type { Attempt, PayoutView } from './transfer.ts';

/** A payout whose attempt a node has accepted. */
interface Sent {
  readonly view: PayoutView;
  readonly attempt: Attempt;
}

/** Sends signed bytes to the node and records that; neither a refusal nor a lost reply decides an outcome. */
export class PayoutSender {
  readonly #chain: PayingChain;
  readonly #deps: PayoutDeps;

  constructor(chain: PayingChain, deps: PayoutDeps) {
    this.#chain = chain;
    this.#deps = deps;
  }

  /** Broadcasts the last attempt of each payout, in order. @returns the payouts that no node has accepted */
  async sendAll(lease: Lease, views: readonly PayoutView[]): Promise<readonly PayoutView[]> {
    const sent: Sent[] = [];
    const unsent: PayoutView[] = [];
    for (const view of views) {
      const attempt = latestAttempt(view);
      if (!this.#hasLapsed(view) && (await this.#broadcast(attempt))) sent.push({ view, attempt });
      else unsent.push(view);
    }
    // A payout that was broadcast and not recorded as sent only costs an additional query.
    await this.#noteSent(lease, sent);
    return unsent;
  }

  /** Sends a payout that was never sent. @returns false when no node has it, or it has lapsed */
  async sendFirst(lease: Lease, view: PayoutView): Promise<boolean> {
    return !this.#hasLapsed(view) && this.send(lease, view);
  }

  async send(lease: Lease, view: PayoutView, attempt = latestAttempt(view)): Promise<boolean> {
    if (!(await this.#broadcast(attempt))) return false;
    await this.#noteSent(lease, [{ view, attempt }]);
    return true;
  }

  /**
   * Broadcasts the last attempt, or an earlier one when the node refuses it, because its fee may exceed the address's
   * balance by now. Earlier ones are sent only where attempts exclude each other by nonce or coins. For a payout to
   * cancel, only its cancels are sent.
   */
  async sendAgain(lease: Lease, view: PayoutView): Promise<void> {
    const { payout, attempts } = view;
    if (this.#hasLapsed(view)) return;
    const wanted = payout.cancelReason === null ? attempts : attempts.filter(({ kind }) => kind === 'cancel');
    const exclusive = payout.nonce !== null || this.#chain.payments.model === 'utxo';
    for (const attempt of exclusive ? wanted.toReversed() : wanted.slice(-1)) {
      if (await this.send(lease, view, attempt)) return;
    }
  }

  /** Records that a node has the last attempt. */
  noteKnown(lease: Lease, view: PayoutView): Promise<void> {
    return this.#noteSent(lease, [{ view, attempt: latestAttempt(view) }]);
  }

  /** True for a payout that is not cancelled yet and whose authorization can only be reverted. */
  #hasLapsed({ payout, transfers }: PayoutView): boolean {
    return payout.cancelReason === null && hasLapsed(transfers, this.#deps.clock.now());
  }

  async #broadcast(attempt: Attempt): Promise<boolean> {
    try {
      await this.#chain.payments.broadcast(attempt);
      return true;
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown';
      this.#deps.logger.warn('broadcast failed, retrying', { chain: this.#chain.code, txid: attempt.txid, reason });
      return false;
    }
  }

  /** Records all in one database transaction, so that other writers wait once. */
  async #noteSent(lease: Lease, sent: readonly Sent[]): Promise<void> {
    const { storage, clock } = this.#deps;
    const withSigned = sent.map((each) => ({
      ...each,
      signed: each.view.transfers.filter(({ status }) => status === 'SIGNED'),
    }));
    const unrecorded = withSigned.filter(({ view, signed }) => signed.length > 0 || view.payout.sentAt === null);
    if (unrecorded.length === 0) return;
    const now = clock.now();
    await storage.transaction(async (tx) => {
      await tx.leases.check(lease);
      for (const { view, attempt, signed } of unrecorded) {
        await tx.transfers.updatePayout(view.payout.id, { sentAt: now });
        for (const { id, accountId } of signed) {
          const moved = await tx.transfers.move(id, 'SIGNED', 'BROADCAST', { updatedAt: now });
          if (moved && accountId !== null) await tx.deposits.updateTransaction(id, { txHash: attempt.txid });
        }
      }
    });
    for (const { signed } of unrecorded)
      for (const transfer of signed) publishTransfer(this.#deps, transfer, 'SIGNED', 'BROADCAST');
  }
}

/** The newest attempt, whose fee is the highest. */
export function latestAttempt({ attempts, payout }: Pick<PayoutView, 'attempts' | 'payout'>): Attempt {
  return present(attempts.at(-1), `attempts of payout ${payout.id}`);
}
