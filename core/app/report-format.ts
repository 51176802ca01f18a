import type { CallbackId, IdGenerator, Millis } from '../kernel/index.ts';
import { coversMessage } from '../notify/index.ts';
import type { Callback, FormatMessage, Subscriber, WebhookFormat } from '../notify/index.ts';
import type { ClaimReport, OrderReport } from './reports.ts';

/** Another format of events, with the orders and the claims that it tells of. */
export interface ReportFormat extends WebhookFormat {
  /** The events of an order's report; none where the format has none for it. */
  messages(report: OrderReport): readonly FormatMessage[];
  /** The event of a claim's report. */
  claim(report: ClaimReport): FormatMessage;
}

/** A subscriber whose events have another format. */
export interface FormattedSubscriber {
  readonly subscriber: Subscriber;
  readonly format: ReportFormat;
}

/** The subscribers whose events have another format. */
export function ofFormats(
  subscribers: readonly Subscriber[],
  formats: readonly ReportFormat[],
): readonly FormattedSubscriber[] {
  return subscribers.flatMap((subscriber) => {
    const format = formats.find(({ name }) => name === subscriber.format);
    return format === undefined ? [] : [{ subscriber, format }];
  });
}

/** The rows of the outbox for the reports about one record, in the order of what happened. */
export function formatRows<Report>(
  ids: IdGenerator,
  to: readonly FormattedSubscriber[],
  reports: readonly Report[],
  messages: (format: ReportFormat, report: Report) => FormatMessage | readonly FormatMessage[],
  subjectOf: (report: Report) => string,
  at: Millis,
): readonly Callback[] {
  return to.flatMap(({ subscriber, format }) =>
    reports
      .flatMap((report) =>
        [messages(format, report)].flat().map((message) => ({ message, subjectId: subjectOf(report) })),
      )
      .filter(({ message }) => coversMessage(subscriber.events, message))
      .map(({ message, subjectId }, index) => reportRow(ids, subscriber, message, subjectId, { at, index })),
  );
}

function reportRow(
  ids: IdGenerator,
  { id: endpointId, accountId, url }: Subscriber,
  message: FormatMessage,
  subjectId: string,
  { at, index }: { readonly at: Millis; readonly index: number },
): Callback {
  const id = ids.next() as CallbackId;
  return {
    ...{
      id,
      accountId,
      orderId: null,
      endpointId,
      subjectId,
      event: message.event,
      credentialId: null,
      method: 'POST',
    },
    ...{ url, body: message.write({ deliveryId: id, webhookId: endpointId, at }), status: 'PENDING', attempts: 0 },
    // A record's events are sent in the order of their times.
    ...{ nextAt: at, createdAt: at + index, deliveredAt: null },
  };
}
