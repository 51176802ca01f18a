import { raiseAlert } from '../alerts/raise-alert.ts';
import { isTillgateError, TillgateError } from '../kernel/errors.ts';
import { assert, present } from '../kernel/guard.ts';
import type { DepositId } from '../kernel/ids.ts';
import type { Millis } from '../kernel/time.ts';
import type { OrderStateMachine } from '../orders/order-state-machine.ts';
import type { BlockRef } from '../ports/block-ref.ts';
import type { ChainAdapter, ScannedRange } from '../ports/chain-adapter.ts';
import type { ChainState } from '../ports/chain-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { EventBus } from '../ports/events.ts';
import type { IdGenerator } from '../ports/id-generator.ts';
import type { Lease } from '../ports/lease-store.ts';
import type { Logger } from '../ports/logger.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { Storage } from '../ports/storage.ts';
import { BLOCK_TIME_SLACK_MS } from './block-time.ts';
import { creditDeposit, makeDepositSpendable } from './credit-deposit.ts';
import type { Deposit } from './deposit.ts';
import { findAncestor, readPast } from './find-ancestor.ts';
import { NodeHealth } from './node-health.ts';
import { orphanDeposits } from './orphan-deposits.ts';
import type { Orphaned } from './orphan-deposits.ts';
import { announceRecorded, ownedTransfers, recordOwned } from './owned-transfers.ts';
import { RereadBlocks } from './reread-blocks.ts';
import { scanBlocks } from './scan-blocks.ts';
import { settledHeights } from './settled-heights.ts';
import type { SettledHeights } from './settled-heights.ts';
import { MempoolWatcher } from './watch-mempool.ts';
import { WatchSet } from './watch-set.ts';

/** A chain that has been begun. */
type FollowedState = ChainState & { readonly cursor: BlockRef };

export interface FollowChainDeps {
  readonly storage: Storage;
  readonly stateMachine: OrderStateMachine;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly events: EventBus;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** `advanced`: call again at once; `idle`: wait for the next block; `halted`: an operator must intervene. */
export type FollowResult = 'advanced' | 'idle' | 'halted';

/** Blocks kept beyond the finality bound, so that a reorganisation of exactly that depth finds its common ancestor. */
const KEEP_MARGIN = 16;
const SETTLE_BATCH = 500;
const CAUGHT_UP_STEP_MS = 1_000;

/**
 * Follows one chain: a cursor (height, hash, parent) moves over each block once, in order. Deposits are stored in the
 * transaction that moves the cursor, so a crash loses nothing and counts nothing twice. A reorganisation is rolled back to the
 * common ancestor; one below the finality bound stops the chain.
 */
export class ChainFollower {
  readonly #chain: ChainAdapter;
  readonly #deps: FollowChainDeps;
  readonly #logger: Logger;
  readonly #mempool: MempoolWatcher;
  readonly #health: NodeHealth;
  readonly #reread: RereadBlocks;
  readonly #watch = new WatchSet();
  #watchedAsOf: Millis = 0;
  #settledHeight = -1;
  #cursorHeight = -1;
  #halted = false;
  #caughtUpAt: Millis = -Infinity;

  constructor(chain: ChainAdapter, deps: FollowChainDeps) {
    this.#chain = chain;
    this.#deps = deps;
    this.#mempool = new MempoolWatcher(chain, deps);
    this.#health = new NodeHealth(chain, deps);
    this.#reread = new RereadBlocks(chain, deps);
    this.#logger = deps.logger.child({ chain: chain.code });
  }

  /**
   * Checks that the node serves the chain that was followed so far, and that its tokens are what the settings say.
   *
   * @throws TillgateError `CHAIN_HALTED` when it is another chain or another token; the node's own error when it does not answer
   */
  async start(): Promise<void> {
    const { code } = this.#chain;
    const identity = await this.#chain.identify();
    await this.#deps.storage.chains.initialise(code, identity);
    const state = present(await this.#deps.storage.chains.state(code), `state of ${code}`);
    if (state.identity !== identity) {
      throw new TillgateError(
        'CHAIN_HALTED',
        `${code} was followed on ${state.identity}, but the node serves ${identity}. Correct the node's address.`,
      );
    }
    for (const { currency } of this.#chain.assets) await this.#chain.verifyAsset?.(currency);
  }

  /** One step under a held lease. @throws TillgateError `LEASE_LOST`; any error of the node or the database: retry later */
  async step(lease: Lease): Promise<FollowResult> {
    const { storage, clock } = this.#deps;
    const state = present(await storage.chains.state(this.#chain.code), `state of ${this.#chain.code}`);
    this.#showHalted(state.haltedReason !== null);
    if (this.#halted) return 'halted';
    this.#noticeRewind(state.cursor);
    try {
      const result = await this.#look(lease, state, clock.now());
      if (result === 'advanced') this.#health.progressed();
      return result;
    } catch (error) {
      if (isTillgateError(error, 'CHAIN_HALTED')) return this.#halt(error.message);
      const trouble = await this.#health.failed(error, state.cursor);
      if (trouble !== null) await this.#health.note(state, trouble);
      if (trouble?.kind === 'pruned') return 'idle';
      throw error;
    }
  }

  async #look(lease: Lease, state: ChainState, lookBegan: Millis): Promise<FollowResult> {
    const { cursor } = state;
    const head = await this.#chain.head();
    if (cursor === null) return this.#begin(lease, state, head);
    const ancestor = await findAncestor(this.#chain, this.#deps.storage.chains, cursor, head);
    if (ancestor === 'behind') {
      await this.#health.note(state, await this.#health.behind(head, cursor));
      return 'idle';
    }
    if (ancestor !== null) return this.#rollBack(lease, cursor, ancestor);
    return this.#advance(lease, { ...state, cursor }, head, lookBegan);
  }

  get #hasMempool(): boolean {
    return this.#chain.mempool !== undefined;
  }

  /** An operator or another instance may have rolled blocks back: forget what was remembered of them. */
  #noticeRewind(cursor: BlockRef | null): void {
    const height = cursor?.height ?? -1;
    if (height < this.#cursorHeight) {
      this.#settledHeight = -1;
      this.#watchedAsOf = 0;
    }
    this.#cursorHeight = height;
  }

  async #begin(lease: Lease, state: ChainState, head: BlockRef): Promise<FollowResult> {
    const { startHeight, code, name } = this.#chain;
    const stale = this.#health.stale(await this.#health.status(), head, this.#deps.clock.now());
    if (startHeight === null && stale?.kind === 'initial-download') {
      // Its head is no place to begin at: no address was given out before the blocks that are still to come.
      await this.#health.note(state, stale);
      return 'idle';
    }
    const height = startHeight === null ? head.height : Math.max(startHeight - 1, 0);
    const cursor = height === head.height ? head : await this.#chain.blockAt(height);
    if (cursor === null)
      throw new TillgateError('NODE_FAILED', `${name} has no block ${height} yet, from which it is to be followed.`);
    const past = await readPast(this.#chain, cursor);
    await this.#deps.storage.transaction(async (tx) => {
      await tx.leases.check(lease);
      if (await tx.chains.moveCursor(code, null, cursor))
        await tx.chains.addBlocks(code, past, cursor.height - this.#chain.policy.finalityBlocks);
    });
    return 'advanced';
  }

  async #advance(lease: Lease, state: FollowedState, head: BlockRef, lookBegan: Millis): Promise<FollowResult> {
    const { cursor } = state;
    const { storage } = this.#deps;
    if (cursor.height >= head.height) {
      const settled = await this.#settle(lease, cursor.height);
      const rest = await this.#atHead(lease, state, lookBegan);
      return settled > 0 ? 'advanced' : rest;
    }
    const to = Math.min(head.height, cursor.height + this.#chain.policy.maxScanBlocks);
    // After the head is known, so that every address used before one of these blocks was made is in the set.
    await this.#refreshWatch(cursor);
    const scanned = await scanBlocks(this.#chain, storage.deposits, [cursor.height + 1, to], this.#watch);
    if (scanned?.blocks[0]?.parentHash !== cursor.hash) return 'advanced';
    checkRange(scanned, cursor, to);
    if (!(await this.#store(lease, cursor, scanned))) return 'advanced';
    this.#deps.metrics.gauge('tillgate_chain_height', to, { chain: this.#chain.code });
    await this.#settle(lease, to);
    return to === head.height
      ? this.#atHead(lease, { ...state, cursor: present(scanned.blocks.at(-1), 'scanned block') }, lookBegan)
      : 'advanced';
  }

  /** Every block is read. The mempool is read before orders may expire by this pass. */
  async #atHead(lease: Lease, state: FollowedState, lookBegan: Millis): Promise<FollowResult> {
    const { cursor } = state;
    const whole = await this.#mempool.look(lease, cursor, async () => {
      await this.#refreshWatch(cursor);
      return this.#watch;
    });
    if (!whole) return 'advanced';
    const stale = this.#health.stale(await this.#health.status(), cursor, lookBegan);
    await this.#health.note(state, stale);
    if (this.#timedByBlocks) await this.#caughtUp(lease, Math.min(lookBegan, cursor.time));
    else if (stale === null) await this.#caughtUp(lease, lookBegan);
    const { more, found } = await this.#reread.step(lease, state, cursor.height, this.#watch);
    // What was found may be deep enough already.
    if (found) this.#settledHeight = -1;
    return more || found ? 'advanced' : 'idle';
  }

  /** A payment's time is its block's, and blocks come regularly: by a later block everything before it has been read. */
  get #timedByBlocks(): boolean {
    return !this.#hasMempool && (this.#chain.policy.maxLagMs ?? null) !== null;
  }

  /**
   * Uses the time of the blocks being read, not the clock's: after any downtime a payment that was made in time is found.
   */
  async #refreshWatch(cursor: BlockRef): Promise<void> {
    const { storage, clock } = this.#deps;
    const readFrom = Math.min(clock.now(), cursor.time - BLOCK_TIME_SLACK_MS);
    const native = this.#nativeCurrency();
    this.#watchedAsOf = await storage.deposits.watched(this.#chain.code, readFrom, this.#watchedAsOf, (address) =>
      this.#watch.add(address.key, address.watchUntil, address.currency === native),
    );
    this.#watch.expire(readFrom);
  }

  #nativeCurrency(): string | null {
    return this.#chain.assets.find(({ kind }) => kind === 'native')?.currency ?? null;
  }

  async #store(lease: Lease, cursor: BlockRef, scanned: ScannedRange): Promise<boolean> {
    const { storage } = this.#deps;
    const { code, policy } = this.#chain;
    const owned = await ownedTransfers(this.#chain, storage, scanned.transfers);
    const last = present(scanned.blocks.at(-1), 'scanned block');
    const keepFrom = last.height - policy.finalityBlocks - KEEP_MARGIN;
    const added = await storage.transaction(async (tx) => {
      await tx.leases.check(lease);
      if (!(await tx.chains.moveCursor(code, cursor.hash, last))) return null;
      await tx.chains.addBlocks(
        code,
        scanned.blocks.filter(({ height }) => height >= keepFrom),
        keepFrom,
      );
      return recordOwned(tx, this.#chain, owned, this.#deps);
    });
    if (added === null) return false;
    announceRecorded(
      this.#deps,
      this.#chain,
      owned.map(({ owner }) => owner.orderId),
      added,
    );
    return true;
  }

  /** Credits deposits with enough confirmations and makes deep ones spendable; returns how many changed. */
  async #settle(lease: Lease, height: number): Promise<number> {
    if (height === this.#settledHeight) return 0;
    let changed = 0;
    let after: DepositId | null = null;
    let marks: SettledHeights | null = null;
    for (;;) {
      const batch: readonly Deposit[] = await this.#deps.storage.deposits.unsettled(
        this.#chain.code,
        height,
        SETTLE_BATCH,
        after,
      );
      for (const deposit of batch) {
        marks ??= await settledHeights(this.#chain, this.#deps.storage.chains);
        if (await this.#settleDeposit(lease, deposit, height, marks)) changed += 1;
      }
      after = batch.at(-1)?.id ?? null;
      if (batch.length < SETTLE_BATCH) break;
    }
    // Marks move without a block too.
    this.#settledHeight = marks !== null && this.#chain.settled !== undefined ? -1 : height;
    return changed;
  }

  async #settleDeposit(lease: Lease, deposit: Deposit, height: number, marks: SettledHeights): Promise<boolean> {
    const { stateMachine, metrics, events } = this.#deps;
    const { policy, code, assets } = this.#chain;
    const confirmations = height - deposit.blockHeight + 1;
    let changed = false;
    const deepEnough = confirmations >= policy.confirmations(deposit.currency, deposit.units);
    if (deposit.status === 'SEEN' && deepEnough && deposit.blockHeight <= marks.credit) {
      const { minDeposit = 0n } = assets.find(({ currency }) => currency === deposit.currency) ?? {};
      const confirmed = await creditDeposit(this.#deps, lease, deposit, { confirmations, policy, minDeposit });
      changed = confirmed !== null;
      if (confirmed !== null) {
        metrics.count('tillgate_deposits_total', { chain: code, event: confirmed.to.toLowerCase() });
        events.emit('order.payment', { orderId: deposit.orderId });
        stateMachine.publish(confirmed.moves);
      }
    }
    const credited = deposit.status === 'CREDITED' || changed;
    if (!credited || confirmations < policy.spendableConfirmations || deposit.blockHeight > marks.spend) return changed;
    return (await makeDepositSpendable(this.#deps, lease, deposit)) || changed;
  }

  async #rollBack(lease: Lease, cursor: BlockRef, ancestor: BlockRef): Promise<FollowResult> {
    const { storage, clock, ids, events, metrics } = this.#deps;
    const { code } = this.#chain;
    const { deposits: orphaned, losses } = await storage.transaction<Orphaned>(async (tx) => {
      await tx.leases.check(lease);
      if (!(await tx.chains.moveCursor(code, cursor.hash, ancestor))) return { deposits: [], losses: [] };
      await tx.chains.removeBlocksAbove(code, ancestor.height);
      // No order expires by what was read of the former branch: its transactions may be in the new one.
      await tx.chains.setCaughtUp(code, ancestor.time);
      await tx.transfers.unminePayouts(code, ancestor.height);
      return orphanDeposits(tx, {
        chain: code,
        assets: this.#chain.assets,
        ancestorHeight: ancestor.height,
        now: clock.now(),
        ids,
        mempool: this.#hasMempool,
      });
    });
    this.#settledHeight = -1;
    this.#caughtUpAt = -Infinity;
    // Their addresses are watched for longer now and may have left the set: reload all of it.
    this.#watchedAsOf = 0;
    this.#logger.warn('chain reorganisation (reorg): deposits above the common block were orphaned', {
      depth: cursor.height - ancestor.height,
      deposits: orphaned.length,
    });
    for (const { orderId } of orphaned) {
      metrics.count('tillgate_deposits_total', { chain: code, event: 'orphaned' });
      events.emit('order.payment', { orderId });
    }
    for (const { accountId, reason } of losses) raiseAlert(this.#deps, 'loss', `account ${accountId}`, reason);
    return 'advanced';
  }

  /** Orders expire by this time. Written once a second at most, however often the chain is polled. */
  async #caughtUp(lease: Lease, readUpTo: Millis): Promise<void> {
    if (readUpTo - this.#caughtUpAt < CAUGHT_UP_STEP_MS) return;
    await this.#deps.storage.chains.setCaughtUp(lease, this.#chain.code, readUpTo);
    this.#caughtUpAt = readUpTo;
  }

  async #halt(reason: string): Promise<FollowResult> {
    await this.#deps.storage.chains.setHalted(this.#chain.code, reason);
    this.#logger.error('chain stopped: nothing on it is credited until an operator resumes it', { reason });
    this.#showHalted(true);
    this.#deps.events.emit('chain.halted', { chain: this.#chain.code, reason });
    return 'halted';
  }

  #showHalted(halted: boolean): void {
    this.#deps.metrics.gauge('tillgate_chain_halted', halted ? 1 : 0, { chain: this.#chain.code });
    this.#halted = halted;
  }
}

/** Checks what a chain adapter guarantees of a scan; a violation is a defect of the adapter. */
function checkRange({ blocks, transfers }: ScannedRange, cursor: BlockRef, to: number): void {
  let parent = cursor;
  for (const block of blocks) {
    assert(
      block.height === parent.height + 1 && block.parentHash === parent.hash,
      `scanned block ${block.height} does not follow ${parent.height}`,
    );
    parent = block;
  }
  assert(parent.height === to, `scan ended at ${parent.height} instead of ${to}`);
  for (const { block, units } of transfers) {
    assert(units > 0n && blocks.some(({ hash }) => hash === block.hash), `a transfer is not in the scanned blocks`);
  }
}
