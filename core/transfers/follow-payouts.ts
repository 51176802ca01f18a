import { raiseAlert } from '../alerts/raise-alert.ts';
import { isFromBackup } from '../epochs/epoch.ts';
import { isTillgateError } from '../kernel/errors.ts';
import { present } from '../kernel/guard.ts';
import type { PayoutId } from '../kernel/ids.ts';
import type { BlockRef } from '../ports/block-ref.ts';
import type { PayoutOutcome } from '../ports/chain-payments.ts';
import type { Lease } from '../ports/lease-store.ts';
import type { Transaction } from '../ports/storage.ts';
import { PayoutBuilder } from './build-payout.ts';
import { finishMined, holdPayout, voidPayout } from './finish-payout.ts';
import type { FinishContext, Finished } from './finish-payout.ts';
import { publishTransfer } from './payout-deps.ts';
import type { PayingChain, PayoutDeps } from './payout-deps.ts';
import type { Attempt, PayoutView } from './transfer.ts';

const PAGE = 100;
/** A payout that could not be followed so often in a row raises an alert; a node's short absence does not. */
const FAILURES_BEFORE_ALERT = 3;
/** Concurrent requests about payouts to the node. */
const CONCURRENCY = 8;
/** The fee may be raised to this multiple of the first one; beyond that an operator is alerted. */
const MAX_FEE_INCREASE = 5n;

const FROM_BACKUP =
  'It was signed before the backup that was restored, and has expired: find out whether it was paid since, then approve or reject it.';

/** A payout whose attempt a node has accepted. */
interface Sent {
  readonly view: PayoutView;
  readonly attempt: Attempt;
}

type Mined = Extract<PayoutOutcome, { kind: 'mined' }>;
type Conflicted = Extract<PayoutOutcome, { kind: 'conflicted' }>;

/**
 * Broadcasts signed payouts and follows them to their end: broadcasts the same bytes again while no node has them, raises
 * the fee of one that stays unmined, books what is final, and releases a reserve only when no attempt can ever be mined.
 */
export class FollowPayouts {
  readonly #chain: PayingChain;
  readonly #deps: PayoutDeps;
  readonly #builder: PayoutBuilder;
  /** Payouts with the reason of their last alert, so that each alert is raised once. */
  readonly #alerted = new Map<PayoutId, string>();
  /** How often in a row a payout could not be followed. */
  readonly #failures = new Map<PayoutId, number>();
  /** Signed, and not accepted by a node yet. */
  #unsent: readonly PayoutView[] = [];
  #followed: BlockRef | null = null;

  constructor(chain: PayingChain, deps: PayoutDeps) {
    this.#chain = chain;
    this.#deps = deps;
    this.#builder = new PayoutBuilder(chain, deps);
  }

  /**
   * One pass: every live payout with each new block, and until all of them could be followed; between blocks only what could
   * not be broadcast.
   *
   * @throws TillgateError `LEASE_LOST`; any error of the database in reading what is live
   */
  async run(lease: Lease, cursor: BlockRef): Promise<void> {
    if (this.#followed?.hash === cursor.hash) return this.send(lease, this.#unsent);
    const { transfers } = this.#deps.storage;
    this.#unsent = [];
    const again = await this.#eachOf(
      (after) => transfers.unminedPayouts(this.#chain.code, after, PAGE),
      (view) => this.#mineAgain(lease, view),
    );
    const live = await this.#eachOf(
      (after) => transfers.livePayouts(this.#chain.code, after, PAGE),
      (view) => this.#follow(lease, view),
    );
    if (again && live) this.#followed = cursor;
  }

  /** Broadcasts newly signed payouts in the order of signing. */
  async send(lease: Lease, views: readonly PayoutView[]): Promise<void> {
    const sent: Sent[] = [];
    const unsent: PayoutView[] = [];
    for (const view of views) {
      const attempt = latest(view.attempts);
      if (await this.#broadcast(attempt)) sent.push({ view, attempt });
      else unsent.push(view);
    }
    // A payout that was broadcast and not recorded as sent is only queried once more than needed.
    await this.#noteSent(lease, sent);
    this.#unsent = unsent;
  }

  /** @returns true when none failed */
  async #eachOf(
    read: (after: PayoutId | null) => Promise<readonly PayoutView[]>,
    work: (view: PayoutView) => Promise<void>,
  ): Promise<boolean> {
    let after: PayoutId | null = null;
    let complete = true;
    for (;;) {
      const page: readonly PayoutView[] = await read(after);
      if (!(await this.#each(page, work))) complete = false;
      after = page.at(-1)?.payout.id ?? null;
      if (page.length < PAGE) return complete;
    }
  }

  /**
   * One payout's failure stops neither the others nor what is to be signed; only a lost lease ends the pass.
   *
   * @returns true when none failed
   */
  async #each(views: readonly PayoutView[], work: (view: PayoutView) => Promise<void>): Promise<boolean> {
    const queue = [...views];
    const lost: unknown[] = [];
    let complete = true;
    const worker = async (): Promise<void> => {
      for (let view = queue.shift(); view !== undefined && lost.length === 0; view = queue.shift()) {
        try {
          await work(view);
          this.#failures.delete(view.payout.id);
        } catch (error) {
          complete = false;
          if (isTillgateError(error, 'LEASE_LOST')) lost.push(error);
          else this.#noteFailure(view, error);
        }
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, worker));
    if (lost.length > 0) throw lost[0];
    return complete;
  }

  #noteFailure(view: PayoutView, error: unknown): void {
    const { id } = view.payout;
    const failures = (this.#failures.get(id) ?? 0) + 1;
    this.#failures.set(id, failures);
    const reason = error instanceof Error ? error.message : 'unknown';
    this.#deps.logger.warn('a payout could not be followed, retrying', { payout: id, failures, reason });
    if (failures >= FAILURES_BEFORE_ALERT)
      this.#alert(view, 'Its outcome cannot be read; the log has the reason. Other payments go on.');
  }

  async #follow(lease: Lease, view: PayoutView): Promise<void> {
    const { payout } = view;
    if (payout.sentAt === null && (await this.#send(lease, view))) return;
    const outcome = await this.#outcome(view);
    switch (outcome.kind) {
      case 'pending':
        await this.#noteSent(lease, [{ view, attempt: latest(view.attempts) }]);
        return this.#raiseWhenSlow(lease, view);
      case 'missing':
        await this.#sendAgain(lease, view);
        return this.#raiseWhenSlow(lease, view);
      case 'mined':
        return this.#mined(lease, view, outcome);
      case 'expired':
        return this.#signAgain(lease, view);
      case 'conflicted':
        return this.#conflicted(lease, view, outcome);
      case 'unclear':
        this.#alert(view, outcome.reason);
    }
  }

  async #outcome({ payout, attempts }: PayoutView): Promise<PayoutOutcome> {
    const { payments } = this.#chain;
    const coins =
      payments.model === 'utxo' ? (await this.#deps.storage.transfers.coinsOf(payout.id)).map(({ ref }) => ref) : [];
    return payments.outcome({
      source: { address: payout.sourceAddress, index: payout.sourceIndex },
      nonce: payout.nonce,
      coins,
      attempts,
    });
  }

  async #send(lease: Lease, view: PayoutView, attempt = latest(view.attempts)): Promise<boolean> {
    if (!(await this.#broadcast(attempt))) return false;
    await this.#noteSent(lease, [{ view, attempt }]);
    return true;
  }

  /**
   * Broadcasts the last attempt, or an earlier one when the node refuses it: its fee may exceed the address's balance by
   * now. Earlier ones only where attempts exclude each other by nonce or coins.
   */
  async #sendAgain(lease: Lease, view: PayoutView): Promise<void> {
    const exclusive = view.payout.nonce !== null || this.#chain.payments.model === 'utxo';
    for (const attempt of exclusive ? view.attempts.toReversed() : [latest(view.attempts)]) {
      if (await this.#send(lease, view, attempt)) return;
    }
  }

  /** Broadcasts the bytes; neither a refusal nor a lost reply decides the outcome. */
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

  /** Records all in one database transaction, so other writers wait once. */
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

  async #mined(lease: Lease, view: PayoutView, outcome: Mined): Promise<void> {
    const { storage } = this.#deps;
    const { payout } = view;
    if (outcome.confirmations >= this.#chain.policy.spendableConfirmations) {
      await this.#finish(lease, (tx, context) => finishMined(tx, view, outcome, context));
      return;
    }
    if (payout.minedTxid === outcome.txid && payout.minedHeight === outcome.block.height) return;
    await storage.transaction(async (tx) => {
      await tx.leases.check(lease);
      await tx.transfers.updatePayout(payout.id, { minedTxid: outcome.txid, minedHeight: outcome.block.height });
    });
  }

  /**
   * A rival transaction that pays the same is the payment, and is followed as such. Any other means that somebody else signs
   * with the till's keys, or that a backup was restored: payouts stop. The payout is voided only once the rival is final, and
   * never while it pays one of the same receivers.
   */
  async #conflicted(lease: Lease, view: PayoutView, outcome: Conflicted): Promise<void> {
    const { txid, confirmations, rival } = outcome;
    if (rival?.pays === 'same') return this.#adopt(lease, view, { txid, ...rival.attempt });
    const reason =
      rival === undefined
        ? `Its nonce or coins were used by the transaction ${txid}, which this till did not make for it.`
        : `Its nonce or coins were used by the transaction ${txid}, which pays its receiver another amount: find out whether that was this payment.`;
    await this.#stopPayouts(view, reason);
    this.#alert(view, reason);
    if (rival !== undefined || confirmations < this.#chain.policy.finalityBlocks) return;
    await this.#finish(lease, (tx, context) => voidPayout(tx, view, reason, context));
  }

  /** Adds a rival that pays the same to the payout's attempts: it was signed after the backup that this database comes from. */
  async #adopt(
    lease: Lease,
    view: PayoutView,
    rival: Pick<Attempt, 'txid' | 'raw' | 'feeUnits' | 'terms'>,
  ): Promise<void> {
    const { storage, clock } = this.#deps;
    const { payout, attempts } = view;
    const number = attempts.length + 1;
    const attempt: Attempt = { ...rival, payoutId: payout.id, number, expiresAt: null, createdAt: clock.now() };
    const added = await storage.transaction(async (tx) => {
      await tx.leases.check(lease);
      if ((await tx.transfers.lockPayout(payout.id))?.status !== 'LIVE') return false;
      await tx.transfers.addAttempt(attempt);
      return true;
    });
    if (!added) return;
    this.#alert(
      view,
      `The transaction ${rival.txid}, which this database did not know, has paid it. Was a backup restored?`,
    );
    await this.#follow(lease, { ...view, attempts: [...attempts, attempt] });
  }

  async #stopPayouts({ payout }: PayoutView, reason: string): Promise<void> {
    const { transfers } = this.#deps.storage;
    const { code } = this.#chain;
    if (this.#alerted.get(payout.id) === reason || (await transfers.payoutStop(code)) !== null) return;
    const stop = `The keys of ${code} were used outside this till: ${reason} Find out why, then resume payouts.`;
    await transfers.setPayoutStop(code, stop);
    raiseAlert(this.#deps, 'payouts-stopped', `chain ${code}`, stop);
  }

  async #finish(lease: Lease, book: (tx: Transaction, context: FinishContext) => Promise<Finished>): Promise<void> {
    const { storage, stateMachine, ids, clock } = this.#deps;
    const { payments } = this.#chain;
    const { transfers, orders } = await storage.transaction(async (tx) => {
      await tx.leases.check(lease);
      return book(tx, { payments, stateMachine, ids, now: clock.now() });
    });
    for (const { transfer, to } of transfers) {
      if (transfer.payoutId !== null) this.#alerted.delete(transfer.payoutId);
      publishTransfer(this.#deps, transfer, 'BROADCAST', to);
      if (to === 'FAILED')
        raiseAlert(this.#deps, 'transfer', `transfer ${transfer.id}`, transfer.reason ?? 'It failed.');
    }
    stateMachine.publish(orders);
  }

  async #raiseWhenSlow(lease: Lease, view: PayoutView): Promise<void> {
    const { bumpAfterMs } = this.#chain.payments;
    const last = latest(view.attempts);
    if (bumpAfterMs === null || this.#deps.clock.now() - last.createdAt < bumpAfterMs) return;
    await this.#addAttempt(lease, view, last);
  }

  /**
   * No attempt can ever be mined: the same transfers are signed again. Those of a restored backup may have been signed again
   * since by the till that was lost, so they wait for an operator.
   */
  async #signAgain(lease: Lease, view: PayoutView): Promise<void> {
    const epoch = await this.#deps.storage.epochs.current();
    if (isFromBackup(epoch, view.payout.createdAt)) {
      this.#alert(view, FROM_BACKUP);
      if (epoch.status === 'confirmed')
        await this.#finish(lease, (tx, context) => holdPayout(tx, view, FROM_BACKUP, context));
      return;
    }
    await this.#addAttempt(lease, view, null);
  }

  async #addAttempt(lease: Lease, view: PayoutView, replaced: Attempt | null): Promise<void> {
    const { storage, clock, logger } = this.#deps;
    const { payout, attempts, transfers } = view;
    const coins = await storage.transfers.coinsOf(payout.id);
    const source = { address: payout.sourceAddress, index: payout.sourceIndex };
    const replaces = replaced === null ? null : { ...replaced, change: null };
    let signed;
    try {
      signed = await this.#builder.again(transfers, { source, coins, replaces }, payout.nonce);
    } catch (error) {
      logger.warn('a replacement could not be signed yet, retrying', {
        payout: payout.id,
        reason: error instanceof Error ? error.message : 'unknown',
      });
      return;
    }
    const first = present(attempts[0], `attempts of payout ${payout.id}`);
    if (signed.feeUnits > first.feeUnits * MAX_FEE_INCREASE) {
      this.#alert(view, 'It is still unmined after its fee was raised to the maximum.');
      return;
    }
    const attempt = { ...signed, payoutId: payout.id, number: attempts.length + 1, createdAt: clock.now() };
    const added = await storage.transaction(async (tx) => {
      await tx.leases.check(lease);
      if ((await tx.transfers.lockPayout(payout.id))?.status !== 'LIVE') return false;
      await tx.transfers.addAttempt(attempt);
      return true;
    });
    if (added) await this.#send(lease, view, attempt);
  }

  /**
   * Broadcasts a payout that a reorganisation removed from its block until it is final again: the same bytes, so it is paid
   * once. The ledger stays as booked; an alert is raised where the chain now disagrees.
   */
  async #mineAgain(lease: Lease, view: PayoutView): Promise<void> {
    const { storage, logger } = this.#deps;
    const { payout, attempts } = view;
    const outcome = await this.#outcome(view);
    if (outcome.kind === 'missing') {
      logger.warn('a reorganisation removed a payout from its block, broadcasting again', { payout: payout.id });
      await this.#send(lease, view, attempts.find(({ txid }) => txid === payout.minedTxid) ?? latest(attempts));
      return;
    }
    if (
      outcome.kind === 'pending' ||
      (outcome.kind === 'mined' && outcome.confirmations < this.#chain.policy.spendableConfirmations)
    )
      return;
    const wasPaid = view.transfers.some(({ status }) => status === 'CONFIRMED');
    if (outcome.kind !== 'mined' || outcome.txid !== payout.minedTxid || outcome.succeeded !== wasPaid) {
      this.#alert(
        view,
        `It was booked as ${wasPaid ? 'paid' : 'not paid, and given back'}; a reorganisation has put something else in its place.`,
      );
    }
    if (outcome.kind !== 'mined') return;
    await storage.transaction(async (tx) => {
      await tx.leases.check(lease);
      if (await tx.chains.holds(this.#chain.code, outcome.block))
        await tx.transfers.updatePayout(payout.id, { minedHeight: outcome.block.height });
    });
  }

  #alert({ payout, transfers }: PayoutView, reason: string): void {
    if (this.#alerted.get(payout.id) === reason) return;
    this.#alerted.set(payout.id, reason);
    for (const { id } of transfers) raiseAlert(this.#deps, 'transfer', `transfer ${id}`, reason);
  }
}

function latest(attempts: readonly Attempt[]): Attempt {
  return present(attempts.at(-1), 'attempts of a payout');
}
