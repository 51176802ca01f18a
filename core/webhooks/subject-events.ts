import type { Millis } from '../kernel/time.ts';
import type { Transaction } from '../ports/storage.ts';
import type { AmountWords } from '../notices/event-words.ts';
import type { NoticeDraft } from '../notices/notice.ts';
import type { FindNoticeAccount } from '../notices/write-notices.ts';
import type { EventPresenter } from './event-presenter.ts';
import type { OutboxEvent } from './outbox-event.ts';
import type { WebhookEndpoint } from './webhook.ts';

/** Events, and the endpoints that may want them. */
export interface AddressedEvents {
  readonly endpoints: readonly WebhookEndpoint[];
  readonly events: readonly OutboxEvent[];
}

/** What a transaction has changed of one kind of record. */
export interface SubjectEvents {
  /** The writes of that kind, noted. */
  watch(tx: Transaction): Partial<Transaction>;
  /** Read at the end of the transaction, with the records as they are then. */
  events(tx: Transaction, presenter: EventPresenter, at: Millis): Promise<readonly AddressedEvents[]>;
  /** What persons are told of it; read at the end of the transaction, and only where there is a notifier. */
  notices?(tx: Transaction, find: FindNoticeAccount, amount: AmountWords): Promise<readonly NoticeDraft[]>;
}
