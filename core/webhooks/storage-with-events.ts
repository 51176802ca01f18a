import type { AccountId } from '../kernel/ids.ts';
import { withMethods } from '../kernel/with-methods.ts';
import type { Callback } from '../callbacks/callback.ts';
import type { Clock } from '../ports/clock.ts';
import type { EventBus } from '../ports/events.ts';
import type { IdGenerator } from '../ports/id-generator.ts';
import type { Storage, Transaction } from '../ports/storage.ts';
import type { Reservation, ReserveOutcome } from '../ports/transfer-store.ts';
import type { EventPresenter } from './event-presenter.ts';
import { outboxRows } from './outbox-event.ts';
import { AlertNotes } from './alert-events.ts';
import { DepositNotes } from './deposit-events.ts';
import { SecurityNotes } from './security-events.ts';
import type { SubjectEvents } from './subject-events.ts';
import { firstSteps, transferEvents, TransferNotes } from './transfer-events.ts';

export interface StorageEventDeps {
  readonly ids: IdGenerator;
  readonly clock: Clock;
  readonly events: EventBus;
  readonly presenter: EventPresenter;
}

/**
 * The storage, whose transactions write the events of what they have changed before they commit, so that no way to change a record
 * can forget them. An order's events are the state machine's.
 */
export function storageWithEvents(storage: Storage, deps: StorageEventDeps): Storage {
  const { transfers } = storage;
  return withMethods(storage, {
    transaction: async <T>(work: (tx: Transaction) => Promise<T>): Promise<T> => {
      const { result, rows } = await storage.transaction((tx) => noted(tx, work, deps));
      announce(deps.events, rows);
      return result;
    },
    transfers: withMethods(transfers, { reserve: (reservation) => reserve(storage, reservation, deps) }),
  });
}

async function noted<T>(
  tx: Transaction,
  work: (tx: Transaction) => Promise<T>,
  { ids, clock, presenter }: StorageEventDeps,
): Promise<{ readonly result: T; readonly rows: readonly Callback[] }> {
  const notes: readonly SubjectEvents[] = [
    new TransferNotes(),
    new DepositNotes(),
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
  for (const row of rows) await tx.callbacks.add(row);
  return { result, rows };
}

/** A reserve shares its commit with others: its events go along. */
async function reserve(
  { transfers, webhooks }: Storage,
  reservation: Reservation,
  { ids, events: bus, presenter }: StorageEventDeps,
): Promise<ReserveOutcome> {
  const { transfer, row } = reservation;
  const endpoints = await webhooks.enabled(transfer.accountId);
  if (endpoints.length === 0) return transfers.reserve(reservation);
  const told = transferEvents(presenter, row, firstSteps(transfer), transfer.createdAt);
  const events = told.flatMap((event) => outboxRows(ids, endpoints, event));
  const outcome = await transfers.reserve({ ...reservation, events });
  if (outcome.kind === 'reserved') announce(bus, events);
  return outcome;
}

function announce(bus: EventBus, rows: readonly Callback[]): void {
  for (const accountId of new Set<AccountId>(rows.map((row) => row.accountId)))
    bus.emit('callback.queued', { accountId });
}
