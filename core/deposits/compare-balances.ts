import { isTillgateError } from '../kernel/index.ts';
import type { BlockRef, Lease, Millis } from '../kernel/index.ts';
import type { ChainAdapter, ChainStore } from '../chain/index.ts';
import type { ComparisonState, ComparisonTurn, TurnPlace, UnseenBlocks } from './comparison-store.ts';
import { canCompare, compareAddresses } from './compare-addresses.ts';
import type { ComparableChain, Compared, ComparisonScene } from './compare-addresses.ts';
import { BLOCK_TIME_SLACK_MS } from './block-time.ts';
import type { RecordDeps } from './owned-transfers.ts';

/** The result of one step. */
export interface ComparisonStep {
  readonly found: boolean;
  /** True when more watched addresses must be compared because of unseen blocks. */
  readonly more: boolean;
  /** Unseen blocks that are not covered yet. */
  readonly unseen: UnseenBlocks | null;
}

/** Node calls of one step, for watched addresses and for all others. */
const WATCHED_CALLS = 10;
const OTHER_CALLS = 1;
/** The interval in milliseconds between two passes over the watched addresses and two steps over others. */
const EVERY_MS = 10_000;

/**
 * Compares every assigned address with the ledger, in passes: new ones at once; watched ones within seconds or, when
 * there are many, ten calls at each step; all others with one call every ten seconds. The progress of each pass is
 * stored.
 *
 * Unseen blocks are covered once all watched addresses were compared after them. No order of the chain expires before
 * that.
 */
export class CompareBalances {
  readonly #chain: ChainAdapter;
  readonly #deps: RecordDeps;
  #othersAt: Millis = -Infinity;
  /** The head at which the node could not answer; the next block is tried. */
  #failedAt = -1;
  /** False once the present pass has left an address undecided. */
  #whole = false;

  constructor(chain: ChainAdapter, deps: RecordDeps) {
    this.#chain = chain;
    this.#deps = deps;
  }

  /** Makes one step at the head. @throws TillgateError `LEASE_LOST`, `NOT_READY` */
  async step(lease: Lease, cursor: BlockRef): Promise<ComparisonStep> {
    const chain = this.#chain;
    if (!canCompare(chain)) return { found: false, more: false, unseen: null };
    const { storage, logger } = this.#deps;
    const state = await storage.comparisons.state(chain.code);
    const nothing = { found: false, more: false, unseen: state.unseen };
    const epoch = await storage.epochs.current();
    // Coins that are missing from the ledger of a restored backup may be the till's own.
    if (epoch.status === 'pending' || this.#failedAt === cursor.height) return nothing;
    try {
      const at = await blockToCompare(storage.chains, chain, cursor, state.unseen);
      const confirm: ComparisonScene['confirm'] = async (tx) => {
        await tx.leases.check(lease);
        return true;
      };
      return await this.#turns(chain, lease, state, { at, unseen: state.unseen, epoch, confirm });
    } catch (error) {
      if (!isTillgateError(error, 'NODE_FAILED')) throw error;
      // Following the blocks at the head must not stop.
      this.#failedAt = cursor.height;
      logger.warn('balances could not be compared with the ledger yet', { chain: chain.code, error });
      return nothing;
    }
  }

  async #turns(
    chain: ComparableChain,
    lease: Lease,
    state: ComparisonState,
    scene: ComparisonScene,
  ): Promise<ComparisonStep> {
    const fresh = await this.#compare(chain, scene, 'new', null);
    const watched = await this.#watched(chain, lease, state, scene);
    const others = await this.#others(chain, lease, state, scene);
    const found = [fresh, watched, others].some((each) => each !== null && each.found.length > 0);
    const unseen = watched?.covered === true ? null : state.unseen;
    return { found, more: unseen !== null && watched?.more === true, unseen };
  }

  /** The number of calls for watched addresses; `null` while the next pass is not due. */
  async #watched(
    chain: ComparableChain,
    lease: Lease,
    { watched, unseen }: ComparisonState,
    scene: ComparisonScene,
  ): Promise<(Compared & { readonly more: boolean; readonly covered: boolean }) | null> {
    const { clock } = this.#deps;
    const isDue = watched.after !== null || clock.now() - watched.beganAt >= EVERY_MS;
    const isTooOld = unseen !== null && !this.#covers(watched, unseen);
    if (!isDue && !isTooOld) return null;
    let place = watched.after === null || isTooOld ? this.#begin(scene.at) : watched;
    const found = [];
    let open = 0;
    for (let call = 0; call < WATCHED_CALLS; call++) {
      const part = await this.#compare(chain, scene, 'watched', place.after);
      found.push(...part.found);
      open += part.open;
      place = { ...place, after: part.last };
      if (part.last === null) break;
    }
    if (open > 0) this.#whole = false;
    await this.#deps.storage.comparisons.setPlace(lease, chain.code, 'watched', place);
    const isRelevant = unseen !== null && this.#covers(place, unseen);
    const ended = place.after === null;
    const covered = isRelevant && ended && this.#whole && (await this.#cover(lease, place));
    return { found, open, more: isRelevant && !ended, covered };
  }

  /** Compares the next addresses of all assigned ones, with one call. */
  async #others(
    chain: ComparableChain,
    lease: Lease,
    { all }: ComparisonState,
    scene: ComparisonScene,
  ): Promise<Compared | null> {
    const now = this.#deps.clock.now();
    if (now - this.#othersAt < EVERY_MS) return null;
    this.#othersAt = now;
    let place = all.after === null ? { after: null, beganHeight: scene.at.height, beganAt: now } : all;
    const found = [];
    for (let call = 0; call < OTHER_CALLS; call++) {
      const part = await this.#compare(chain, scene, 'all', place.after);
      found.push(...part.found);
      place = { ...place, after: part.last };
    }
    await this.#deps.storage.comparisons.setPlace(lease, chain.code, 'all', place);
    return { found, open: 0 };
  }

  #covers({ beganHeight }: TurnPlace, unseen: UnseenBlocks): boolean {
    return beganHeight >= unseen.height;
  }

  #begin(at: BlockRef): TurnPlace {
    this.#whole = true;
    return { after: null, beganHeight: at.height, beganAt: this.#deps.clock.now() };
  }

  /** Compares the next addresses of a pass. `last` is `null` at its end. */
  async #compare(
    chain: ComparableChain,
    scene: ComparisonScene,
    turn: ComparisonTurn,
    after: string | null,
  ): Promise<Compared & { readonly last: string | null }> {
    const { storage, clock } = this.#deps;
    const limit = chain.present.perCall;
    // The time of the read blocks: after any downtime, the addresses that were watched then are compared.
    const now = Math.min(clock.now(), scene.at.time - BLOCK_TIME_SLACK_MS);
    const { addresses, last } = await storage.comparisons.next(chain.code, turn, { after, now, limit });
    const compared = await compareAddresses(chain, addresses, scene, this.#deps);
    return { ...compared, last: addresses.length < limit ? null : last };
  }

  async #cover(lease: Lease, { beganHeight }: TurnPlace): Promise<boolean> {
    const { code } = this.#chain;
    const covered = await this.#deps.storage.transaction(async (tx) => {
      await tx.leases.check(lease);
      return tx.comparisons.clearUnseen(code, beganHeight);
    });
    if (covered)
      this.#deps.logger.info('blocks that could not be seen are covered by a comparison of balances', { chain: code });
    return covered;
  }
}

/**
 * The block whose state is compared: one below the last that was read, because a node may answer for its latest block
 * with the state of the next one. The latest itself is used only where the one below is unseen; deposits found there
 * are checked again before they are credited.
 */
async function blockToCompare(
  chains: Pick<ChainStore, 'block'>,
  chain: ChainAdapter,
  cursor: BlockRef,
  unseen: UnseenBlocks | null,
): Promise<BlockRef> {
  if (cursor.height === 0 || (unseen !== null && unseen.height >= cursor.height)) return cursor;
  const height = cursor.height - 1;
  return (await chains.block(chain.code, height)) ?? (await chain.blockAt(height)) ?? cursor;
}
