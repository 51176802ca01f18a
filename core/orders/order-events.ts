import type { Callback, OutboxEvent, WebhookEvent } from '../notify/index.ts';
import type { CallbackPresenter } from './callback-presenter.ts';
import type { Deposit } from '../chain/index.ts';
import type { AssetCatalogue, IdGenerator, Storage } from '../kernel/index.ts';
import type { Principal } from '../access/index.ts';
import { reportedOrder } from './order-view.ts';
import type { OrderChains } from './refundable.ts';
import type { Order } from './order.ts';
import type { NewOrder } from './order-store.ts';
import { outboxRows } from '../notify/index.ts';

/** What is needed to format orders. */
export interface OrderEventDeps {
  readonly assets: AssetCatalogue;
  readonly chains: OrderChains;
  readonly presenter: CallbackPresenter;
}

/** An event of an order; its data is the record that callbacks send. */
export function orderEvent(
  { assets, chains, presenter }: OrderEventDeps,
  type: WebhookEvent,
  order: Order,
  deposits: readonly Deposit[],
): OutboxEvent & Pick<Order, 'accountId'> {
  const data = (): string => presenter.present(type, reportedOrder(order, deposits, assets, chains)).body;
  return { accountId: order.accountId, type, subjectId: order.id, at: order.updatedAt, data };
}

export interface NewOrderEventsDeps extends OrderEventDeps {
  readonly storage: Pick<Storage, 'webhooks'>;
  readonly ids: IdGenerator;
}

/** The rows of the outbox that are stored with a new order. */
export class NewOrderEvents {
  readonly #deps: NewOrderEventsDeps;

  constructor(deps: NewOrderEventsDeps) {
    this.#deps = deps;
  }

  /** None for an account without endpoints, which needs no look-up when the credential's look-up has shown it. */
  async of({ hasWebhooks }: Principal, order: NewOrder['order']): Promise<readonly Callback[]> {
    if (hasWebhooks === false) return [];
    const { storage, ids } = this.#deps;
    const endpoints = await storage.webhooks.enabled(order.accountId);
    // No record shows the order's number, which it gets when it is stored.
    return outboxRows(ids, endpoints, orderEvent(this.#deps, 'order.created', { ...order, number: 0 }, []));
  }
}
