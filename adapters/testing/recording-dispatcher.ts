import type { EventDispatcher, EventRows, RecordedEvent, Transaction } from '../../core/index.ts';

/**
 * Keeps what the transactions of a storage record, and reports nothing but the audit log: for a storage without a till.
 */
export class RecordingDispatcher implements EventDispatcher {
  /** The recorded changes, in the order of the transactions' ends; those of a rolled back one too. */
  readonly recorded: RecordedEvent[] = [];
  /** When true, no change can be reported. */
  failing = false;

  async ofTransaction(_tx: Transaction, events: readonly RecordedEvent[]): Promise<EventRows> {
    this.recorded.push(...events);
    if (this.failing) throw new Error('cannot report');
    return {
      callbacks: [],
      notices: [],
      audit: events.flatMap((event) => (event.type === 'audit' ? [event.row] : [])),
    };
  }

  async ofNewRecord(_reader: unknown, event: RecordedEvent): Promise<EventRows> {
    this.recorded.push(event);
    return { callbacks: [], notices: [], audit: [] };
  }

  announce(): void {}
}
