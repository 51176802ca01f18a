import type { AccountId, AssetCatalogue, Clock, EventBus, IdGenerator, Storage, Transaction } from '../kernel/index.ts';
import { withMethods } from '../kernel/index.ts';
import type { Callback, Notice, NoticeSettings } from '../notify/index.ts';
import { noticeRows, oncePerAccount, outboxRows } from '../notify/index.ts';
import type { Reservation, ReserveOutcome, Transfer } from '../payouts/index.ts';
import type { EventPresenter } from './event-presenter.ts';
import { AlertNotes } from './alert-events.ts';
import { DepositNotes } from './deposit-events.ts';
import { OrderNotes } from './order-notes.ts';
import { SecurityNotes } from './security-events.ts';
import type { SubjectEvents } from './subject-events.ts';
import { firstSteps, heldDraft, transferEvents, TransferNotes } from './transfer-events.ts';

export interface StorageEventDeps {
  readonly ids: IdGenerator;
  readonly clock: Clock;
  readonly events: EventBus;
  readonly presenter: EventPresenter;
  /** Deposits below the least amount of their currency make no event. */
  readonly assets: Pick<AssetCatalogue, 'find'>;
  /** How notices are written; absent for none. */
  readonly notices?: NoticeSettings;
}

/**
 * Wraps the storage so that its transactions write the events and notices of their changes before they commit; no code
 * that changes a record can omit them. Events of orders are written by the state machine.
 */
export function storageWithEvents(storage: Storage, deps: StorageEventDeps): Storage {
  const { transfers } = storage;
  return withMethods(storage, {
    transaction: async <T>(work: (tx: Transaction) => Promise<T>): Promise<T> => {
      const { result, rows, notices } = await storage.transaction((tx) => noted(tx, work, deps));
      announce(deps.events, rows, notices);
      return result;
    },
    transfers: withMethods(transfers, { reserve: (reservation) => reserve(storage, reservation, deps) }),
  });
}

async function noted<T>(
  tx: Transaction,
  work: (tx: Transaction) => Promise<T>,
  deps: StorageEventDeps,
): Promise<{ readonly result: T; readonly rows: readonly Callback[]; readonly notices: readonly Notice[] }> {
  const { ids, clock, presenter, assets } = deps;
  const notes: readonly SubjectEvents[] = [
    new TransferNotes(),
    new DepositNotes(assets),
    new OrderNotes(),
    new SecurityNotes(),
    new AlertNotes(),
  ];
  const result = await work(
    withMethods(tx, Object.assign({}, ...notes.map((each) => each.watch(tx))) as Partial<Transaction>),
  );
  const rows: Callback[] = [];
  for (const each of notes)
    for (const { endpoints, events } of await each.events(tx, presenter, clock.now()))
      for (const event of events) rows.push(...outboxRows(ids, endpoints, event));
  if (rows.length > 0) await tx.callbacks.addAll(rows);
  return { result, rows, notices: await tell(tx, notes, deps) };
}

/** Writes the notices. Without a notifier nothing is read or written. */
async function tell(
  tx: Transaction,
  notes: readonly SubjectEvents[],
  { ids, clock, notices: settings }: StorageEventDeps,
): Promise<readonly Notice[]> {
  const channels = settings?.channels() ?? [];
  if (settings === undefined || channels.length === 0) return [];
  const find = oncePerAccount((id) => tx.notices.account(id));
  const rows: Notice[] = [];
  for (const each of notes)
    for (const draft of (await each.notices?.(tx, find, settings.amount)) ?? [])
      rows.push(...(await noticeRows(ids, channels, draft, find, clock.now())));
  return tx.notices.add(rows);
}

/** A reserve shares its commit with others, so its events are passed along with it. */
async function reserve(storage: Storage, reservation: Reservation, deps: StorageEventDeps): Promise<ReserveOutcome> {
  const { transfers, webhooks } = storage;
  const { ids, events: bus, presenter } = deps;
  const { transfer, row } = reservation;
  const notices = transfer.status === 'HELD' ? await heldNotices(storage, transfer, deps) : [];
  const endpoints = await webhooks.enabled(transfer.accountId);
  if (endpoints.length === 0 && notices.length === 0) return transfers.reserve(reservation);
  const told = transferEvents(presenter, row, firstSteps(transfer), transfer.createdAt);
  const events = told.flatMap((event) => outboxRows(ids, endpoints, event));
  const outcome = await transfers.reserve({ ...reservation, events, notices });
  if (outcome.kind === 'reserved') announce(bus, events, notices);
  return outcome;
}

async function heldNotices(
  storage: Storage,
  transfer: Transfer,
  { ids, clock, notices: settings }: StorageEventDeps,
): Promise<readonly Notice[]> {
  const channels = settings?.channels() ?? [];
  if (settings === undefined || channels.length === 0) return [];
  const find = oncePerAccount((id) => storage.notices.account(id));
  return noticeRows(ids, channels, await heldDraft(transfer, find, settings.amount), find, clock.now());
}

function announce(bus: EventBus, rows: readonly Callback[], notices: readonly Notice[]): void {
  for (const notifier of new Set(notices.map((notice) => notice.notifier))) bus.emit('notice.queued', { notifier });
  for (const accountId of new Set<AccountId>(rows.map((row) => row.accountId)))
    bus.emit('callback.queued', { accountId });
}
