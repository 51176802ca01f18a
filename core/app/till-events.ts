import type {
  AccountId,
  AssetCatalogue,
  Clock,
  EventBus,
  IdGenerator,
  RecordedEvent,
  Transaction,
} from '../kernel/index.ts';
import { NO_EVENT_ROWS, noticeRows, oncePerAccount, outboxRows } from '../notify/index.ts';
import type {
  Callback,
  EventDispatcher,
  EventRows,
  FindNoticeAccount,
  NewRecordReader,
  Notice,
  NoticeDraft,
  NoticeSettings,
} from '../notify/index.ts';
import type { CallbackPresenter, OrderChains } from '../orders/index.ts';
import { alertEvents, alertNotices } from './alert-events.ts';
import { claimEvents, claimNotices } from './claim-events.ts';
import { depositEvents } from './deposit-events.ts';
import type { EventPresenter } from './event-presenter.ts';
import { eventsOf } from './event-scope.ts';
import type { AddressedEvents, EventScope } from './event-scope.ts';
import { movedOrderRows, newOrderRows, undecidedNotices } from './order-events.ts';
import { securityDrafts, securityEvents, securityNotices } from './security-events.ts';
import { eventsOfTransfer, firstSteps, heldDraft, heldNotices, stepsById, transferEvents } from './transfer-events.ts';

export interface TillEventDeps {
  readonly ids: IdGenerator;
  readonly clock: Clock;
  readonly events: EventBus;
  /** Formats the orders of callbacks. */
  readonly callbacks: CallbackPresenter;
  /** Formats the data of events. */
  readonly presenter: EventPresenter;
  readonly assets: AssetCatalogue;
  readonly chains: OrderChains;
  /** How notices are written; absent for none. */
  readonly notices?: NoticeSettings;
}

/** Reports the changes of a till: to webhook endpoints, by callbacks of orders, by notices, and in the audit log. */
export class TillEvents implements EventDispatcher {
  readonly #deps: TillEventDeps;

  constructor(deps: TillEventDeps) {
    this.#deps = deps;
  }

  async ofTransaction(tx: Transaction, events: readonly RecordedEvent[]): Promise<EventRows> {
    const { clock, presenter } = this.#deps;
    const findAsset: EventScope['findAsset'] = (currency) => this.#deps.assets.find(currency);
    const scope: EventScope = { tx, presenter, findAsset, at: clock.now() };
    const steps = stepsById(eventsOf(events, 'transfer.added', 'transfer.moved'));
    const audit = eventsOf(events, 'audit').map(({ row }) => row);
    const security = securityNotices(audit);
    const claims = eventsOf(events, 'claim.added', 'claim.decided');
    const alerts = eventsOf(events, 'alert.raised').map(({ alert }) => alert);
    const undecided = eventsOf(events, 'order.payment-undecided').map(({ entry }) => entry);
    const callbacks = [
      ...(await this.#ofOrders(tx, events)),
      ...this.#rows(await claimEvents(scope, claims)),
      ...this.#rows(await transferEvents(scope, steps)),
      ...this.#rows(
        await depositEvents(scope, eventsOf(events, 'deposit.added', 'deposit.moved', 'deposit.reassigned')),
      ),
      ...this.#rows(await securityEvents(scope, security)),
      ...this.#rows(await alertEvents(scope, alerts)),
    ];
    const notices = await this.#notices(
      (id) => tx.notices.account(id),
      async (find, { amount }) => [
        ...(await heldNotices({ tx, find, amount }, steps)),
        ...(await claimNotices({ tx, find, amount }, claims)),
        ...(await undecidedNotices({ tx, find, amount }, undecided)),
        ...(await securityDrafts({ tx, find, amount }, security)),
        ...alertNotices(alerts),
      ],
    );
    return { callbacks, notices, audit };
  }

  async ofNewRecord(reader: NewRecordReader, event: RecordedEvent): Promise<EventRows> {
    const { ids, presenter } = this.#deps;
    if (event.type === 'order.created') {
      const endpoints = await reader.webhooks.enabled(event.order.accountId);
      return { ...NO_EVENT_ROWS, callbacks: newOrderRows(this.#orderDeps, endpoints, event.order) };
    }
    if (event.type !== 'transfer.added' || event.row === null) return NO_EVENT_ROWS;
    const { transfer, row } = event;
    const notices = await this.#notices(
      (id) => reader.notices.account(id),
      async (find, { amount }) => (transfer.status === 'HELD' ? [await heldDraft(transfer, find, amount)] : []),
    );
    const endpoints = await reader.webhooks.enabled(row.accountId);
    const told = eventsOfTransfer(presenter, row, firstSteps(transfer), transfer.createdAt);
    return { ...NO_EVENT_ROWS, notices, callbacks: told.flatMap((each) => outboxRows(ids, endpoints, each)) };
  }

  announce({ callbacks, notices }: EventRows): void {
    const { events } = this.#deps;
    for (const notifier of new Set(notices.map((notice) => notice.notifier)))
      events.emit('notice.queued', { notifier });
    for (const accountId of new Set<AccountId | null>(callbacks.map((row) => row.accountId)))
      events.emit('callback.queued', { accountId });
  }

  async #ofOrders(tx: Transaction, events: readonly RecordedEvent[]): Promise<readonly Callback[]> {
    const rows: Callback[] = [];
    for (const event of eventsOf(events, 'order.moved'))
      rows.push(...movedOrderRows(this.#orderDeps, await tx.webhooks.enabled(event.order.accountId), event));
    return rows;
  }

  #rows(addressed: readonly AddressedEvents[]): readonly Callback[] {
    return addressed.flatMap(({ endpoints, events }) =>
      events.flatMap((event) => outboxRows(this.#deps.ids, endpoints, event)),
    );
  }

  /** The rows of notices. Without a notifier nothing is read. */
  async #notices(
    account: FindNoticeAccount,
    draft: (find: FindNoticeAccount, settings: NoticeSettings) => Promise<readonly NoticeDraft[]>,
  ): Promise<readonly Notice[]> {
    const { notices: settings } = this.#deps;
    const channels = settings?.channels() ?? [];
    if (settings === undefined || channels.length === 0) return [];
    const find = oncePerAccount(account);
    const rows: Notice[] = [];
    for (const each of await draft(find, settings))
      rows.push(...(await noticeRows(this.#deps.ids, channels, each, find, this.#deps.clock.now())));
    return rows;
  }

  get #orderDeps(): Parameters<typeof newOrderRows>[0] {
    const { ids, assets, chains, callbacks, presenter } = this.#deps;
    return { ids, assets, chains, callbacks, presenter };
  }
}
