import { isTillgateError, present, Turns } from '../kernel/index.ts';
import type { Lease, PayoutId } from '../kernel/index.ts';
import type { SignedTransaction } from '../chain/index.ts';
import type { PayoutChanges } from './transfer-store.ts';
import { PayoutBuilder } from './build-payout.ts';
import { exceedsChargeFee, hasLapsed } from './charge-fees.ts';
import type { PayingChain, PayoutDeps } from './payout-deps.ts';
import { isOwnSweep, replacementLack } from './replacement-cost.ts';
import { latestAttempt } from './send-payouts.ts';
import type { PayoutSender } from './send-payouts.ts';
import type { ReplacementSettings } from './payout-settings.ts';
import type { Attempt, AttemptKind, PayoutView } from './transfer.ts';

/** The factor by which a fee may exceed the first one. */
const MAX_FEE_INCREASE = 5n;
const RAISED_TO_THE_MOST = 'It is still unmined after its fee was raised to the maximum.';
const TOO_DEAR = "The network's fee is too large a share of the amount now.";
const LAPSED = 'The authorization expired before it was mined: a transaction of the till to itself replaces it.';
const NEVER_MINED = 'It was cancelled, because it expired unmined each time it was signed.';
/** Errors for which no attempt with a higher fee can be signed; any other error is retried. */
const REFUSALS = ['STATE_CONFLICT', 'INSUFFICIENT_BALANCE', 'DESTINATION_UNPAYABLE', 'SIGNING_REFUSED'] as const;

/** Why an attempt could not be signed; `null` when it was signed, or may be later. */
type Refusal = string | null;

/** Raises the alert of a payout, once for each reason. */
export type AlertPayout = (view: PayoutView, reason: string) => void;

/**
 * Signs new attempts of payouts that stay unmined: the same payment with a higher fee; when that is impossible for too
 * long, or at an operator's request, a transaction of the till to itself. Each is stored before it is broadcast, and
 * uses the nonce or the coins of the payout, so that at most one attempt is mined.
 */
export class PayoutReplacer {
  readonly #chain: PayingChain;
  readonly #deps: PayoutDeps;
  readonly #settings: ReplacementSettings;
  readonly #builder: PayoutBuilder;
  readonly #sender: PayoutSender;
  readonly #alert: AlertPayout;
  /** One at a time, because two replacements must not be paid with the same coins of the till. */
  readonly #turns = new Turns();
  #replaced = 0;
  /** By address, the payout whose fee cannot be raised. A higher fee would not help those behind it. */
  readonly #blockedBy = new Map<string, PayoutId>();

  constructor(
    chain: PayingChain,
    deps: PayoutDeps,
    {
      settings,
      sender,
      alert,
    }: { readonly settings: ReplacementSettings; readonly sender: PayoutSender; readonly alert: AlertPayout },
  ) {
    this.#chain = chain;
    this.#deps = deps;
    this.#settings = settings;
    this.#builder = new PayoutBuilder(chain, deps);
    this.#sender = sender;
    this.#alert = alert;
  }

  /** The number of added attempts. A reading of the till's coins from before the last one is outdated. */
  get replaced(): number {
    return this.#replaced;
  }

  /** @param isFirst - true when no payout with a lower nonce of the same address is unmined */
  async unmined(lease: Lease, view: PayoutView, { isFirst, isMissing }: Place): Promise<void> {
    const { payout } = view;
    if (payout.cancelReason !== null) return this.#cancel(lease, view);
    if (hasLapsed(view.transfers, this.#deps.clock.now())) return this.#cancelLapsed(lease, view);
    if (!this.#isSlow(view, isMissing) || (!isFirst && this.#blockedBy.has(payout.sourceAddress))) return;
    const refusal = await this.#raise(lease, view, latestAttempt(view));
    if (refusal !== null) await this.#noteStuck(lease, view, { refusal, isFirst });
    else if (this.#blockedBy.get(payout.sourceAddress) === payout.id) this.#blockedBy.delete(payout.sourceAddress);
  }

  /**
   * No attempt can be mined any more: the same transfers are signed again, unless they are to be cancelled, or an
   * attempt that was signed long after the first one has expired too.
   *
   * @returns the reason to void the payout; `null` to continue it
   */
  async expired(lease: Lease, view: PayoutView): Promise<string | null> {
    const { payout } = view;
    if (payout.cancelReason !== null) return payout.cancelReason;
    if (this.#isTriedEnough(view)) {
      this.#alert(view, NEVER_MINED);
      return NEVER_MINED;
    }
    const refusal = await this.#raise(lease, view, null);
    if (refusal === null) return null;
    return (await this.#noteStuck(lease, view, { refusal, isFirst: true })) ? cancelReason(refusal) : null;
  }

  #isTriedEnough(view: PayoutView): boolean {
    const [first] = view.attempts;
    const triedForMs = latestAttempt(view).createdAt - (first?.createdAt ?? Infinity);
    return triedForMs >= this.#settings.cancelAfterMs && !isOwnSweep(view, this.#chain);
  }

  #isSlow(view: PayoutView, isMissing: boolean): boolean {
    // On chains without replacement, only a transaction that no node has is signed again.
    const after = this.#chain.payments.bumpAfterMs ?? (isMissing ? this.#settings.cancelAfterMs : Infinity);
    return this.#deps.clock.now() - latestAttempt(view).createdAt >= after;
  }

  async #raise(lease: Lease, view: PayoutView, replaced: Attempt | null): Promise<Refusal> {
    const { payout, attempts, transfers } = view;
    if (this.#chain.payments.bumpAfterMs === null && replaced !== null)
      return 'Its fee cannot be raised on this chain.';
    const signed = await this.#trySign(view, async () =>
      this.#builder.again(
        transfers,
        { ...(await this.#sourceOf(view)), replaces: replaced === null ? null : { ...replaced, change: null } },
        payout.nonce,
      ),
    );
    if (signed === null || typeof signed === 'string') return signed;
    const first = present(attempts[0], `attempts of payout ${payout.id}`);
    if (signed.feeUnits > first.feeUnits * MAX_FEE_INCREASE) return RAISED_TO_THE_MOST;
    if (exceedsChargeFee(transfers, signed.feeUnits)) return TOO_DEAR;
    return this.#add(lease, view, signed, 'payment');
  }

  /** Notes a payout whose fee cannot be raised, which is cancelled after a time. @returns true when it is due */
  async #noteStuck(
    lease: Lease,
    view: PayoutView,
    { refusal, isFirst }: { readonly refusal: string; readonly isFirst: boolean },
  ): Promise<boolean> {
    const { payout } = view;
    if (!isFirst) return false;
    this.#blockedBy.set(payout.sourceAddress, payout.id);
    this.#alert(view, refusal);
    const now = this.#deps.clock.now();
    if (payout.stuckAt === null) await this.#update(lease, view, { stuckAt: now });
    if (now - (payout.stuckAt ?? now) < this.#settings.cancelAfterMs || isOwnSweep(view, this.#chain)) return false;
    const reason = cancelReason(refusal);
    if (!(await this.#update(lease, view, { cancelReason: reason }))) return false;
    this.#alert(view, reason);
    await this.#cancel(lease, { ...view, payout: { ...payout, cancelReason: reason } });
    return true;
  }

  /** Cancels a payout whose transaction has lapsed: its nonce blocks later payouts, and mining it costs more gas than a cancel. */
  async #cancelLapsed(lease: Lease, view: PayoutView): Promise<void> {
    const changes = { stuckAt: view.payout.stuckAt ?? this.#deps.clock.now(), cancelReason: LAPSED };
    if (!(await this.#update(lease, view, changes))) return;
    await this.#cancel(lease, { ...view, payout: { ...view.payout, ...changes } });
  }

  /** For a lapsed charge, whether a cancel still costs more than the charge may; the cancel waits a while then. */
  #isTooDear({ payout, transfers }: PayoutView, { feeUnits }: SignedTransaction): boolean {
    const { cancelReason, stuckAt } = payout;
    const atAnyPriceFrom = (stuckAt ?? 0) + this.#settings.cancelAfterMs;
    return cancelReason === LAPSED && this.#deps.clock.now() < atAnyPriceFrom && exceedsChargeFee(transfers, feeUnits);
  }

  async #cancel(lease: Lease, view: PayoutView): Promise<void> {
    const { payments } = this.#chain;
    const { attempts, payout } = view;
    const [first] = attempts.filter(({ kind }) => kind === 'cancel');
    if (first !== undefined && !this.#isSlow(view, false)) return;
    if (payments.cancel === undefined) {
      if (attempts.some(({ expiresAt }) => expiresAt === null))
        this.#alert(view, 'It cannot be cancelled: this chain can neither replace a transaction nor does it expire.');
      return;
    }
    const request = { nonce: payout.nonce, replaces: { ...latestAttempt(view), change: null } };
    const cancel = payments.cancel.bind(payments);
    const signed = await this.#trySign(view, async () => cancel({ ...request, ...(await this.#sourceOf(view)) }));
    if (signed === null || typeof signed === 'string') {
      if (signed !== null) this.#alert(view, `Its cancellation cannot be signed now: ${signed}`);
      return;
    }
    if (this.#isTooDear(view, signed)) return;
    if (first !== undefined && signed.feeUnits > first.feeUnits * MAX_FEE_INCREASE) {
      this.#alert(view, 'Its cancellation is still unmined after its fee was raised to the maximum.');
      return;
    }
    const lack = await this.#add(lease, view, signed, 'cancel');
    if (lack !== null) this.#alert(view, `Its cancellation cannot be paid now: ${lack}`);
  }

  async #sourceOf({ payout }: PayoutView) {
    const coins = await this.#deps.storage.transfers.coinsOf(payout.id);
    return { source: { address: payout.sourceAddress, index: payout.sourceIndex }, coins };
  }

  /** The signed bytes, the reason why there are none, or `null` to retry. */
  async #trySign(
    { payout }: PayoutView,
    sign: () => Promise<SignedTransaction>,
  ): Promise<SignedTransaction | string | null> {
    try {
      return await sign();
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown';
      this.#deps.logger.warn('a replacement could not be signed yet, retrying', { payout: payout.id, reason });
      return REFUSALS.some((code) => isTillgateError(error, code)) ? reason : null;
    }
  }

  /** Stores and sends an attempt. @returns why the till cannot pay for it, in which case nothing is stored */
  async #add(lease: Lease, view: PayoutView, signed: SignedTransaction, kind: AttemptKind): Promise<Refusal> {
    const { payout, attempts } = view;
    const { txid, raw, feeUnits, terms, expiresAt } = signed;
    const attempt: Attempt = {
      ...{ payoutId: payout.id, number: attempts.length + 1, kind, createdAt: this.#deps.clock.now() },
      ...{ txid, raw, feeUnits, terms, expiresAt },
    };
    const [lack, added] = await this.#turns.run(async () => {
      const missing = await this.#lack(view, attempt);
      return [missing, missing === null && (await this.#store(lease, attempt))] as const;
    });
    if (added) await this.#sender.send(lease, view, attempt);
    return lack;
  }

  #lack(view: PayoutView, attempt: Attempt): Promise<string | null> {
    return replacementLack(this.#chain, this.#deps.storage, view, attempt, this.#settings.feeBudget);
  }

  async #store(lease: Lease, attempt: Attempt): Promise<boolean> {
    const { payoutId, kind } = attempt;
    const added = await this.#deps.storage.transaction(async (tx) => {
      await tx.leases.check(lease);
      const now = await tx.transfers.lockPayout(payoutId);
      // A cancel that was requested meanwhile takes precedence over another payment.
      if (now?.status !== 'LIVE' || (kind === 'payment' && now.cancelReason !== null)) return false;
      await tx.transfers.addAttempt(attempt);
      if (kind === 'payment' && now.stuckAt !== null) await tx.transfers.updatePayout(payoutId, { stuckAt: null });
      return true;
    });
    if (added) this.#replaced += 1;
    return added;
  }

  #update(lease: Lease, { payout }: PayoutView, changes: PayoutChanges): Promise<boolean> {
    return this.#deps.storage.transaction(async (tx) => {
      await tx.leases.check(lease);
      const now = await tx.transfers.lockPayout(payout.id);
      if (now?.status !== 'LIVE' || now.cancelReason !== null) return false;
      await tx.transfers.updatePayout(payout.id, changes);
      return true;
    });
  }
}

/** The position of a payout among the unmined ones. */
export interface Place {
  readonly isFirst: boolean;
  /** True when no node has it. */
  readonly isMissing: boolean;
}

function cancelReason(refusal: string): string {
  return `It was cancelled, because it was not mined for too long and could not be replaced: ${refusal}`;
}
