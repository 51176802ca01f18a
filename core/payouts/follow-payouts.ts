import { raiseAlert } from '../notify/index.ts';
import { isFromBackup } from './epoch.ts';
import { isTillgateError } from '../kernel/index.ts';
import type { BlockRef, Lease, PayoutId, Transaction } from '../kernel/index.ts';
import type { PayoutOutcome } from '../chain/index.ts';
import { finishMined, holdPayout, isCancel, voidPayout } from './finish-payout.ts';
import type { FinishContext, Finished } from './finish-payout.ts';
import { publishTransfer } from './payout-deps.ts';
import type { PayingChain, PayoutDeps } from './payout-deps.ts';
import { payoutOutcome } from './payout-outcome.ts';
import { PayoutReplacer } from './replace-payouts.ts';
import type { AlertPayout } from './replace-payouts.ts';
import { PayoutSender } from './send-payouts.ts';
import type { ReplacementSettings } from './payout-settings.ts';
import { stopPayouts } from './payout-stop.ts';
import type { Attempt, PayoutView } from './transfer.ts';

const PAGE = 100;
/** Consecutive failures to follow a payout that raise an alert, so that a short outage of a node raises none. */
const FAILURES_BEFORE_ALERT = 3;
/** Concurrent node requests about payouts. */
const CONCURRENCY = 8;

const FROM_BACKUP =
  'It was signed before the backup that was restored, and has expired: find out whether it was paid since, then approve or reject it.';

const SETTLE = '. Find out what its receiver got, and book that by "withdrawal settle".';

type Mined = Extract<PayoutOutcome, { kind: 'mined' }>;
type Conflicted = Extract<PayoutOutcome, { kind: 'conflicted' }>;

/**
 * Broadcasts signed payouts and follows them to their end: broadcasts the same bytes again while no node has them,
 * raises the fee of one that stays unmined, books what is final, and releases a reserve only when no attempt can ever
 * be mined.
 */
export class FollowPayouts {
  readonly #chain: PayingChain;
  readonly #deps: PayoutDeps;
  readonly #sender: PayoutSender;
  readonly #replacer: PayoutReplacer;
  /** Payouts with the reason of their last alert, so that each alert is raised once. */
  readonly #alerted = new Map<PayoutId, string>();
  /** Consecutive failures to follow each payout. */
  readonly #failures = new Map<PayoutId, number>();
  /** Signed payouts that no node has accepted yet. */
  #unsent: readonly PayoutView[] = [];
  #followed: BlockRef | null = null;

  constructor(chain: PayingChain, deps: PayoutDeps, settings: ReplacementSettings) {
    this.#chain = chain;
    this.#deps = deps;
    this.#sender = new PayoutSender(chain, deps);
    const alert: AlertPayout = (view, reason) => this.#alert(view, reason);
    this.#replacer = new PayoutReplacer(chain, deps, { settings, sender: this.#sender, alert });
  }

  /**
   * Makes one pass: every live payout with each new block, until all of them could be followed; between blocks only
   * those that could not be broadcast.
   *
   * @returns true when a payout was signed again, so that the till's coins must be read again
   * @throws TillgateError `LEASE_LOST`; any error of the database in reading the live payouts
   */
  async run(lease: Lease, cursor: BlockRef): Promise<boolean> {
    if (this.#followed?.hash === cursor.hash) {
      await this.send(lease, this.#unsent);
      return false;
    }
    const { replaced } = this.#replacer;
    const { transfers } = this.#deps.storage;
    this.#unsent = [];
    const again = await this.#eachOf(
      (after) => transfers.unminedPayouts(this.#chain.code, after, PAGE),
      (view) => this.#mineAgain(lease, view),
    );
    const first = new FirstInLine();
    const live = await this.#eachOf(
      async (after) => first.note(await transfers.livePayouts(this.#chain.code, after, PAGE)),
      (view) => this.#follow(lease, view, first.is(view)),
    );
    if (again && live) this.#followed = cursor;
    return this.#replacer.replaced > replaced;
  }

  /** Broadcasts newly signed payouts in the order of signing. */
  async send(lease: Lease, views: readonly PayoutView[]): Promise<void> {
    this.#unsent = await this.#sender.sendAll(lease, views);
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
   * A failure of one payout affects neither the others nor what is to be signed; only a lost lease ends the pass.
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
      this.#alert(view, 'Its outcome cannot be read; the log has the reason. Other payments continue.');
  }

  async #follow(lease: Lease, view: PayoutView, isFirst: boolean): Promise<void> {
    const { payout } = view;
    if (payout.sentAt === null && (await this.#sender.sendFirst(lease, view))) return;
    const outcome = await this.#outcome(view);
    switch (outcome.kind) {
      case 'pending':
        await this.#sender.noteKnown(lease, view);
        return this.#replacer.unmined(lease, view, { isFirst, isMissing: false });
      case 'missing':
        await this.#sender.sendAgain(lease, view);
        return this.#replacer.unmined(lease, view, { isFirst, isMissing: true });
      case 'mined':
        return this.#mined(lease, view, outcome);
      case 'expired':
        return this.#expired(lease, view);
      case 'conflicted':
        return this.#conflicted(lease, view, outcome, isFirst);
      case 'unclear':
        this.#alert(view, outcome.mined === undefined ? outcome.reason : `${outcome.reason}${SETTLE}`);
    }
  }

  #outcome(view: PayoutView): Promise<PayoutOutcome> {
    return payoutOutcome(this.#chain, this.#deps.storage, view);
  }

  async #mined(lease: Lease, view: PayoutView, outcome: Mined): Promise<void> {
    const { storage } = this.#deps;
    const { payout } = view;
    const { spendableConfirmations, finalityBlocks } = this.#chain.policy;
    // A cancel releases the reserve, so it needs the confirmations of a conflicting transaction.
    if (outcome.confirmations >= (isCancel(view, outcome) ? finalityBlocks : spendableConfirmations)) {
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
   * No attempt can ever be mined, so the same transfers are signed again. Those of a restored backup wait for an
   * operator, because the lost till may have signed them again since.
   */
  async #expired(lease: Lease, view: PayoutView): Promise<void> {
    const epoch = await this.#deps.storage.epochs.current();
    if (isFromBackup(epoch, view.payout.createdAt)) {
      this.#alert(view, FROM_BACKUP);
      if (epoch.status === 'confirmed')
        await this.#finish(lease, (tx, context) => holdPayout(tx, view, FROM_BACKUP, context));
      return;
    }
    const reason = await this.#replacer.expired(lease, view);
    if (reason === null) return;
    await this.#finish(lease, (tx, context) => voidPayout(tx, view, { reason, holdings: 'FREE' }, context));
  }

  /**
   * A rival transaction that pays the same is the payment, and is followed as such. Any other one means that another
   * program signs with the till's keys, or that a backup was restored: payouts stop. The payout is voided only once the
   * rival is final, and never while it pays one of the same receivers.
   */
  async #conflicted(lease: Lease, view: PayoutView, outcome: Conflicted, isFirst: boolean): Promise<void> {
    const { txid, confirmations, rival } = outcome;
    if (rival?.pays === 'same') return this.#adopt(lease, view, { txid, ...rival.attempt }, isFirst);
    const reason =
      rival === undefined
        ? `Its nonce or coins were used by the transaction ${txid}, which this till did not make for it.`
        : `Its nonce or coins were used by the transaction ${txid}, which pays its receiver another amount: find out whether that was this payment.`;
    await this.#stopPayouts(view, reason);
    this.#alert(view, reason);
    if (rival !== undefined || confirmations < this.#chain.policy.finalityBlocks) return;
    await this.#finish(lease, (tx, context) => voidPayout(tx, view, { reason, holdings: 'SPENT' }, context));
  }

  /**
   * Adds a transaction that makes the same payment to the payout's attempts: the till signed it after the restored
   * backup was made.
   */
  async #adopt(
    lease: Lease,
    view: PayoutView,
    rival: Pick<Attempt, 'txid' | 'raw' | 'feeUnits' | 'terms'>,
    isFirst: boolean,
  ): Promise<void> {
    const { storage, clock } = this.#deps;
    const { payout, attempts } = view;
    const number = attempts.length + 1;
    const attempt: Attempt = {
      ...{ ...rival, payoutId: payout.id, number, kind: 'payment' },
      ...{ expiresAt: null, createdAt: clock.now() },
    };
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
    await this.#follow(lease, { ...view, attempts: [...attempts, attempt] }, isFirst);
  }

  async #stopPayouts({ payout }: PayoutView, reason: string): Promise<void> {
    const { transfers } = this.#deps.storage;
    const { code } = this.#chain;
    if (this.#alerted.get(payout.id) === reason || (await transfers.payoutStop(code)) !== null) return;
    const stop = `The keys of ${code} were used outside this till: ${reason} Find out why, then resume payouts.`;
    await stopPayouts(this.#deps, code, stop);
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

  /**
   * Broadcasts a payout that a reorganisation removed until it is final again. It sends the same bytes, so it is paid
   * once. The ledger stays as booked; an alert is raised when the chain now disagrees.
   */
  async #mineAgain(lease: Lease, view: PayoutView): Promise<void> {
    const { storage, logger } = this.#deps;
    const { payout, attempts } = view;
    const outcome = await this.#outcome(view);
    if (outcome.kind === 'missing') {
      logger.warn('a reorganisation removed a payout from its block, broadcasting again', { payout: payout.id });
      await this.#sender.send(
        lease,
        view,
        attempts.find(({ txid }) => txid === payout.minedTxid),
      );
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

/** The first unmined payout of each address by nonce; one without a nonce waits for no other. */
class FirstInLine {
  readonly #nonces = new Map<string, number>();

  note(views: readonly PayoutView[]): readonly PayoutView[] {
    for (const { payout } of views) {
      const known = this.#nonces.get(payout.sourceAddress) ?? Infinity;
      if (payout.nonce !== null && payout.nonce < known) this.#nonces.set(payout.sourceAddress, payout.nonce);
    }
    return views;
  }

  is({ payout }: PayoutView): boolean {
    return payout.nonce === null || payout.nonce === this.#nonces.get(payout.sourceAddress);
  }
}
