import type { AssetCatalogue, Millis, RecordedEvent, RecordedEvents, Transaction } from '../kernel/index.ts';
import type { AmountWords, FindNoticeAccount, OutboxEvent, Subscriber } from '../notify/index.ts';
import type { EventPresenter } from './event-presenter.ts';
import type { ReportScope } from './order-reports.ts';

/** Events, and those that may be subscribed to them. */
export interface AddressedEvents {
  readonly endpoints: readonly Subscriber[];
  readonly events: readonly OutboxEvent[];
}

/** The end of a transaction, at which its recorded changes become events. */
export interface EventScope {
  readonly tx: Transaction;
  readonly presenter: EventPresenter;
  /** Deposits below the least amount of their currency make no event. */
  readonly findAsset: AssetCatalogue['find'];
  readonly at: Millis;
  /** The deposits of these ids, each read once. */
  readonly deposits: ReportScope['deposits'];
  /** The subscribers to the events of an account, read once. */
  readonly subscribers: ReportScope['subscribers'];
}

/** What notices need besides: the receivers, and how an amount is written. */
export interface NoticeScope {
  readonly tx: Transaction;
  readonly find: FindNoticeAccount;
  readonly amount: AmountWords;
}

/** The recorded changes of some types, in order. */
export function eventsOf<Type extends keyof RecordedEvents>(
  events: readonly RecordedEvent[],
  ...types: readonly Type[]
): readonly Extract<RecordedEvent, { readonly type: Type }>[] {
  return events.filter((event): event is Extract<RecordedEvent, { readonly type: Type }> =>
    (types as readonly string[]).includes(event.type),
  );
}
