import type { OrderDetailView } from '../orders/order-view.ts';
import type { WebhookEvent } from '../webhooks/event-types.ts';

/** What a callback sends, written when its event happens, so that every attempt sends the same. */
export interface CallbackContent {
  /** The body of a POST. */
  readonly body: string;
  /** The parameters of a GET, by name, in their order; they replace parameters of the same names in the merchant's URL. */
  readonly query: readonly (readonly [name: string, value: string])[];
}

/** Writes orders in the form that merchants receive: one for all tills, so embedders do not replace it. */
export interface CallbackPresenter {
  present(event: WebhookEvent, order: OrderDetailView): CallbackContent;
}
