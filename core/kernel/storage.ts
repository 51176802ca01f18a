import type { LeaseStore, LeaseWrites } from './lease-store.ts';
import { token } from './token.ts';

/**
 * The changes that a transaction records for the outside world: webhook events, callbacks, notices and the audit log.
 * Each room adds its own, by the name of the event, by `declare module`.
 */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type
export interface RecordedEvents {}

/** A recorded change, with its name as `type`. */
export type RecordedEvent = {
  readonly [Type in keyof RecordedEvents]: { readonly type: Type } & RecordedEvents[Type];
}[keyof RecordedEvents];

/** Records a change in the transaction that makes it. */
export type Recorder = (event: RecordedEvent) => void;

/** Everything that a transaction can write. Each room adds its stores beside their interfaces, by `declare module`. */
export interface Transaction {
  readonly documents: DocumentWrites;
  readonly leases: LeaseWrites;
  /**
   * Records a change. At the end of the transaction, before its commit, the storage's event dispatcher turns the recorded
   * changes into rows of the outbox, of the notices and of the audit log. The stores record the changes of status that
   * they write; a change that has no status of its own is recorded by the code that makes it.
   */
  readonly record: Recorder;
}

/** Records a further change in the same transaction, for the audit log. */
export type AlsoRecord<Result> = (tx: Transaction, result: Result) => void;

/** Writes of documents. */
export interface DocumentWrites {
  /** Writes the document if the stored version is `expectedVersion` (0 for none); false when it is not. */
  write(key: string, value: string, expectedVersion: number): Promise<boolean>;
}

/** A small versioned document of a plugin or of the host, by key. */
export interface DocumentStore extends DocumentWrites {
  read(key: string): Promise<{ readonly value: string; readonly version: number } | null>;
}

/**
 * The only place where state is stored. Each room adds its stores beside their interfaces, by `declare module`.
 *
 * Every method may throw TillgateError `NOT_READY` when the database is unavailable, full or shutting down; nothing was
 * written then.
 */
export interface Storage {
  readonly documents: DocumentStore;
  readonly leases: LeaseStore;
  /**
   * Runs `work` in one serialised, durable transaction and commits it; an error rolls all of it back. A serialisation
   * failure or deadlock is retried from the start, so `work` must have no effect other than its writes.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** Migrates the schema; safe to call from several instances at once. */
  migrate(): Promise<void>;
  /** @throws TillgateError `NOT_READY` when the database does not answer. */
  ping(): Promise<void>;
  /**
   * Writes one row, always the same, about as large as a few orders. @throws TillgateError `NOT_READY` when the
   * database accepts no writes, such as on a full disk
   */
  probeWrite(): Promise<void>;
  /**
   * Checks that this release supports the database's schema; absent where the schema cannot change while it runs.
   *
   * @throws TillgateError `CONFIG_INVALID` when a newer release has migrated it
   */
  checkSchema?(): Promise<void>;
  close(): Promise<void>;
}

export const STORAGE = token<Storage>('Storage');
