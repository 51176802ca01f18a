import { raiseAlert } from '../notify/index.ts';
import type { DepositId, Lease, OrderId } from '../kernel/index.ts';
import type { OrderStateMachine } from '../orders/index.ts';
import type { ChainAdapter, Deposit, DueHeights } from '../chain/index.ts';
import { isByBalance } from './balance-deposit.ts';
import { canCompare, isStillHeld } from './compare-addresses.ts';
import { confirmEffects } from './confirm-effects.ts';
import { correctDeposits } from './correct-deposits.ts';
import { creditDeposits, makeDepositsSpendable } from './credit-deposit.ts';
import type { Depth } from './credit-deposit.ts';
import { groupsOf } from './note-deposits.ts';
import type { RecordDeps } from './owned-transfers.ts';
import { settledHeights } from './settled-heights.ts';

export interface SettleDepositsDeps extends RecordDeps {
  readonly stateMachine: OrderStateMachine;
}

/** The result of one step. */
export interface Settled {
  readonly changed: number;
  /** True when further deposits may be settled now, after the chain was read. */
  readonly more: boolean;
}

/** An order whose deposits wait for their turn. */
interface Waiting {
  readonly orderId: OrderId;
  readonly deposits: number;
  /** The last deposit that was handled. */
  after: DepositId | null;
}

/** The deposits of one read; of one order in one transaction these are some 400 statements. */
const BATCH = 50;
/** The deposits of one step; between two steps blocks are read and orders expire. */
const STEP = 500;
/** On a slow machine a step ends earlier, by the time that it takes. */
const STEP_MS = 1_000;
/** While blocks wait to be read, which may contain payments of other orders, a step ends sooner. */
const UNREAD_STEP_MS = 200;
const IDLE: Settled = { changed: 0, more: false };

/**
 * Credits deposits with enough confirmations and makes deep ones spendable, a limited number in each step. Orders with
 * few deposits come first, so that thousands of tiny payments to one order do not delay others. All deposits of one
 * order in a batch share a transaction. Before that, their effects are read once more where only the block determines
 * them.
 */
export class SettleDeposits {
  readonly #chain: ChainAdapter;
  readonly #deps: SettleDepositsDeps;
  #queue: Waiting[] = [];
  #heights: DueHeights = { credit: -1, spend: -1 };
  /** The height for which the queue was built. */
  #height = -1;
  /** The height for which everything is done. */
  #doneAt = -1;
  /** Whether this height must be checked again. */
  #again = false;

  constructor(chain: ChainAdapter, deps: SettleDepositsDeps) {
    this.#chain = chain;
    this.#deps = deps;
  }

  /** Starts over, because blocks were rolled back or deposits were found below the cursor. */
  forget(): void {
    this.#doneAt = -1;
    this.#height = -1;
  }

  /**
   * Settles a part of the deposits that are due at this height.
   *
   * @param height - the height of the follower's cursor
   * @param head - the height of the chain, up to which the follower reads next
   * @throws TillgateError `LEASE_LOST`; `NODE_FAILED` while a mark of the chain contradicts the followed blocks
   */
  async step(lease: Lease, height: number, head: number): Promise<Settled> {
    if (height === this.#doneAt) return IDLE;
    if (height !== this.#height) await this.#refill(height);
    let changed = 0;
    const until = this.#deps.clock.now() + (height < head ? UNREAD_STEP_MS : STEP_MS);
    for (let looked = 0; looked < STEP && this.#queue.length > 0 && this.#deps.clock.now() < until;) {
      const batch = await this.#next();
      looked += Math.max(batch.length, 1);
      changed += await this.#settle(lease, batch, height);
    }
    const more = this.#queue.length > 0;
    if (!more) this.#finish(height);
    return { changed, more };
  }

  async #refill(height: number): Promise<void> {
    const { code, policy } = this.#chain;
    const { deposits, chains } = this.#deps.storage;
    const before = new Map(this.#queue.map(({ orderId, after }) => [orderId, after]));
    const deepest = { credit: height, spend: height - policy.spendableConfirmations + 1 };
    let due = await deposits.dueOrders(code, deepest);
    if (due.length > 0 && this.#chain.settled !== undefined) {
      const marks = await settledHeights(this.#chain, chains);
      this.#heights = {
        credit: Math.min(deepest.credit, marks.credit),
        spend: Math.min(deepest.spend, marks.spend),
      };
      // Marks can move without a new block.
      this.#again = true;
      due = await deposits.dueOrders(code, this.#heights);
    } else this.#heights = deepest;
    this.#queue = due.map((order) => ({ ...order, after: before.get(order.orderId) ?? null }));
    this.#height = height;
  }

  #finish(height: number): void {
    this.#doneAt = this.#again ? -1 : height;
    this.#height = -1;
    this.#again = false;
  }

  /** The deposits of as many orders as fit into a batch, or a part of those of one order. */
  async #next(): Promise<readonly Deposit[]> {
    const { deposits } = this.#deps.storage;
    const { code } = this.#chain;
    const [first] = this.#queue;
    if (first === undefined) return [];
    if (first.deposits > BATCH) return this.#part(first);
    let sum = 0;
    const taken = this.#queue.findIndex(({ deposits: count }) => (sum += count) > BATCH);
    const orders = this.#queue.splice(0, taken < 0 ? this.#queue.length : taken);
    const ids = orders.map(({ orderId }) => orderId);
    return deposits.due(code, this.#heights, ids, { after: null, limit: BATCH });
  }

  /** The next part of a large order's deposits; large orders take turns. */
  async #part(order: Waiting): Promise<readonly Deposit[]> {
    const { deposits } = this.#deps.storage;
    const page = { after: order.after, limit: BATCH };
    const batch = await deposits.due(this.#chain.code, this.#heights, [order.orderId], page);
    this.#queue.shift();
    order.after = batch.at(-1)?.id ?? null;
    if (batch.length === BATCH) this.#queue.push(order);
    return batch;
  }

  /** @returns the number of changed deposits */
  async #settle(lease: Lease, batch: readonly Deposit[], height: number): Promise<number> {
    const depth = this.#depth(height);
    const { policy } = this.#chain;
    const mayCredit = (deposit: Deposit): boolean =>
      deposit.status === 'SEEN' &&
      depth.confirmations(deposit) >=
        Math.max(policy.confirmations(deposit.currency, deposit.units), deposit.leastConfirmations ?? 0);
    const isDust = (deposit: Deposit): boolean =>
      deposit.status === 'SEEN' && deposit.units < depth.minDeposit(deposit);
    const due = batch.filter((deposit) => deposit.status === 'CREDITED' || mayCredit(deposit));
    // Dust is credited as nothing whatever its block says, so it need not be read again.
    const worth = await this.#held(
      due.filter((deposit) => !isDust(deposit)),
      height,
    );
    const { confirmed, differing, unread } = await confirmEffects(this.#chain, this.#deps, worth);
    this.#again ||= unread;
    // The corrected deposits wait for the next block, so that two nodes that contradict each other are not read in turn
    // for ever.
    for (const block of differing) await correctDeposits(this.#chain, lease, block, this.#deps);
    let changed = 0;
    for (const group of groupsOf([...due.filter(isDust), ...confirmed], ({ orderId }) => orderId))
      changed += await this.#settleOrder(lease, group[0].orderId, group, depth);
    return changed;
  }

  /** Omits deposits that were found by a balance which no longer shows them. */
  async #held(deposits: readonly Deposit[], height: number): Promise<readonly Deposit[]> {
    const held: Deposit[] = [];
    for (const deposit of deposits)
      if (deposit.status !== 'SEEN' || !isByBalance(deposit) || (await this.#isHeld(deposit, height)))
        held.push(deposit);
    return held;
  }

  async #isHeld(deposit: Deposit, height: number): Promise<boolean> {
    const at = await this.#chain.blockAt(height);
    if (at === null || !canCompare(this.#chain)) return false;
    const held = await isStillHeld(this.#chain, deposit, at, this.#deps.storage);
    const { id, chain, toAddress } = deposit;
    const reason =
      `The address ${toAddress} on ${chain} holds less than the ledger says, so the deposit is not credited. ` +
      `Check the node, and who else has the wallet's keys.`;
    if (held === false) raiseAlert(this.#deps, 'deposit', `deposit ${id}`, reason);
    return held === true;
  }

  async #settleOrder(lease: Lease, orderId: OrderId, group: readonly Deposit[], depth: Depth): Promise<number> {
    const { stateMachine, metrics, events } = this.#deps;
    const { code } = this.#chain;
    const seen = group.filter(({ status }) => status === 'SEEN');
    const { credited, dust, moves } = await creditDeposits(this.#deps, lease, seen, depth);
    if (credited.length > 0)
      metrics.count('tillgate_deposits_total', { chain: code, event: 'credited' }, credited.length);
    if (dust.length > 0) metrics.count('tillgate_deposits_total', { chain: code, event: 'dust' }, dust.length);
    if (credited.length + dust.length > 0) events.emit('order.payment', { orderId });
    stateMachine.publish(moves);
    const now = new Set(credited);
    const deep = group.filter(
      ({ id, status, blockHeight }) => blockHeight <= this.#heights.spend && (status === 'CREDITED' || now.has(id)),
    );
    return credited.length + dust.length + (await makeDepositsSpendable(this.#deps, lease, deep));
  }

  #depth(height: number): Depth {
    const { policy, assets } = this.#chain;
    return {
      policy,
      confirmations: ({ blockHeight }) => height - blockHeight + 1,
      minDeposit: ({ currency }) => assets.find((asset) => asset.currency === currency)?.minDeposit ?? 0n,
    };
  }
}
