import type { Alert, NoticeDraft } from '../notify/index.ts';
import { alertWords } from './event-words.ts';
import type { AddressedEvents, EventScope } from './event-scope.ts';

/** The events of opened alerts. Raising an open alert again is no event. */
export async function alertEvents(
  { tx, presenter, at }: EventScope,
  opened: readonly Alert[],
): Promise<readonly AddressedEvents[]> {
  if (opened.length === 0) return [];
  const events = opened.map((alert) => ({
    type: 'alert.raised' as const,
    subjectId: alert.id,
    at,
    data: () => presenter.alert(alert),
  }));
  return [{ endpoints: await tx.webhooks.enabledOfAdmins(), events }];
}

/** The notices of opened alerts. A held payment has a notice of its own, with its change of status. */
export function alertNotices(opened: readonly Alert[]): readonly NoticeDraft[] {
  return opened
    .filter(({ kind }) => kind !== 'approval')
    .map((alert) => ({ type: 'alert.raised', accountId: null, toOperators: alertWords(alert) }));
}
