import type { BlockRef, Logger } from '../../../core/index.ts';
import type { CoinMove } from './coin-arrivals.ts';
import { contradictory } from './rpc-values.ts';
import type { BalanceAnswer, StateAt, StateReader } from './state-reader.ts';

/** A change of a balance between two heights that no plain transaction explains. */
export interface UnexplainedChange {
  readonly key: string;
  /** The last block whose balance is assumed to be fully explained. */
  readonly from: StateAt;
  readonly to: StateAt;
  readonly fromUnits: bigint;
  readonly toUnits: bigint;
  /** The explained changes between them. */
  readonly moves: readonly CoinMove[];
}

/** The result of comparing balances. */
export interface CoinLook {
  readonly rises: readonly UnexplainedChange[];
  /** The node keeps no state of a block that was to be compared, so its increases are missing here. */
  readonly unseen: boolean;
}

/** The balance of an address at the last block where it was looked at. */
interface Baseline {
  readonly at: StateAt;
  /** `null` while it is not read; it can be read at `at`. */
  readonly units: bigint | null;
  /** The explained changes since then. */
  readonly moves: readonly CoinMove[];
}

/** Baselines as of one block. */
interface Book {
  readonly tip: StateAt | null;
  readonly entries: ReadonlyMap<string, Baseline>;
}

const EMPTY: Book = { tip: null, entries: new Map() };
const NO_MOVES: readonly CoinMove[] = [];

/**
 * Watches the coin balances of addresses to find coins that arrived without a transaction of their own: coins sent by a
 * contract leave no log, and neither do block rewards and withdrawals of the beacon chain (EIP-4895).
 *
 * It compares balances and does not search traces, because every node answers `eth_getBalance`, while few public nodes
 * offer traces. The balances of the previous scan are kept in memory, and one call reads hundreds of balances where the
 * node allows it. `maxCalls` limits the calls of a scan however many orders are open. Addresses whose last check is
 * longest ago come first, so each is checked again after a bounded number of scans.
 *
 * The result of a scan counts only when the next scan begins where it ended: until then it may have been discarded and
 * be requested again, and must then be found again.
 */
export class CoinBalances {
  readonly #state: StateReader;
  readonly #logger: Logger;
  readonly #maxCalls: number;
  #settled: Book = EMPTY;
  #staged: Book = EMPTY;

  constructor(state: StateReader, logger: Logger, maxCalls: number) {
    this.#state = state;
    this.#logger = logger;
    this.#maxCalls = maxCalls;
  }

  /**
   * Compares the balances of `keys` after the scanned blocks with those before.
   *
   * @throws TillgateError `NODE_FAILED` when the node returns two different values for an unexplained balance
   */
  async check(
    blocks: readonly BlockRef[],
    keys: Iterable<string>,
    moves: ReadonlyMap<string, readonly CoinMove[]>,
  ): Promise<CoinLook> {
    const first = blocks[0] as BlockRef;
    const tip = blocks.at(-1) as BlockRef;
    const before: StateAt = { height: first.height - 1, hash: first.parentHash };
    const book = this.#bookAt(before);
    const entries = new Map<string, Baseline>();
    for (const key of keys) {
      const known = book.entries.get(key) ?? { at: before, units: null, moves: NO_MOVES };
      const fresh = moves.get(key);
      entries.set(key, fresh === undefined ? known : { ...known, moves: [...known.moves, ...fresh] });
    }
    const { changes, unseen } = await this.#look(this.#due(entries), entries, tip);
    await this.#confirm(changes);
    this.#staged = { tip, entries };
    const rises = changes.filter(({ fromUnits, toUnits, moves: explained }) => toUnits > sumOf(explained, fromUnits));
    return { rises, unseen };
  }

  #bookAt(before: StateAt): Book {
    const isAt = ({ tip }: Book): boolean => tip?.height === before.height && tip.hash === before.hash;
    if (isAt(this.#staged)) this.#settled = this.#staged;
    else if (!isAt(this.#settled)) this.#settled = EMPTY;
    return this.#settled;
  }

  /**
   * The keys to check in this scan: all, or those whose last check is longest ago. The first check of a key reads two
   * balances.
   */
  #due(entries: ReadonlyMap<string, Baseline>): readonly string[] {
    let left = this.#maxCalls * this.#state.perCall;
    const byHeight = new Map<number, string[]>();
    for (const [key, { at }] of entries) {
      const keys = byHeight.get(at.height);
      if (keys === undefined) byHeight.set(at.height, [key]);
      else keys.push(key);
    }
    const due: string[] = [];
    for (const height of [...byHeight.keys()].sort((a, b) => a - b)) {
      for (const key of byHeight.get(height) as string[]) {
        left -= entries.get(key)?.units === null ? 2 : 1;
        if (left < 0) return due;
        due.push(key);
      }
    }
    return due;
  }

  async #look(
    due: readonly string[],
    entries: Map<string, Baseline>,
    tip: StateAt,
  ): Promise<{ readonly changes: readonly UnexplainedChange[]; readonly unseen: boolean }> {
    const unread = due.filter((key) => entries.get(key)?.units === null);
    const asked = unread.map((key) => ({ key, at: (entries.get(key) as Baseline).at }));
    const earlier = await this.#state.coins(asked);
    const baselines = new Map<string, BalanceAnswer>(unread.map((key, at) => [key, earlier[at] as BalanceAnswer]));
    const now = await this.#state.coins(due.map((key) => ({ key, at: tip })));
    const changes: UnexplainedChange[] = [];
    let blind = 0;
    due.forEach((key, at) => {
      const { at: from, units, moves } = entries.get(key) as Baseline;
      const fromUnits = units ?? baselines.get(key) ?? 'gone';
      const toUnits = now[at] ?? 'gone';
      entries.set(key, { at: tip, units: toUnits === 'gone' ? null : toUnits, moves: NO_MOVES });
      if (fromUnits === 'gone' || toUnits === 'gone') blind += 1;
      else if (toUnits !== sumOf(moves, fromUnits)) changes.push({ key, from, to: tip, fromUnits, toUnits, moves });
    });
    if (blind > 0) {
      this.#logger.warn(
        'the node does not keep the state of these blocks: coins that contracts sent in them are found only by current balances',
        {
          height: tip.height,
          addresses: blind,
        },
      );
    }
    return { changes, unseen: blind > 0 };
  }

  /**
   * Reads unexplained balances again before they are credited. A node may answer for its latest block with the state of
   * the next block, which is arriving at that moment and whose payments will be found there again. By the second read
   * the block is in the past.
   */
  async #confirm(changes: readonly UnexplainedChange[]): Promise<void> {
    const again = await this.#state.coins(
      changes.flatMap(({ key, from, to }) => [
        { key, at: from },
        { key, at: to },
      ]),
    );
    const differs = (units: bigint, answer: BalanceAnswer | undefined): boolean =>
      answer !== 'gone' && answer !== units;
    const misread = changes.filter(
      ({ fromUnits, toUnits }, at) => differs(fromUnits, again[2 * at]) || differs(toUnits, again[2 * at + 1]),
    );
    const [first] = misread;
    if (first === undefined) return;
    this.#forget(misread.map(({ key }) => key));
    throw contradictory(
      `the balance of 0x${first.key} at blocks ${first.from.height} and ${first.to.height} was reported in two ways`,
    );
  }

  /** Marks these balances to be read again. */
  #forget(keys: readonly string[]): void {
    const entries = new Map(this.#settled.entries);
    for (const key of keys) {
      const known = entries.get(key);
      if (known !== undefined) entries.set(key, { ...known, units: null });
    }
    this.#settled = { tip: this.#settled.tip, entries };
    this.#staged = this.#settled;
  }
}

/** The balance after the explained changes. */
export function sumOf(moves: readonly CoinMove[], start: bigint): bigint {
  return moves.reduce((sum, { units }) => sum + units, start);
}
