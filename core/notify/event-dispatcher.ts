import type { AuditRow } from '../access/index.ts';
import type { RecordedEvent, Transaction } from '../kernel/index.ts';
import type { Callback } from './callback.ts';
import type { Notice } from './notice.ts';
import type { NoticeStore } from './notice-store.ts';
import type { WebhookStore } from './webhook-store.ts';

/** The rows that report recorded changes. */
export interface EventRows {
  /** Callbacks of orders, and events for webhook endpoints. */
  readonly callbacks: readonly Callback[];
  readonly notices: readonly Notice[];
  readonly audit: readonly AuditRow[];
}

/** Where a change needs no report. */
export const NO_EVENT_ROWS: EventRows = { callbacks: [], notices: [], audit: [] };

/** The reads of {@link EventDispatcher.ofNewRecord}. */
export interface NewRecordReader {
  readonly webhooks: Pick<WebhookStore, 'enabled'>;
  readonly notices: Pick<NoticeStore, 'account'>;
}

/** Turns recorded changes into rows, which the storage writes in the transaction of the changes. */
export interface EventDispatcher {
  /** The rows of a transaction's changes; called at its end. It reads the final records, and writes nothing. */
  ofTransaction(tx: Transaction, events: readonly RecordedEvent[]): Promise<EventRows>;
  /** The rows of a record that is stored together with them, in a batch with others. */
  ofNewRecord(reader: NewRecordReader, event: RecordedEvent): Promise<EventRows>;
  /** Called after the commit, with the rows that were added. */
  announce(rows: EventRows): void;
}

declare module '../kernel/storage.ts' {
  interface Storage {
    /**
     * Sets the dispatcher of recorded changes. Without one, a transaction that records a change is rolled back with
     * `CONFIG_INVALID`.
     */
    dispatchTo(dispatcher: EventDispatcher): void;
  }
}
