import { TillgateError } from '../../../core/index.ts';
import type { EventDispatcher, EventRows, NewRecordReader, RecordedEvent, Transaction } from '../../../core/index.ts';
import { SqlAuditWrites } from './stores/access/audit-store.ts';
import type { Session } from './session.ts';

/** The rows that are stored together with a new record, in a batch with others. */
export interface RecordReports {
  of(event: RecordedEvent): Promise<EventRows>;
  /** Called after the commit. */
  announce(rows: EventRows): void;
}

/** The dispatcher of a storage, which is set after the storage was opened. */
export class Dispatching {
  #dispatcher: EventDispatcher | null = null;

  set(dispatcher: EventDispatcher): void {
    this.#dispatcher = dispatcher;
  }

  /** @throws TillgateError `CONFIG_INVALID` when none was set */
  get(): EventDispatcher {
    if (this.#dispatcher === null)
      throw new TillgateError(
        'CONFIG_INVALID',
        'This storage has no dispatcher for the events of its changes: call storage.dispatchTo(new TillEvents(…)) first.',
      );
    return this.#dispatcher;
  }

  reports(reader: () => NewRecordReader): RecordReports {
    return {
      of: (event) => this.get().ofNewRecord(reader(), event),
      announce: (rows) => this.get().announce(rows),
    };
  }

  /**
   * Writes the rows of recorded changes, the audit log last: its chain has one end, which all instances lock.
   *
   * @returns the rows that were added; `null` without a recorded change
   */
  async write(session: Session, tx: Transaction, events: readonly RecordedEvent[]): Promise<EventRows | null> {
    if (events.length === 0) return null;
    const { callbacks, notices, audit } = await this.get().ofTransaction(tx, events);
    for (const callback of callbacks) if (callback.endpointId === null) await tx.callbacks.add(callback);
    const toEndpoints = callbacks.filter(({ endpointId }) => endpointId !== null);
    if (toEndpoints.length > 0) await tx.callbacks.addAll(toEndpoints);
    const added = notices.length === 0 ? [] : await tx.notices.add(notices);
    await new SqlAuditWrites(session).add(audit);
    return { callbacks, notices: added, audit };
  }
}
