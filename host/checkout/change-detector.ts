import type { DepositStore, Order, OrderId, OrderStore, UnconfirmedPaymentStore } from '../../core/index.ts';

/** The sources of {@link UnchangedCheck}. */
export interface UnchangedSources {
  readonly orders: Pick<OrderStore, 'changedAt'>;
  readonly deposits: Pick<DepositStore, 'byOrders'>;
  readonly unconfirmedPayments: Pick<UnconfirmedPaymentStore, 'live'>;
}

interface Question {
  readonly order: Order;
  readonly resolve: (unchanged: boolean) => void;
  readonly reject: (reason: unknown) => void;
}

const AT_ONCE = 500;

/**
 * Checks in the database whether orders without payments are unchanged: three reads for any number of concurrent pages,
 * instead of four for each.
 */
export class UnchangedCheck {
  readonly #sources: UnchangedSources;
  #waiting: Question[] = [];
  #asking = false;

  constructor(sources: UnchangedSources) {
    this.#sources = sources;
  }

  /** @param order - as it was read before, without any deposit */
  ask(order: Order): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ order, resolve, reject });
      if (!this.#asking) void this.#askAll();
    });
  }

  async #askAll(): Promise<void> {
    this.#asking = true;
    while (this.#waiting.length > 0) await this.#askSome(this.#waiting.splice(0, AT_ONCE));
    this.#asking = false;
  }

  async #askSome(questions: readonly Question[]): Promise<void> {
    try {
      const ids = [...new Set(questions.map(({ order }) => order.id))];
      const { orders, deposits: stored, unconfirmedPayments: waiting } = this.#sources;
      const [times, deposits, unconfirmedPayments] = await Promise.all([
        orders.changedAt(ids),
        stored.byOrders(ids),
        waiting.live(ids),
      ]);
      const paid = new Set<OrderId>([...deposits, ...unconfirmedPayments].map(({ orderId }) => orderId));
      for (const { order, resolve } of questions)
        resolve(times.get(order.id) === order.updatedAt && !paid.has(order.id));
    } catch (error) {
      for (const { reject } of questions) reject(error);
    }
  }
}
