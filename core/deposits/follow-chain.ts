import { raiseAlert } from '../notify/index.ts';
import { assert, isTillgateError, present, TillgateError } from '../kernel/index.ts';
import type {
  BlockRef,
  Clock,
  EventBus,
  IdGenerator,
  Lease,
  Logger,
  Metrics,
  Millis,
  Storage,
} from '../kernel/index.ts';
import type { LatePayments, OrderStateMachine } from '../orders/index.ts';
import type { ChainAdapter, ChainState, ScannedRange } from '../chain/index.ts';
import type { UnseenBlocks } from './comparison-store.ts';
import { BLOCK_TIME_SLACK_MS } from './block-time.ts';
import { canCompare } from './compare-addresses.ts';
import { CompareBalances } from './compare-balances.ts';
import { findAncestor, readPast } from './find-ancestor.ts';
import { NodeHealth } from './node-health.ts';
import type { FoundTrouble } from './node-health.ts';
import { orphanDeposits } from './orphan-deposits.ts';
import type { Orphaned } from './orphan-deposits.ts';
import { announceRecorded, ownedTransfers, recordOwned } from './owned-transfers.ts';
import { RereadBlocks } from './reread-blocks.ts';
import { scanBlocks } from './scan-blocks.ts';
import { SettleDeposits } from './settle-deposits.ts';
import { MempoolWatcher } from './watch-mempool.ts';
import { WatchSet } from './watch-set.ts';

/** The state of a chain with a cursor. */
type FollowedState = ChainState & { readonly cursor: BlockRef };

export interface FollowChainDeps {
  readonly storage: Storage;
  readonly stateMachine: OrderStateMachine;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly events: EventBus;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly latePayments: LatePayments;
}

/** `advanced`: call again at once; `idle`: wait for the next block; `halted`: an operator must intervene. */
export type FollowResult = 'advanced' | 'idle' | 'halted';

/** Blocks kept beyond the finality bound, so that a reorganisation of exactly that depth finds its common ancestor. */
const KEEP_MARGIN = 16;
const CAUGHT_UP_STEP_MS = 1_000;
const READ_STEP_MS = 5_000;

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
  readonly #settle: SettleDeposits;
  readonly #compare: CompareBalances;
  readonly #watch = new WatchSet();
  #watchedAsOf: Millis = 0;
  #cursorHeight = -1;
  #halted = false;
  #caughtUpAt: Millis = -Infinity;
  #readAt: Millis = -Infinity;

  constructor(chain: ChainAdapter, deps: FollowChainDeps) {
    this.#chain = chain;
    this.#deps = deps;
    this.#mempool = new MempoolWatcher(chain, deps);
    this.#health = new NodeHealth(chain, deps);
    this.#reread = new RereadBlocks(chain, deps);
    this.#settle = new SettleDeposits(chain, deps);
    this.#compare = new CompareBalances(chain, deps);
    this.#logger = deps.logger.child({ chain: chain.code });
  }

  /**
   * Checks that the node serves the chain that was followed so far, and that its tokens match the settings.
   *
   * @throws TillgateError `CHAIN_HALTED` when it is another chain or another token; the node's own error when it does
   *   not answer
   */
  async start(): Promise<void> {
    await this.#deps.storage.chains.begin(this.#chain.code, this.#deps.clock.now());
    try {
      await this.#identify();
    } catch (error) {
      await this.#health.notStarted(error);
      throw error;
    }
  }

  async #identify(): Promise<void> {
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

  /** Makes one step under a held lease. @throws TillgateError `LEASE_LOST`; other errors: retry later */
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

  /** An operator or another instance may have rolled blocks back; the cached state of these is dropped. */
  #noticeRewind(cursor: BlockRef | null): void {
    const height = cursor?.height ?? -1;
    if (height < this.#cursorHeight) {
      this.#settle.forget();
      this.#watchedAsOf = 0;
    }
    this.#cursorHeight = height;
  }

  async #begin(lease: Lease, state: ChainState, head: BlockRef): Promise<FollowResult> {
    const { startHeight, code, name } = this.#chain;
    const stale = this.#health.stale(await this.#health.status(), head, this.#deps.clock.now());
    if (startHeight === null && stale?.kind === 'initial-download') {
      // A stale head is no place to start: no address was assigned before the blocks that are still to come.
      await this.#health.note(state, stale);
      return 'idle';
    }
    const height = startHeight === null ? head.height : Math.max(startHeight - 1, 0);
    const cursor = height === head.height ? head : await this.#chain.blockAt(height);
    if (cursor === null)
      throw new TillgateError(
        'NODE_FAILED',
        `The node of ${name} does not have block ${height} yet, from which the chain is to be followed.`,
      );
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
      const { changed, more } = await this.#settle.step(lease, cursor.height, head.height);
      const rest = await this.#atHead(lease, state, lookBegan);
      return changed > 0 || more ? 'advanced' : rest;
    }
    const to = Math.min(head.height, cursor.height + this.#chain.policy.maxScanBlocks);
    // Refreshed after the head is known, so that the set includes every address that was in use before one of these
    // blocks was mined.
    await this.#refreshWatch(cursor);
    const scanned = await scanBlocks(this.#chain, storage.deposits, [cursor.height + 1, to], this.#watch);
    if (scanned?.blocks[0]?.parentHash !== cursor.hash) return 'advanced';
    checkRange(scanned, cursor, to);
    if (!(await this.#store(lease, cursor, scanned))) return 'advanced';
    await this.#noteRead();
    this.#deps.metrics.gauge('tillgate_chain_height', to, { chain: this.#chain.code });
    const { more } = await this.#settle.step(lease, to, head.height);
    if (to < head.height) return 'advanced';
    const last = present(scanned.blocks.at(-1), 'scanned block');
    const rest = await this.#atHead(lease, { ...state, cursor: last }, lookBegan);
    return more ? 'advanced' : rest;
  }

  /** Handles the head, when every block is read. The mempool is read before this pass lets orders expire. */
  async #atHead(lease: Lease, state: FollowedState, lookBegan: Millis): Promise<FollowResult> {
    const { cursor } = state;
    const whole = await this.#mempool.look(lease, cursor, async () => {
      await this.#refreshWatch(cursor);
      return this.#watch;
    });
    if (!whole) return 'advanced';
    const stale = this.#health.stale(await this.#health.status(), cursor, lookBegan);
    const compared = await this.#compare.step(lease, cursor);
    await this.#health.note(state, stale ?? unseenTrouble(compared.unseen));
    // Unseen blocks may contain payments that were made in time.
    if (compared.unseen !== null) return this.#again(compared.more, compared.found);
    if (this.#timedByBlocks) await this.#caughtUp(lease, Math.min(lookBegan, cursor.time));
    else if (stale === null) await this.#caughtUp(lease, lookBegan);
    await this.#noteRead();
    const { more, found } = await this.#reread.step(lease, state, cursor.height, this.#watch);
    return this.#again(more, found || compared.found);
  }

  #again(more: boolean, found: boolean): FollowResult {
    // The deposits that were found may already have enough confirmations.
    if (found) this.#settle.forget();
    return more || found ? 'advanced' : 'idle';
  }

  /**
   * True when payments count by their block's time and blocks come regularly: a later block shows that everything
   * before it has been read.
   */
  get #timedByBlocks(): boolean {
    return !this.#hasMempool && (this.#chain.policy.maxLagMs ?? null) !== null;
  }

  /** Uses the time of the blocks being read, not the clock's, so that a payment in time is found after any downtime. */
  async #refreshWatch(cursor: BlockRef): Promise<void> {
    const { storage, clock } = this.#deps;
    const readFrom = Math.min(clock.now(), cursor.time - BLOCK_TIME_SLACK_MS);
    const native = this.#nativeCurrency();
    this.#watchedAsOf = await storage.deposits.watched(this.#chain.code, readFrom, this.#watchedAsOf, (address) =>
      this.#watch.add(address.key, address.watchUntil, address.currency === native, address.openUntil),
    );
    this.#watch.expire(readFrom);
  }

  #nativeCurrency(): string | null {
    return this.#chain.assets.find(({ kind }) => kind === 'native')?.currency ?? null;
  }

  async #store(lease: Lease, cursor: BlockRef, scanned: ScannedRange): Promise<boolean> {
    const { storage } = this.#deps;
    const { code, policy } = this.#chain;
    const owned = await ownedTransfers(this.#chain, this.#deps, scanned.transfers);
    const last = present(scanned.blocks.at(-1), 'scanned block');
    const keepFrom = last.height - policy.finalityBlocks - KEEP_MARGIN;
    const recorded = await storage.transaction(async (tx) => {
      await tx.leases.check(lease);
      if (!(await tx.chains.moveCursor(code, cursor.hash, last))) return null;
      await tx.chains.addBlocks(
        code,
        scanned.blocks.filter(({ height }) => height >= keepFrom),
        keepFrom,
      );
      if (scanned.unseen === true && canCompare(this.#chain))
        await tx.comparisons.noteUnseen(code, { since: cursor.time, height: last.height });
      return recordOwned(tx, this.#chain, owned, this.#deps);
    });
    if (recorded === null) return false;
    announceRecorded(this.#deps, this.#chain, owned, recorded);
    return true;
  }

  async #rollBack(lease: Lease, cursor: BlockRef, ancestor: BlockRef): Promise<FollowResult> {
    const { storage, clock, ids, events, metrics } = this.#deps;
    const { code } = this.#chain;
    const { deposits: orphaned, losses } = await storage.transaction<Orphaned>(async (tx) => {
      await tx.leases.check(lease);
      if (!(await tx.chains.moveCursor(code, cursor.hash, ancestor))) return { deposits: [], losses: [] };
      await tx.chains.removeBlocksAbove(code, ancestor.height);
      // The blocks of the removed branch no longer count as read: orders must not expire while their payments may be in
      // the new branch.
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
    this.#settle.forget();
    this.#caughtUpAt = -Infinity;
    // The addresses of orphaned deposits are watched longer now and may have left the set, so all of it is reloaded.
    this.#watchedAsOf = 0;
    this.#logger.warn('chain reorganisation (reorg): deposits above the common block were orphaned', {
      depth: cursor.height - ancestor.height,
      deposits: orphaned.length,
    });
    if (orphaned.length > 0)
      metrics.count('tillgate_deposits_total', { chain: code, event: 'orphaned' }, orphaned.length);
    for (const orderId of new Set(orphaned.map((deposit) => deposit.orderId)))
      events.emit('order.payment', { orderId });
    for (const { accountId, reason } of losses) raiseAlert(this.#deps, 'loss', `account ${accountId}`, reason);
    return 'advanced';
  }

  /** Stores the time by which orders expire. Written at most once a second, however often the chain is polled. */
  async #caughtUp(lease: Lease, readUpTo: Millis): Promise<void> {
    if (readUpTo - this.#caughtUpAt < CAUGHT_UP_STEP_MS) return;
    await this.#deps.storage.chains.setCaughtUp(lease, this.#chain.code, readUpTo);
    this.#caughtUpAt = readUpTo;
  }

  /** Stores when the chain was last read. The watchdog uses this time and the one up to which everything was read. */
  async #noteRead(): Promise<void> {
    const now = this.#deps.clock.now();
    if (now - Math.max(this.#readAt, this.#caughtUpAt) < READ_STEP_MS) return;
    await this.#deps.storage.chains.setRead(this.#chain.code, now);
    this.#readAt = now;
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

function unseenTrouble(unseen: UnseenBlocks | null): FoundTrouble | null {
  if (unseen === null) return null;
  const since = new Date(unseen.since).toISOString();
  return { kind: 'unseen', text: `the node keeps no state of blocks up to ${unseen.height} since ${since}` };
}

/** Checks the guarantees of an adapter's scan; a violation is a defect of the adapter. */
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
