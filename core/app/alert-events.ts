import type { Alert, NoticeDraft } from '../notify/index.ts';
import type { Millis, Transaction } from '../kernel/index.ts';
import { withMethods } from '../kernel/index.ts';
import { alertWords } from './event-words.ts';
import type { EventPresenter } from './event-presenter.ts';
import type { AddressedEvents, SubjectEvents } from './subject-events.ts';

/** Records the alerts that a transaction opens. Raising an open alert again is no event. */
export class AlertNotes implements SubjectEvents {
  readonly #opened: Alert[] = [];

  watch({ alerts }: Transaction): Partial<Transaction> {
    const noted = withMethods(alerts, {
      raise: async (alert) => {
        const opened = await alerts.raise(alert);
        if (opened) this.#opened.push(alert);
        return opened;
      },
    });
    return { alerts: noted };
  }

  async events(tx: Transaction, presenter: EventPresenter, at: Millis): Promise<readonly AddressedEvents[]> {
    if (this.#opened.length === 0) return [];
    const endpoints = await tx.webhooks.enabledOfAdmins();
    const events = this.#opened.map((alert) => ({
      type: 'alert.raised' as const,
      subjectId: alert.id,
      at,
      data: () => presenter.alert(alert),
    }));
    return [{ endpoints, events }];
  }

  /** A held payment has a notice of its own, with its change of status. */
  async notices(): Promise<readonly NoticeDraft[]> {
    return this.#opened
      .filter(({ kind }) => kind !== 'approval')
      .map((alert) => ({ type: 'alert.raised', accountId: null, toOperators: alertWords(alert) }));
  }
}
