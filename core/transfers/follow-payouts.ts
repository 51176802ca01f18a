import { raiseAlert } from '../alerts/raise-alert.ts';
import { present } from '../kernel/guard.ts';
import type { PayoutId } from '../kernel/ids.ts';
import type { BlockRef } from '../ports/block-ref.ts';
import type { PayoutOutcome } from '../ports/chain-payments.ts';
import type { Lease } from '../ports/lease-store.ts';
import type { Transaction } from '../ports/storage.ts';
import { Drafter } from './draft.ts';
import { finishMined, voidPayout } from './finish-payout.ts';
import type { FinishContext, Finished } from './finish-payout.ts';
import { announceTransfer } from './payout-deps.ts';
import type { PayingChain, PayoutDeps } from './payout-deps.ts';
import type { Attempt, PayoutView } from './transfer.ts';

const PAGE = 100;
/** How many payouts the node is asked about at once. */
const AT_ONCE = 8;
/** A fee is raised to at most so many times the first one; after that a person has to look. */
const MOST_RAISED = 5n;

/** A payout whose attempt a node has taken. */
interface Sent {
  readonly view: PayoutView;
  readonly attempt: Attempt;
}

type Mined = Extract<PayoutOutcome, { kind: 'mined' }>;

/**
 * Sends signed payouts and follows them to their end: sends the same bytes again while no node has them, raises the fee of
 * one that stays unmined, books what is buried, and gives nothing back unless no attempt can ever be mined.
 */
export class FollowPayouts {
  readonly #chain: PayingChain;
  readonly #deps: PayoutDeps;
  readonly #drafter: Drafter;
  /** Payouts whose trouble was told already. */
  readonly #told = new Map<PayoutId, string>();
  /** Signed and not taken by a node yet. */
  #unsent: readonly PayoutView[] = [];
  #followed: BlockRef | null = null;

  constructor(chain: PayingChain, deps: PayoutDeps) {
    this.#chain = chain;
    this.#deps = deps;
    this.#drafter = new Drafter(chain, deps);
  }

  /**
   * One pass: with each block every live payout is looked at, in between only what could not be sent.
   *
   * @throws TillgateError `LEASE_LOST`
   */
  async run(lease: Lease, cursor: BlockRef): Promise<void> {
    if (this.#followed?.hash === cursor.hash) return this.send(lease, this.#unsent);
    const { transfers } = this.#deps.storage;
    this.#unsent = [];
    await this.#eachOf((after) => transfers.unminedPayouts(this.#chain.code, after, PAGE), (view) => this.#mineAgain(lease, view));
    await this.#eachOf((after) => transfers.livePayouts(this.#chain.code, after, PAGE), (view) => this.#follow(lease, view));
    this.#followed = cursor;
  }

  /** Gives a node what was signed a moment ago, in the order of signing. */
  async send(lease: Lease, views: readonly PayoutView[]): Promise<void> {
    const sent: Sent[] = [];
    const unsent: PayoutView[] = [];
    for (const view of views) {
      const attempt = latest(view.attempts);
      if (await this.#broadcast(attempt)) sent.push({ view, attempt });
      else unsent.push(view);
    }
    // One that is sent and not noted is only asked for once more than it need be.
    await this.#noteSent(lease, sent);
    this.#unsent = unsent;
  }

  async #eachOf(read: (after: PayoutId | null) => Promise<readonly PayoutView[]>, work: (view: PayoutView) => Promise<void>): Promise<void> {
    let after: PayoutId | null = null;
    for (;;) {
      const page: readonly PayoutView[] = await read(after);
      await this.#each(page, work);
      after = page.at(-1)?.payout.id ?? null;
      if (page.length < PAGE) return;
    }
  }

  /** One payout's trouble is its own; only a lost lease ends the pass. */
  async #each(views: readonly PayoutView[], work: (view: PayoutView) => Promise<void>): Promise<void> {
    const queue = [...views];
    const failures: unknown[] = [];
    const worker = async (): Promise<void> => {
      for (let view = queue.shift(); view !== undefined; view = queue.shift()) {
        try {
          await work(view);
        } catch (error) {
          failures.push(error);
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    // The rest of the pass is done; the loop that runs it logs the first failure and tries again.
    if (failures.length > 0) throw failures[0];
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
        return this.#conflicted(lease, view, outcome.txid, outcome.confirmations);
      case 'unclear':
        this.#tell(view, outcome.reason);
    }
  }

  async #outcome({ payout, attempts }: PayoutView): Promise<PayoutOutcome> {
    const { payments } = this.#chain;
    const coins = payments.model === 'utxo' ? (await this.#deps.storage.transfers.coinsOf(payout.id)).map(({ ref }) => ref) : [];
    return payments.outcome({ source: { address: payout.sourceAddress, index: payout.sourceIndex }, nonce: payout.nonce, coins, attempts });
  }

  async #send(lease: Lease, view: PayoutView, attempt = latest(view.attempts)): Promise<boolean> {
    if (!(await this.#broadcast(attempt))) return false;
    await this.#noteSent(lease, [{ view, attempt }]);
    return true;
  }

  /**
   * The last attempt, or one before it where the node does not take that: its fee may be more than its address holds by
   * now. Only where the attempts exclude each other, by their nonce or their coins.
   */
  async #sendAgain(lease: Lease, view: PayoutView): Promise<void> {
    const exclusive = view.payout.nonce !== null || this.#chain.payments.model === 'utxo';
    for (const attempt of exclusive ? view.attempts.toReversed() : [latest(view.attempts)]) {
      if (await this.#send(lease, view, attempt)) return;
    }
  }

  /** Gives the node the bytes; a refusal or a lost reply decides nothing. */
  async #broadcast(attempt: Attempt): Promise<boolean> {
    try {
      await this.#chain.payments.broadcast(attempt);
      return true;
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown';
      this.#deps.logger.warn('a signed transaction was not taken by the node; it is asked again', { chain: this.#chain.code, txid: attempt.txid, reason });
      return false;
    }
  }

  /** In one transaction for all: whatever else writes waits for it once. */
  async #noteSent(lease: Lease, sent: readonly Sent[]): Promise<void> {
    const { storage, clock } = this.#deps;
    const news = sent.map((each) => ({ ...each, signed: each.view.transfers.filter(({ status }) => status === 'SIGNED') }));
    const untold = news.filter(({ view, signed }) => signed.length > 0 || view.payout.sentAt === null);
    if (untold.length === 0) return;
    const now = clock.now();
    await storage.transaction(async (tx) => {
      await tx.leases.check(lease);
      for (const { view, attempt, signed } of untold) {
        await tx.transfers.updatePayout(view.payout.id, { sentAt: now });
        for (const { id, accountId } of signed) {
          const moved = await tx.transfers.move(id, 'SIGNED', 'BROADCAST', { updatedAt: now });
          if (moved && accountId !== null) await tx.deposits.updateTransaction(id, { txHash: attempt.txid });
        }
      }
    });
    for (const { signed } of untold) for (const transfer of signed) announceTransfer(this.#deps, transfer, 'SIGNED', 'BROADCAST');
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

  /** Released only when the other transaction is as final as this chain gets. */
  async #conflicted(lease: Lease, view: PayoutView, txid: string, confirmations: number): Promise<void> {
    const reason = `Its nonce or coins were used by the transaction ${txid}, which this till did not make for it.`;
    this.#tell(view, reason);
    if (confirmations < this.#chain.policy.finalityBlocks) return;
    await this.#finish(lease, (tx, context) => voidPayout(tx, view, reason, context));
  }

  async #finish(lease: Lease, book: (tx: Transaction, context: FinishContext) => Promise<Finished>): Promise<void> {
    const { storage, mover, ids, clock } = this.#deps;
    const { payments } = this.#chain;
    const { transfers, orders } = await storage.transaction(async (tx) => {
      await tx.leases.check(lease);
      return book(tx, { payments, mover, ids, now: clock.now() });
    });
    for (const { transfer, to } of transfers) {
      announceTransfer(this.#deps, transfer, 'BROADCAST', to);
      if (to === 'FAILED') raiseAlert(this.#deps, 'transfer', `transfer ${transfer.id}`, transfer.reason ?? 'It failed.');
    }
    mover.announce(orders);
  }

  async #raiseWhenSlow(lease: Lease, view: PayoutView): Promise<void> {
    const { bumpAfterMs } = this.#chain.payments;
    const last = latest(view.attempts);
    if (bumpAfterMs === null || this.#deps.clock.now() - last.createdAt < bumpAfterMs) return;
    await this.#addAttempt(lease, view, last);
  }

  /** None of the attempts can be mined any more, for good: the same payments are signed anew. */
  async #signAgain(lease: Lease, view: PayoutView): Promise<void> {
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
      signed = await this.#drafter.again(transfers, { source, coins, replaces }, payout.nonce);
    } catch (error) {
      logger.warn('a transaction could not be signed again yet', { payout: payout.id, reason: error instanceof Error ? error.message : 'unknown' });
      return;
    }
    const first = present(attempts[0], `attempts of payout ${payout.id}`);
    if (signed.feeUnits > first.feeUnits * MOST_RAISED) {
      this.#tell(view, 'It stays unmined although its fee was raised as far as is allowed.');
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
   * A payment that a reorganisation took out of its block is sent again until it is buried: the same bytes, so it is paid
   * once. What was booked stays; a person is told where the chain now says otherwise.
   */
  async #mineAgain(lease: Lease, view: PayoutView): Promise<void> {
    const { storage, logger } = this.#deps;
    const { payout, attempts } = view;
    const outcome = await this.#outcome(view);
    if (outcome.kind === 'missing') {
      logger.warn('a reorganisation took a payment out of its block; it is sent again', { payout: payout.id });
      await this.#send(lease, view, attempts.find(({ txid }) => txid === payout.minedTxid) ?? latest(attempts));
      return;
    }
    if (outcome.kind === 'pending' || (outcome.kind === 'mined' && outcome.confirmations < this.#chain.policy.spendableConfirmations)) return;
    const wasPaid = view.transfers.some(({ status }) => status === 'CONFIRMED');
    if (outcome.kind !== 'mined' || outcome.txid !== payout.minedTxid || outcome.succeeded !== wasPaid) {
      this.#tell(view, `It was booked as ${wasPaid ? 'paid' : 'not paid, and given back'}; a reorganisation has put something else in its place.`);
    }
    if (outcome.kind !== 'mined') return;
    await storage.transaction(async (tx) => {
      await tx.leases.check(lease);
      if (await tx.chains.holds(this.#chain.code, outcome.block)) await tx.transfers.updatePayout(payout.id, { minedHeight: outcome.block.height });
    });
  }

  #tell({ payout, transfers }: PayoutView, reason: string): void {
    if (this.#told.get(payout.id) === reason) return;
    this.#told.set(payout.id, reason);
    for (const { id } of transfers) raiseAlert(this.#deps, 'transfer', `transfer ${id}`, reason);
  }
}

function latest(attempts: readonly Attempt[]): Attempt {
  return present(attempts.at(-1), 'attempts of a payout');
}
