import type { Deposit } from '../chain/index.ts';
import type {
  AccountId,
  AssetCatalogue,
  Clock,
  DepositId,
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
  Subscriber,
} from '../notify/index.ts';
import type { CallbackPresenter, OrderChains } from '../orders/index.ts';
import { alertEvents, alertNotices } from './alert-events.ts';
import { claimEvents, claimNotices } from './claim-events.ts';
import { claimReportRows } from './claim-reports.ts';
import { depositEvents } from './deposit-events.ts';
import type { EventPresenter } from './event-presenter.ts';
import { eventsOf } from './event-scope.ts';
import type { AddressedEvents, EventScope } from './event-scope.ts';
import { movedOrderRows, newOrderRows, undecidedNotices } from './order-events.ts';
import { newOrderReport, orderReports, reportRows } from './order-reports.ts';
import type { ReportScope } from './order-reports.ts';
import { ofFormats } from './report-format.ts';
import type { ReportFormat } from './report-format.ts';
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
  /** Formats of webhook endpoints besides the till's own; none by default. */
  readonly formats?: readonly ReportFormat[];
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
    const scope: EventScope = { tx, presenter, findAsset, at: clock.now(), ...readsOnce(tx) };
    const steps = stepsById(eventsOf(events, 'transfer.added', 'transfer.moved'));
    const audit = eventsOf(events, 'audit').map(({ row }) => row);
    const security = securityNotices(audit);
    const claims = eventsOf(events, 'claim.added', 'claim.decided');
    const alerts = eventsOf(events, 'alert.raised').map(({ alert }) => alert);
    const undecided = eventsOf(events, 'order.payment-undecided').map(({ entry }) => entry);
    const callbacks = [
      ...(await this.#ofOrders(scope, events)),
      ...(await this.#inOtherFormats(scope, events)),
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
      const to = ofFormats(endpoints, this.#deps.formats ?? []);
      const others = to.length === 0 ? [] : reportRows(ids, to, [newOrderReport(event)], event.order.createdAt);
      return { ...NO_EVENT_ROWS, callbacks: [...newOrderRows(this.#orderDeps, endpoints, event.order), ...others] };
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

  async #ofOrders({ subscribers }: EventScope, events: readonly RecordedEvent[]): Promise<readonly Callback[]> {
    const rows: Callback[] = [];
    for (const event of eventsOf(events, 'order.moved'))
      rows.push(...movedOrderRows(this.#orderDeps, await subscribers(event.order.accountId), event));
    return rows;
  }

  /** What orders and claims did, for endpoints that receive it in another format. */
  async #inOtherFormats(scope: EventScope, events: readonly RecordedEvent[]): Promise<readonly Callback[]> {
    const { formats = [], ids } = this.#deps;
    if (formats.length === 0) return [];
    const changes = eventsOf(events, 'order.moved', 'deposit.added', 'deposit.moved', 'deposit.reassigned');
    const found = changes.length === 0 ? [] : await orderReports(scope, changes, formats);
    const claims = eventsOf(events, 'claim.added', 'claim.decided', 'transfer.moved');
    return [
      ...found.flatMap(({ to, reports }) => reportRows(ids, to, reports, scope.at)),
      ...(await claimReportRows(scope, claims, formats, ids)),
    ];
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

/** Reads of a transaction's end that several reports need. */
function readsOnce(tx: Transaction): Pick<ReportScope, 'deposits' | 'subscribers'> {
  const known = new Map<DepositId, Deposit>();
  const accounts = new Map<AccountId, Promise<readonly Subscriber[]>>();
  return {
    deposits: async (ids) => {
      const missing = [...new Set(ids)].filter((id) => !known.has(id));
      if (missing.length > 0) for (const deposit of await tx.deposits.lockAll(missing)) known.set(deposit.id, deposit);
      return known;
    },
    subscribers: (accountId) => {
      const found = accounts.get(accountId) ?? tx.webhooks.enabled(accountId);
      accounts.set(accountId, found);
      return found;
    },
  };
}
