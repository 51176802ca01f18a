import { raiseAlert } from '../alerts/raise-alert.ts';
import { isTillgateError, TillgateError } from '../kernel/errors.ts';
import type { BundleId, TransferId } from '../kernel/ids.ts';
import type { Millis } from '../kernel/time.ts';
import type { Lease } from '../ports/lease-store.ts';
import type { Transaction } from '../ports/storage.ts';
import { Drafter, Waits } from './draft.ts';
import type { Draft } from './draft.ts';
import { HotWallet } from './hot-wallet.ts';
import { announceTransfer } from './payout-deps.ts';
import type { PayingChain, PayoutDeps } from './payout-deps.ts';
import { rejectTransfer } from './decide-transfer.ts';
import type { Transfer } from './transfer.ts';

/** How many transactions are signed and stored together. */
const BATCH = 50;
/** How many waiting transfers one pass looks at. */
const LOOKED_AT = 400;
/** One that cannot be signed now is looked at again after this, or with the next block. */
const RETRY_MS = 15_000;

interface Counter {
  next: number;
  /** The chain is ahead of the stored counter, harmlessly. */
  readonly adopt: boolean;
}

/** The stored state changed while the bytes were made; they are thrown away, and the next pass makes others. */
class Overtaken extends Error {}

/**
 * Signs waiting transfers. Bytes, nonces, coins and fees are committed together, before anything is sent; when that
 * commit does not hold, the bytes never leave this process.
 */
export class SignTransfers {
  readonly #chain: PayingChain;
  readonly #deps: PayoutDeps;
  readonly #drafter: Drafter;
  readonly #retryAt = new Map<TransferId, Millis>();
  #height = -1;
  #after: TransferId | null = null;

  constructor(chain: PayingChain, deps: PayoutDeps) {
    this.#chain = chain;
    this.#deps = deps;
    this.#drafter = new Drafter(chain, deps);
  }

  /**
   * One pass.
   *
   * @returns how many transactions were signed and stored
   * @throws TillgateError `LEASE_LOST`, `NODE_FAILED`, `NOT_READY`; nothing was sent then
   */
  async run(lease: Lease, height: number): Promise<number> {
    if (height !== this.#height) this.#retryAt.clear();
    this.#height = height;
    const waiting = await this.#waiting();
    if (waiting.length === 0) return 0;
    const hot = await HotWallet.open(this.#chain.code, this.#chain.payments, this.#deps.storage);
    const counters = new Map<string, Counter>();
    const drafts = this.#chain.payments.model === 'utxo' ? await this.#fromCoins(lease, waiting) : await this.#fromAccounts(lease, waiting, hot, counters);
    if (drafts.length === 0) return 0;
    return (await this.#commit(lease, drafts, counters)) ? drafts.length : 0;
  }

  /** The next waiting transfers in turn, those that cannot be signed yet left out. */
  async #waiting(): Promise<readonly Transfer[]> {
    const { storage, clock } = this.#deps;
    const page = await storage.transfers.waiting(this.#chain.code, this.#after, LOOKED_AT);
    this.#after = page.length === LOOKED_AT ? (page.at(-1)?.id ?? null) : null;
    const now = clock.now();
    return page.filter(({ id }) => (this.#retryAt.get(id) ?? 0) <= now);
  }

  async #fromAccounts(lease: Lease, waiting: readonly Transfer[], hot: HotWallet, counters: Map<string, Counter>): Promise<readonly Draft[]> {
    const drafts: Draft[] = [];
    for (const transfer of waiting) {
      if (drafts.length === BATCH) {
        // The rest of this look comes first in the next one.
        this.#after = null;
        break;
      }
      const counter = await this.#counter(transfer, counters);
      const draft = await this.#try(lease, [transfer], () => this.#drafter.fromAccount(transfer, counter?.next ?? null, hot));
      if (draft === null) continue;
      if (counter !== null) counter.next += 1;
      drafts.push(draft);
    }
    return drafts;
  }

  /** One transaction a pass: the next one needs to know what this one left. */
  async #fromCoins(lease: Lease, waiting: readonly Transfer[]): Promise<readonly Draft[]> {
    const currency = waiting[0]?.currency;
    let rest = waiting.filter((transfer) => transfer.currency === currency).slice(0, this.#chain.payments.maxLines);
    while (rest.length > 0) {
      const draft = await this.#try(lease, rest, () => this.#drafter.fromCoins(rest));
      if (draft !== null) {
        this.#after = null;
        return [draft];
      }
      rest = rest.filter(({ id }) => !this.#retryAt.has(id));
    }
    return [];
  }

  /** The draft, or `null` when transfers have to wait: why is stored with them. */
  async #try(lease: Lease, transfers: readonly Transfer[], draft: () => Promise<Draft>): Promise<Draft | null> {
    try {
      return await draft();
    } catch (error) {
      if (error instanceof Waits) await this.#note(lease, error.transfers, error.message);
      else if (isTillgateError(error, 'STATE_CONFLICT')) await this.#abandon(lease, transfers, error.message);
      else throw error;
      return null;
    }
  }

  async #note(lease: Lease, transfers: readonly Transfer[], reason: string): Promise<void> {
    const { storage, clock } = this.#deps;
    const now = clock.now();
    for (const { id } of transfers) this.#retryAt.set(id, now + RETRY_MS);
    const changed = transfers.filter((transfer) => transfer.reason !== reason);
    if (changed.length === 0) return;
    await storage.transaction(async (tx) => {
      await tx.leases.check(lease);
      for (const { id, updatedAt } of changed) await tx.transfers.update(id, 'REQUESTED', { reason, updatedAt });
    });
  }

  /** A sweep whose coins have changed is planned anew. */
  async #abandon(lease: Lease, transfers: readonly Transfer[], reason: string): Promise<void> {
    const { storage, clock, ids } = this.#deps;
    await storage.transaction(async (tx) => {
      await tx.leases.check(lease);
      for (const { id } of transfers) await rejectTransfer(tx, id, reason, { now: clock.now(), ids });
    });
  }

  async #counter(transfer: Transfer, counters: Map<string, Counter>): Promise<Counter | null> {
    const known = counters.get(transfer.sourceAddress);
    if (known !== undefined) return known;
    const counter = await this.#readCounter(transfer);
    if (counter !== null) counters.set(transfer.sourceAddress, counter);
    return counter;
  }

  /**
   * A nonce that this till did not use was used by somebody with its keys: after a restored backup it may well be one of
   * the payments that wait here, so nothing more is paid before an operator has looked (fault 68).
   */
  async #readCounter({ sourceAddress, sourceIndex }: Transfer): Promise<Counter | null> {
    const { code, payments } = this.#chain;
    const onChain = await payments.nextNonce(sourceAddress);
    if (onChain === null) return null;
    const stored = await this.#deps.storage.transfers.nonce(code, sourceAddress);
    if (stored === null || onChain <= stored) return { next: stored ?? onChain, adopt: false };
    if (sourceIndex !== null) return { next: onChain, adopt: true };
    const reason =
      `The hot wallet's transaction count on ${code} is ${onChain}, but this till has made ${stored}: its keys were used elsewhere, or an older ` +
      'backup was restored. Compare what was paid with the waiting transfers, reject those that were, then resume payouts.';
    await this.#deps.storage.transfers.setPayoutStop(code, reason);
    raiseAlert(this.#deps, 'payouts-stopped', `chain ${code}`, reason);
    throw new TillgateError('CHAIN_HALTED', reason);
  }

  async #commit(lease: Lease, drafts: readonly Draft[], counters: ReadonlyMap<string, Counter>): Promise<boolean> {
    const { storage, logger } = this.#deps;
    try {
      await storage.transaction(async (tx) => {
        await tx.leases.check(lease);
        for (const draft of drafts) await this.#store(tx, draft, counters);
      });
    } catch (error) {
      if (!(error instanceof Overtaken)) throw error;
      logger.info('signed transactions were overtaken and thrown away', { chain: this.#chain.code, reason: error.message });
      return false;
    }
    for (const { charged } of drafts) for (const { transfer } of charged) announceTransfer(this.#deps, transfer, 'REQUESTED', 'SIGNED');
    return true;
  }

  async #store(tx: Transaction, { charged, nonce, signed, refs }: Draft, counters: ReadonlyMap<string, Counter>): Promise<void> {
    const { clock, ids } = this.#deps;
    const { code } = this.#chain;
    const now = clock.now();
    const id = ids.next() as BundleId;
    const [first] = charged;
    if (first === undefined) return;
    const { sourceAddress, sourceIndex } = first.transfer;
    if (nonce !== null && counters.get(sourceAddress)?.adopt === true) await tx.transfers.setNonce(code, sourceAddress, nonce);
    const bundle = { id, chain: code, sourceAddress, sourceIndex, nonce, status: 'LIVE', minedTxid: null, minedHeight: null, sentAt: null, createdAt: now } as const;
    if (!(await tx.transfers.openBundle(bundle))) throw new Overtaken(`nonce ${nonce} was taken`);
    if (!(await tx.transfers.takeHoldings(code, refs, id))) throw new Overtaken('coins were taken');
    const { txid, raw, feeUnits, terms, expiresAt } = signed;
    await tx.transfers.addAttempt({ bundleId: id, number: 1, txid, raw, feeUnits, terms, expiresAt, createdAt: now });
    for (const { transfer, feeUnits: fee } of charged) {
      const changes = { feeUnits: fee, bundleId: id, reason: null, updatedAt: now };
      if (!(await tx.transfers.move(transfer.id, 'REQUESTED', 'SIGNED', changes))) throw new Overtaken(`transfer ${transfer.id} was decided otherwise`);
      if (transfer.accountId !== null) await tx.deposits.updateTransaction(transfer.id, { fee, obtained: transfer.units - fee });
    }
  }
}
