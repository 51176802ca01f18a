import type { OrderDetailView } from './order-view.ts';
import type { WebhookEvent } from '../notify/index.ts';

/** The content of a callback, created when its event happens, so that every attempt sends the same. */
export interface CallbackContent {
  /** The body of a POST. */
  readonly body: string;
  /** The parameters of a GET, in order; they replace parameters of the same names in the merchant's URL. */
  readonly query: readonly (readonly [name: string, value: string])[];
}

/** Formats orders as merchants receive them. All tills have the same format, so embedders do not replace it. */
export interface CallbackPresenter {
  present(event: WebhookEvent, order: OrderDetailView): CallbackContent;
}
