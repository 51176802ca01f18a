import type { Millis, Transaction } from '../kernel/index.ts';
import type { AmountWords, FindNoticeAccount, NoticeDraft, OutboxEvent, WebhookEndpoint } from '../notify/index.ts';
import type { EventPresenter } from './event-presenter.ts';

/** Events, and the endpoints that may be subscribed to them. */
export interface AddressedEvents {
  readonly endpoints: readonly WebhookEndpoint[];
  readonly events: readonly OutboxEvent[];
}

/** Records the changes of one kind of record in a transaction. */
export interface SubjectEvents {
  /** The writes of this kind, wrapped to record the changes. */
  watch(tx: Transaction): Partial<Transaction>;
  /** The events of the recorded changes. Called at the end of the transaction, with the final records. */
  events(tx: Transaction, presenter: EventPresenter, at: Millis): Promise<readonly AddressedEvents[]>;
  /** The notices of the recorded changes. Called at the end of the transaction, only when there is a notifier. */
  notices?(tx: Transaction, find: FindNoticeAccount, amount: AmountWords): Promise<readonly NoticeDraft[]>;
}
