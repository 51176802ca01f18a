import { isRestored } from './epoch.ts';
import { isTillgateError, LIGHTNING_ASSET } from '../kernel/index.ts';
import type { Lease, Millis } from '../kernel/index.ts';
import type { LedgerBalance } from '../ledger/index.ts';
import { bookFloat } from './operator-float.ts';
import { readSolvency, SolvencyStop } from './solvency.ts';
import { stopPayouts } from './payout-stop.ts';
import { bookedFloat, compareNode } from './compare-node.ts';
import type { Lives, NodeComparison } from './compare-node.ts';
import type { LightningDeps } from './lightning-deps.ts';
import { settlementCursor } from './node-life.ts';

const { chain: CHAIN, currency: CURRENCY } = LIGHTNING_ASSET;
const SCOPE = { code: CHAIN, assets: [LIGHTNING_ASSET], topUp: 'the channels of the Lightning node' } as const;

/** The intervals between comparisons in milliseconds, while the node agrees with the ledger, has more, or has less. */
const AGREED_MS = 5 * 60_000;
const MORE_MS = 60_000;
const LESS_MS = 15_000;

type Deps = Pick<LightningDeps, 'node' | 'storage' | 'clock' | 'ids' | 'events' | 'logger' | 'metrics'>;

type Look = Omit<NodeComparison, 'custody'> & { readonly at: Millis };

/**
 * Compares the balance of the Lightning node's channels with the ledger, and books the difference to the operator's
 * float, because the operator opens and closes channels, forwards payments of others and pays for routes. Two
 * comparisons must have shown a difference, and it is booked against the custody that was read before the node's
 * balance. While the node holds less than merchants are owed, payments stop.
 *
 * One node reports both its balance and the settlements. A settlement that moved no money is noticed here, because the
 * balance has to agree with it.
 */
export class NodeHoldings {
  readonly #deps: Deps;
  readonly #stop: SolvencyStop;
  #former: Look | null = null;
  /** The shortfall in two comparisons, beyond what was booked. */
  #missing = 0n;
  #isSolvent = false;
  #isStale = true;
  #lives = '';
  /**
   * True when the database is a restored backup, and the node has not agreed with the ledger since: a shortfall may
   * have been paid after the backup.
   */
  #isRestored = false;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#stop = new SolvencyStop(SCOPE, deps);
  }

  /** Records that payments were booked since the last comparison. */
  changed(): void {
    this.#isStale = true;
  }

  /**
   * Compares when it is due, and stops payments or resumes them.
   *
   * @returns false while nothing new may be paid
   * @throws TillgateError `LEASE_LOST`, `NODE_FAILED`
   */
  async check(lease: Lease, lives: Lives): Promise<boolean> {
    this.#forgetFormer(lives);
    if (this.#isDue()) await this.#look(lease, lives);
    if (this.#isSolvent && !this.#isStale) return true;
    const [line] = await readSolvency(SCOPE, this.#deps.storage);
    const solvency = line?.units ?? 0n;
    this.#isSolvent = await this.#stop.apply([{ currency: CURRENCY, units: solvency - this.#missing }]);
    // One comparison with a shortfall delays payments; two stop them.
    const isDoubted = (this.#former?.less ?? 0n) > (this.#isRestored ? 0n : max(solvency, 0n));
    this.#isStale = isDoubted;
    return this.#isSolvent && !isDoubted;
  }

  /** Comparisons from before a restore, or with an earlier life of the node, are dropped. */
  #forgetFormer({ epoch, life }: Lives): void {
    const lives = `${epoch.number} ${life.number}`;
    if (lives === this.#lives) return;
    this.#lives = lives;
    this.#former = null;
    this.#missing = 0n;
    this.#isRestored = isRestored(epoch);
  }

  #isDue(): boolean {
    if (this.#former === null) return true;
    const { at, more, less, isSure } = this.#former;
    return this.#deps.clock.now() >= at + (less > 0n ? LESS_MS : more > 0n || !isSure ? MORE_MS : AGREED_MS);
  }

  async #look(lease: Lease, lives: Lives): Promise<void> {
    const { storage, node, clock } = this.#deps;
    const former = this.#former;
    const { custody, isSure, ...now } = await compareNode(node, storage, lives);
    let { more, less } = now;
    const found = min(former?.more ?? 0n, more);
    if (found > 0n && (await this.#nothingNewer()) && (await this.#book(lease, found, custody))) more -= found;
    // Settlements since the backup that are not booked yet would hide a shortfall.
    this.#isRestored &&= !(isSure && less <= 0n && (await this.#nothingNewer()));
    const missing = max(min(former?.less ?? 0n, less), 0n);
    if (this.#isRestored && missing > 0n) await this.#stopRestored(missing);
    const taken = isSure && !this.#isRestored ? min(missing, await bookedFloat(storage)) : 0n;
    const isTaken = taken > 0n && (await this.#book(lease, -taken, custody));
    if (isTaken) less -= taken;
    this.#missing = isTaken ? missing - taken : missing;
    this.#former = { at: clock.now(), more, less, isSure };
    this.#isStale = true;
  }

  /** After a restore the float does not cover a shortfall: accounts may have withdrawn amounts again. */
  async #stopRestored(missing: bigint): Promise<void> {
    if ((await this.#deps.storage.transfers.payoutStop(CHAIN)) !== null) return;
    const reason = `The Lightning node holds ${missing} msat less than the ledger says since a backup was restored: record each withdrawal that was paid since, then resume payouts.`;
    await stopPayouts(this.#deps, CHAIN, reason);
  }

  /**
   * A settlement that is in the node's balance and not yet in the ledger does not belong to the operator. A node that
   * began anew counts its settlements from the first one again, so that none seems to come after the cursor.
   */
  async #nothingNewer(): Promise<boolean> {
    const { storage, node, logger } = this.#deps;
    const cursor = settlementCursor(await storage.chains.state(CHAIN));
    try {
      if (cursor !== null && !(await node.remembers(cursor))) return false;
      return !(await node.hasSettledAfter(cursor));
    } catch (error) {
      if (!isTillgateError(error, 'NODE_FAILED')) throw error;
      logger.warn('the Lightning node did not report whether it has settled more', { reason: error.message });
      return false;
    }
  }

  async #book(lease: Lease, units: bigint, custody: readonly LedgerBalance[]): Promise<boolean> {
    const booked = await this.#deps.storage.transaction(async (tx) => {
      await tx.leases.check(lease);
      return bookFloat(tx, CHAIN, { currency: CURRENCY, units }, custody, this.#deps);
    });
    if (booked) {
      const what = units > 0n ? "the operator's coins are booked" : "the operator's coins left the node";
      this.#deps.logger.info(what, { chain: CHAIN, currency: CURRENCY, units: units.toString() });
    }
    return booked;
  }
}

const min = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const max = (a: bigint, b: bigint): bigint => (a > b ? a : b);
