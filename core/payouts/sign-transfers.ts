import { raiseAlert } from '../notify/index.ts';
import { isTillgateError, present } from '../kernel/index.ts';
import type { Lease, Millis, PayoutId, Transaction, TransferId } from '../kernel/index.ts';
import { PayoutBuilder, PayoutDeferred, PayoutImpossible, PayoutRefused } from './build-payout.ts';
import type { Draft, TillCoins } from './build-payout.ts';
import { CoinConsolidation } from './coin-consolidation.ts';
import { isContractRefusal } from './contract-refusal.ts';
import type { CurrencyStops } from './currency-stops.ts';
import type { FrozenCoins } from './frozen-coins.ts';
import { HotWallet } from './hot-wallet.ts';
import { NonceCounters } from './nonce-counters.ts';
import { publishTransfer } from './payout-deps.ts';
import type { PayingChain, PayoutDeps } from './payout-deps.ts';
import { paymentObstacle } from './payment-obstacle.ts';
import { rejectTransfer } from './review-transfer.ts';
import type { PayoutSettings, SweepSettings } from './payout-settings.ts';
import { sweptFor, TillBudget } from './till-budget.ts';
import { isOwnMove, putsCoinsTogether } from './transfer.ts';
import type { Attempt, Payout, PayoutView, Transfer } from './transfer.ts';
import { concernsAll, NodeDoubt } from './troubles.ts';
import type { Troubles } from './troubles.ts';

/** Transactions that are signed and stored together; small, because the database is locked meanwhile. */
const BATCH = 1;
/** The number of waiting transfers that are read at once. */
const PAGE = 500;
const NOT_PRICED = 'It could not be priced or signed; the log has the reason.';
/** The delay before a deferred transfer is retried, in milliseconds; a new block retries it earlier. */
const RETRY_MS = 15_000;
/** The longest delay of a transfer whose calls fail, in milliseconds. */
const LONGEST_REST_MS = 10 * 60_000;
/** How long a payment waits for its coins to be merged, in milliseconds; then it fails, and its reserve is released. */
const MAX_COINS_WAIT_MS = 72 * 3_600_000;

/** The stored state changed while the bytes were created; they are discarded and the next pass starts again. */
class ConcurrentChange extends Error {}

/** The time limits of transfers, and the limits of the till's part of their fees. */
export type SigningSettings = SweepSettings & Pick<PayoutSettings, 'giveUpAfterMs'>;

/** A transfer that must not be signed now, with the reason. */
interface Obstructed {
  readonly transfer: Transfer;
  readonly reason: string;
}

/** The result of one commit: payouts to send, or held transfers whose bytes were discarded. */
interface Committed {
  readonly views: readonly PayoutView[];
  readonly held: readonly Obstructed[];
}

/**
 * Signs waiting transfers. Bytes, nonces, coins and fees are committed together, before anything is sent; if the commit
 * fails, the bytes never leave this process.
 */
export class SignTransfers {
  readonly #chain: PayingChain;
  readonly #deps: PayoutDeps;
  readonly #settings: SigningSettings;
  readonly #builder: PayoutBuilder;
  readonly #consolidation: CoinConsolidation;
  readonly #doubt: NodeDoubt;
  readonly #troubles: Troubles;
  readonly #stops: CurrencyStops;
  readonly #frozen: FrozenCoins;
  readonly #retryAt = new Map<TransferId, Millis>();
  /** Transfers with failed calls, whose next attempt is delayed longer each time, also when a new block comes. */
  readonly #resting = new Map<TransferId, { readonly until: Millis; readonly failures: number }>();
  readonly #nonces: NonceCounters;
  /** Transfers that were read and not processed yet. */
  #queue: Transfer[] = [];
  #coins: TillCoins | null = null;
  /** Addresses with a payout in flight. */
  #busy: Set<string> | null = null;
  #height = -1;
  #after: TransferId | null = null;
  /** The number of transfers in the previous pages. */
  #waiting = 0;
  /** Why the signer could not be reached the last time. */
  #signerProblem: string | null = null;

  constructor(
    chain: PayingChain,
    deps: PayoutDeps,
    settings: SigningSettings,
    {
      troubles,
      stops,
      frozen,
    }: { readonly troubles: Troubles; readonly stops: CurrencyStops; readonly frozen: FrozenCoins },
  ) {
    this.#chain = chain;
    this.#deps = deps;
    this.#settings = settings;
    this.#nonces = new NonceCounters(chain, deps);
    this.#builder = new PayoutBuilder(chain, deps);
    this.#doubt = new NodeDoubt(chain);
    this.#troubles = troubles;
    this.#stops = stops;
    this.#frozen = frozen;
    this.#consolidation = new CoinConsolidation(chain, deps, settings, troubles);
  }

  /**
   * Makes one pass.
   *
   * @returns the payouts that were signed and stored, to be sent; empty when nothing could be signed
   * @throws TillgateError `LEASE_LOST`, `NODE_FAILED`, `NOT_READY`; nothing was sent in that case
   */
  async run(lease: Lease, height: number): Promise<readonly PayoutView[]> {
    if (height !== this.#height) {
      this.#retryAt.clear();
      this.#frozen.forget();
      this.forget();
    }
    this.#height = height;
    this.#doubt.begin();
    try {
      const views = await this.#pass(lease);
      this.#signerProblem = null;
      return views;
    } catch (error) {
      this.forget();
      if (isTillgateError(error, 'SIGNER_UNAVAILABLE')) this.#alertSigner(error.message);
      throw error;
    }
  }

  /** Payments wait for the signer without a time limit, because its absence is not their fault. */
  #alertSigner(problem: string): void {
    if (this.#signerProblem !== problem) raiseAlert(this.#deps, 'signer', this.#chain.code, problem);
    this.#signerProblem = problem;
  }

  async #pass(lease: Lease): Promise<readonly PayoutView[]> {
    if (this.#queue.length === 0) await this.#fill();
    if (this.#queue.length === 0) return [];
    const drafts =
      this.#chain.payments.model === 'utxo' ? await this.#fromCoins(lease) : await this.#fromAccounts(lease);
    if (drafts.length === 0) return [];
    const { views, held } = await this.#commit(lease, drafts);
    // The other transfers of the draft, and those behind it, do not wait for an operator.
    return held.length === 0 ? views : this.#pass(lease);
  }

  /**
   * Called when nothing can be signed: every waiting payment gets the reason and, since it was never signed, fails with
   * its reserve released once it has waited too long.
   */
  async wait(lease: Lease, reason: string): Promise<void> {
    const {
      storage: { transfers },
      clock,
    } = this.#deps;
    const { code } = this.#chain;
    let after: TransferId | null = null;
    for (;;) {
      const page: readonly Transfer[] = await transfers.waiting(code, clock.now(), after, PAGE);
      const payments = page.filter((transfer) => !isOwnMove(transfer));
      if (payments.length > 0) await this.#defer(lease, new PayoutDeferred(payments, reason));
      after = page.at(-1)?.id ?? null;
      if (page.length < PAGE) break;
    }
    this.#retryAt.clear();
    this.forget();
  }

  /** Clears cached state: with each block, after a failed commit, and when other code has spent coins of the till. */
  forget(): void {
    this.#queue = [];
    this.#coins = null;
    this.#busy = null;
    this.#nonces.forget();
  }

  /** Reads the next page of waiting transfers, without those deferred until later. */
  async #fill(): Promise<void> {
    const { storage, clock, metrics } = this.#deps;
    const { code: chain } = this.#chain;
    const now = clock.now();
    const page = await storage.transfers.waiting(chain, now, this.#after, PAGE);
    this.#waiting += page.length;
    this.#after = page.length === PAGE ? (page.at(-1)?.id ?? null) : null;
    if (this.#after === null) {
      metrics.gauge('tillgate_transfers_waiting', this.#waiting, { chain });
      this.#waiting = 0;
    }
    this.#queue = page.filter(
      ({ id }) => (this.#retryAt.get(id) ?? 0) <= now && (this.#resting.get(id)?.until ?? 0) <= now,
    );
  }

  async #fromAccounts(lease: Lease): Promise<readonly Draft[]> {
    const drafts: Draft[] = [];
    const coins = (this.#coins ??= await this.#openCoins());
    while (drafts.length < BATCH) {
      const transfer = this.#queue.shift();
      if (transfer === undefined) break;
      const draft = await this.#try(lease, [transfer], async () => {
        await this.#requireIdle(transfer);
        await this.#requireMovable(lease, transfer);
        const counter = await this.#nonces.of(transfer);
        const made = await this.#builder.fromAccount(transfer, counter?.next ?? null, coins);
        if (counter !== null) counter.next += 1;
        return made;
      });
      if (draft === null) continue;
      if (transfer.sourceIndex !== null) this.#busy?.add(transfer.sourceAddress);
      drafts.push(draft);
    }
    return drafts;
  }

  async #openCoins(): Promise<TillCoins> {
    const { storage } = this.#deps;
    return {
      hot: await HotWallet.open(this.#chain.code, this.#chain.payments, storage),
      budget: await TillBudget.open(this.#chain, storage, this.#settings.feeBudget),
    };
  }

  /** Checks that the contract moves the hot wallet's coins, and that other coins cover the account's frozen ones. */
  async #requireMovable(lease: Lease, transfer: Transfer): Promise<void> {
    const requireRunning = (): void => {
      const reason = this.#stops.against(transfer);
      if (reason !== null) throw new PayoutDeferred([transfer], reason);
    };
    requireRunning();
    await this.#frozen.requireCover(lease, transfer);
    requireRunning();
  }

  /** A contract may refuse a payment for its receiver, or for the hot wallet, which stops its currency. */
  async #askContract(transfers: readonly Transfer[]): Promise<void> {
    for (const { currency, sourceIndex } of transfers)
      if (sourceIndex === null)
        await this.#troubles.contain(`asking the contract of ${currency}`, () => this.#stops.probe(currency));
  }

  /** A deposit address has one payout in flight at a time, because the fee of one would leave the other short. */
  async #requireIdle(transfer: Transfer): Promise<void> {
    if (transfer.sourceIndex === null) return;
    this.#busy ??= new Set(
      (await this.#deps.storage.transfers.inFlight(this.#chain.code)).map(({ sourceAddress }) => sourceAddress),
    );
    if (this.#busy.has(transfer.sourceAddress))
      throw new PayoutDeferred([transfer], 'Another payment from its address is in flight.');
  }

  /**
   * Builds one transaction in a pass, because the next one depends on the coins that it leaves. It pays for one
   * account, which bears what its own coins cost; an account with too few coins does not delay the others.
   */
  async #fromCoins(lease: Lease): Promise<readonly Draft[]> {
    for (let chosen = this.#ofOnePayer(); chosen.length > 0; chosen = this.#ofOnePayer()) {
      const transfers = chosen;
      const draft = await this.#try(lease, transfers, () => this.#draftOf(transfers));
      const settled = new Set(draft?.charged.map(({ transfer }) => transfer.id));
      this.#queue = this.#queue.filter(({ id }) => !settled.has(id) && !this.#retryAt.has(id));
      if (draft !== null) return [draft];
    }
    return [];
  }

  async #draftOf(transfers: readonly Transfer[]): Promise<Draft> {
    const first = present(transfers[0], 'a transfer to sign');
    if (!putsCoinsTogether(first)) return this.#builder.fromCoins(transfers);
    return this.#builder.fromOwnCoins(first, await this.#consolidation.coinsOf(first.units));
  }

  /** The waiting transfers with the first one's account and currency, as many as one transaction pays. */
  #ofOnePayer(): readonly Transfer[] {
    const [first] = this.#queue;
    if (first === undefined || putsCoinsTogether(first)) return first === undefined ? [] : [first];
    return this.#queue
      .filter((transfer) => transfer.accountId === first.accountId && transfer.currency === first.currency)
      .filter((transfer) => !putsCoinsTogether(transfer))
      .slice(0, this.#chain.payments.maxLines);
  }

  /** The draft, or `null` when transfers are deferred, with the reason stored in them. */
  async #try(lease: Lease, transfers: readonly Transfer[], draft: () => Promise<Draft>): Promise<Draft | null> {
    try {
      const made = await draft();
      this.#doubt.answered();
      for (const { id } of transfers) this.#resting.delete(id);
      return made;
    } catch (error) {
      if (concernsAll(error)) throw error;
      if (error instanceof PayoutDeferred) {
        if (isContractRefusal(error.cause)) await this.#askContract(transfers);
        await this.#defer(lease, error);
      } else if (error instanceof PayoutImpossible) await this.#abandon(lease, error.transfers, error.message);
      else if (error instanceof PayoutRefused) await this.#holdRefused(lease, error);
      else if (isTillgateError(error, 'STATE_CONFLICT')) await this.#abandon(lease, transfers, error.message);
      else await this.#leaveOut(lease, transfers, error);
      return null;
    }
  }

  /** Fails transfers that have waited too long and releases their reserve; the others wait, with the reason. */
  async #defer(lease: Lease, { transfers, message, lapses, cause }: PayoutDeferred): Promise<void> {
    const now = this.#deps.clock.now();
    const isOver = (transfer: Transfer): boolean => {
      const { createdAt, deferredAt } = transfer;
      if (lapses) return now - createdAt > MAX_COINS_WAIT_MS;
      return !isOwnMove(transfer) && deferredAt !== null && now - deferredAt >= this.#settings.giveUpAfterMs;
    };
    const over = transfers.filter(isOver);
    if (over.length > 0)
      await this.#abandon(
        lease,
        over,
        lapses
          ? `${message} They were not in ${MAX_COINS_WAIT_MS / 3_600_000} hours.`
          : `It waited too long. ${message}`,
      );
    await this.#note(
      lease,
      transfers.filter((transfer) => !over.includes(transfer)),
      message,
      cause,
    );
  }

  /**
   * A receiver's contract, a token that is no longer configured or a missing rate can make calls fail for a single
   * payment: it is delayed, and the others are signed. While the node does not answer for its head either, nothing can
   * be signed.
   */
  async #leaveOut(lease: Lease, transfers: readonly Transfer[], error: unknown): Promise<void> {
    const now = this.#deps.clock.now();
    for (const { id } of transfers) {
      const failures = (this.#resting.get(id)?.failures ?? 0) + 1;
      const restMs = Math.min(RETRY_MS * 2 ** (failures - 1), LONGEST_REST_MS);
      this.#resting.set(id, { until: now + restMs, failures });
    }
    await this.#defer(lease, new PayoutDeferred(transfers, NOT_PRICED, { cause: error }));
    if (!(await this.#doubt.failed())) throw error;
  }

  /**
   * Holds payments that the signer's rules forbid, until an operator has changed the rules or rejects them. The till's
   * own moves wait and are retried.
   */
  async #holdRefused(lease: Lease, { transfers, message }: PayoutRefused): Promise<void> {
    const { storage, clock } = this.#deps;
    this.#queue = this.#queue.filter((transfer) => !transfers.includes(transfer));
    const held: Obstructed[] = [];
    await storage.transaction(async (tx) => {
      await tx.leases.check(lease);
      for (const transfer of transfers) {
        const changes = { reason: message, deferredAt: null, updatedAt: clock.now() };
        if (transfer.accountId === null || !(await tx.transfers.move(transfer.id, 'REQUESTED', 'HELD', changes)))
          continue;
        held.push({ transfer, reason: message });
      }
    });
    const own = transfers.filter(({ accountId }) => accountId === null);
    for (const { id, reason } of own)
      if (reason !== message) raiseAlert(this.#deps, 'signer', `transfer ${id}`, message);
    if (own.length > 0) await this.#note(lease, own, message, null);
    this.#publishHeld(held);
  }

  async #note(lease: Lease, transfers: readonly Transfer[], reason: string, cause: unknown): Promise<void> {
    const { storage, clock, logger } = this.#deps;
    const now = clock.now();
    for (const { id } of transfers) this.#retryAt.set(id, now + RETRY_MS);
    const changed = transfers.filter((transfer) => transfer.reason !== reason || transfer.deferredAt === null);
    if (changed.length === 0) return;
    logger.warn('payments cannot be signed yet', {
      chain: this.#chain.code,
      transfers: changed.map(({ id }) => id),
      reason,
      ...(cause instanceof Error ? { cause: cause.message } : {}),
    });
    await storage.transaction(async (tx) => {
      await tx.leases.check(lease);
      for (const { id, deferredAt, updatedAt } of changed)
        await tx.transfers.update(id, 'REQUESTED', { reason, deferredAt: deferredAt ?? now, updatedAt });
    });
  }

  /**
   * Fails transfers that were never signed and releases their reserve: a payment whose receiver cannot be paid, or a
   * sweep whose coins have changed, which is planned again.
   */
  async #abandon(lease: Lease, transfers: readonly Transfer[], reason: string): Promise<void> {
    const { storage, clock, ids } = this.#deps;
    this.#queue = this.#queue.filter((transfer) => !transfers.includes(transfer));
    await storage.transaction(async (tx) => {
      await tx.leases.check(lease);
      for (const transfer of transfers)
        await rejectTransfer(tx, transfer.id, reason, { now: clock.now(), ids, kept: this.#keptOf(transfer) });
    });
    for (const transfer of transfers) {
      publishTransfer(this.#deps, transfer, 'REQUESTED', 'FAILED');
      if (!isOwnMove(transfer)) raiseAlert(this.#deps, 'transfer', `transfer ${transfer.id}`, reason);
    }
  }

  #keptOf(transfer: Transfer): bigint {
    const { payments } = this.#chain;
    return this.#coins === null ? 0n : sweptFor(transfer, this.#coins.budget, payments.feeAsset.currency);
  }

  async #commit(lease: Lease, drafts: readonly Draft[]): Promise<Committed> {
    const { storage } = this.#deps;
    try {
      const committed = await storage.transaction(async (tx) => {
        await tx.leases.check(lease);
        const held = await this.#hold(tx, drafts);
        const views: PayoutView[] = [];
        if (held.length === 0) for (const draft of drafts) views.push(await this.#store(tx, draft));
        return { views, held };
      });
      this.#publish(committed);
      return committed;
    } catch (error) {
      if (!(error instanceof ConcurrentChange)) throw error;
      this.#discard(error.message);
      return { views: [], held: [] };
    }
  }

  /** Checks again, in the transaction that would sign, and holds the transfers that must not be paid now. */
  async #hold(tx: Transaction, drafts: readonly Draft[]): Promise<readonly Obstructed[]> {
    const now = this.#deps.clock.now();
    const transfers = drafts.flatMap(({ charged }) => charged.map(({ transfer }) => transfer));
    const held: Obstructed[] = [];
    // By account: the order in which every transaction locks them.
    for (const transfer of transfers.toSorted(byAccount)) {
      const reason = await paymentObstacle(tx, transfer, now);
      if (reason === null) continue;
      // The till's own moves wait, because they need no approval.
      if (transfer.accountId === null) throw new ConcurrentChange(reason);
      if (!(await tx.transfers.move(transfer.id, 'REQUESTED', 'HELD', { reason, updatedAt: now })))
        throw new ConcurrentChange(`the status of transfer ${transfer.id} changed`);
      held.push({ transfer, reason });
    }
    return held;
  }

  #publish({ views, held }: Committed): void {
    for (const { transfers } of views)
      for (const transfer of transfers) publishTransfer(this.#deps, transfer, 'REQUESTED', 'SIGNED');
    this.#publishHeld(held);
    if (held.length > 0) this.#discard('a payment is held');
  }

  #publishHeld(held: readonly Obstructed[]): void {
    for (const { transfer, reason } of held) {
      publishTransfer(this.#deps, transfer, 'REQUESTED', 'HELD');
      raiseAlert(this.#deps, 'approval', `transfer ${transfer.id}`, reason);
    }
  }

  #discard(reason: string): void {
    this.forget();
    this.#deps.logger.info('signed transactions discarded: the stored state changed meanwhile', {
      chain: this.#chain.code,
      reason,
    });
  }

  async #store(tx: Transaction, { charged, nonce, signed, refs }: Draft): Promise<PayoutView> {
    const { clock, ids } = this.#deps;
    const { code } = this.#chain;
    const now = clock.now();
    const id = ids.next() as PayoutId;
    const { sourceAddress, sourceIndex } = present(charged[0], 'a transfer to sign').transfer;
    if (nonce !== null && this.#nonces.adopts(sourceAddress)) await tx.transfers.setNonce(code, sourceAddress, nonce);
    const payout: Payout = {
      id,
      chain: code,
      sourceAddress,
      sourceIndex,
      nonce,
      status: 'LIVE',
      minedTxid: null,
      minedHeight: null,
      cancelReason: null,
      stuckAt: null,
      sentAt: null,
      createdAt: now,
    };
    if (!(await tx.transfers.openPayout(payout))) throw new ConcurrentChange(`nonce ${nonce} was taken`);
    if (refs.length > 0 && !(await tx.transfers.takeHoldings(code, refs, id)))
      throw new ConcurrentChange('coins were taken');
    const { txid, raw, feeUnits, terms, expiresAt } = signed;
    const attempt: Attempt = {
      payoutId: id,
      number: 1,
      txid,
      raw,
      feeUnits,
      terms,
      expiresAt,
      createdAt: now,
      kind: 'payment',
    };
    await tx.transfers.addAttempt(attempt);
    const transfers: Transfer[] = [];
    for (const { transfer, feeUnits: fee } of charged) {
      const changes = { feeUnits: fee, payoutId: id, reason: null, deferredAt: null, updatedAt: now };
      if (!(await tx.transfers.move(transfer.id, 'REQUESTED', 'SIGNED', changes)))
        throw new ConcurrentChange(`the status of transfer ${transfer.id} changed`);
      if (transfer.accountId !== null && fee !== transfer.feeUnits)
        await tx.deposits.updateTransaction(transfer.id, { fee, obtained: transfer.units - fee });
      transfers.push({ ...transfer, ...changes, status: 'SIGNED' });
    }
    return { payout, attempts: [attempt], transfers };
  }
}

function byAccount(a: Transfer, b: Transfer): number {
  return (a.accountId ?? '') < (b.accountId ?? '') ? -1 : 1;
}
