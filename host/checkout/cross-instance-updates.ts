import type {
  ChainState,
  Deposit,
  DepositStore,
  Order,
  OrderId,
  OrderStore,
  UnconfirmedPaymentStore,
} from '../../core/index.ts';

/** The sources of {@link OtherInstances}. */
export interface OthersSources {
  readonly orders: Pick<OrderStore, 'changedAt'>;
  readonly deposits: Pick<DepositStore, 'byOrders'>;
  readonly unconfirmedPayments: Pick<UnconfirmedPaymentStore, 'live'>;
}

/** The number of orders per poll: three reads by key. */
const AT_ONCE = 1000;

/**
 * Notices changes of watched orders that caused no event in this process: those by an instance that follows their chain
 * or handled their payer's choice, or by an operator's command.
 */
export class OtherInstances {
  readonly #sources: OthersSources;
  readonly #heights = new Map<string, number>();
  /** The state of each order at the last poll. */
  readonly #marks = new Map<OrderId, string>();
  #next = 0;

  constructor(sources: OthersSources) {
    this.#sources = sources;
  }

  /** The chains whose last block has changed since the previous call. */
  movedChains(states: readonly ChainState[]): ReadonlySet<string> {
    const moved = new Set<string>();
    for (const { chain, cursor } of states) {
      const height = cursor?.height ?? -1;
      if (this.#heights.get(chain) !== height) moved.add(chain);
      this.#heights.set(chain, height);
    }
    return moved;
  }

  /**
   * Polls the next part of these orders, and returns those that changed since the last poll or since they were read.
   */
  async changed(all: readonly Order[]): Promise<readonly Order[]> {
    if (this.#next >= all.length) this.#next = 0;
    const part = all.slice(this.#next, this.#next + AT_ONCE);
    this.#next += AT_ONCE;
    const ids = part.map(({ id }) => id);
    const { orders, deposits: stored, unconfirmedPayments: waiting } = this.#sources;
    const [times, deposits, unconfirmedPayments] = await Promise.all([
      orders.changedAt(ids),
      stored.byOrders(ids),
      waiting.live(ids),
    ]);
    const marks = new Map<OrderId, string>();
    for (const deposit of deposits)
      marks.set(deposit.orderId, `${marks.get(deposit.orderId) ?? ''} ${markOf(deposit)}`);
    for (const { orderId, txid } of unconfirmedPayments) marks.set(orderId, `${marks.get(orderId) ?? ''} ${txid}`);
    return part.filter(({ id, updatedAt }) => {
      // Before the first poll the deposits are unknown, so an order with deposits is read once more.
      const former = this.#marks.get(id) ?? String(updatedAt);
      const mark = `${times.get(id) ?? 0}${marks.get(id) ?? ''}`;
      this.#marks.set(id, mark);
      return former !== mark;
    });
  }

  forget(id: OrderId): void {
    this.#marks.delete(id);
  }
}

const markOf = ({ status, blockHeight }: Deposit): string => `${status}@${blockHeight}`;
