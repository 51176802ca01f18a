import type { Millis } from '../kernel/time.ts';
import type { Transaction } from '../ports/storage.ts';
import type { AmountWords } from '../notices/notice.ts';
import type { NoticeDraft } from '../notices/notice.ts';
import type { FindNoticeAccount } from '../notices/write-notices.ts';
import type { EventPresenter } from './event-presenter.ts';
import type { OutboxEvent } from './outbox-event.ts';
import type { WebhookEndpoint } from './webhook.ts';

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
