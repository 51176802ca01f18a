import type { Database } from './database.ts';
import type { Listening } from './dialects/dialect.ts';

const FIRST_RETRY_MS = 50;
const LONGEST_RETRY_MS = 2_000;

/**
 * Wakes followers of the change feed: at once for changes of this process, by the engine's notifications for those of
 * others. A notification is only a hint: followers also poll, more often while no notifications can arrive.
 */
export class NotificationListener {
  readonly #db: Database;
  readonly #listeners = new Set<() => void>();
  #listening: Listening | null = null;
  #connecting: Promise<void> | null = null;
  #retry: NodeJS.Timeout | null = null;
  #retryMs = FIRST_RETRY_MS;
  #closed = false;

  constructor(db: Database) {
    this.#db = db;
  }

  get pollMs(): number {
    const { notifiedMs, unnotifiedMs } = this.#db.dialect.feedPoll;
    return this.#listening === null ? unnotifiedMs : notifiedMs;
  }

  subscribe(listener: () => void): () => void {
    const own = (): void => listener();
    this.#listeners.add(own);
    this.#connect();
    return () => void this.#listeners.delete(own);
  }

  notify(): void {
    for (const listener of this.#listeners) listener();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#listeners.clear();
    if (this.#retry !== null) clearTimeout(this.#retry);
    await this.#connecting;
    await this.#listening?.end();
    this.#listening = null;
  }

  /** Connects with the first listener: commands that only write need no connection. */
  #connect(): void {
    if (this.#closed || this.#listening !== null || this.#connecting !== null) return;
    this.#connecting = this.#listen().finally(() => (this.#connecting = null));
  }

  async #listen(): Promise<void> {
    try {
      const listening = await this.#db.listen(this.#db.tables.changes, {
        onNotification: () => this.notify(),
        onLost: () => this.#lost(),
      });
      if (listening === null) return;
      if (this.#closed) {
        await listening.end();
        return;
      }
      this.#listening = listening;
      this.#retryMs = FIRST_RETRY_MS;
      // Changes may have been published before the connection listened.
      this.notify();
    } catch {
      // Followers poll in the meantime, and report an unavailable database.
      this.#retryLater();
    }
  }

  #lost(): void {
    this.#listening = null;
    this.notify();
    this.#retryLater();
  }

  #retryLater(): void {
    if (this.#closed || this.#retry !== null) return;
    this.#retry = setTimeout(() => {
      this.#retry = null;
      this.#connect();
    }, this.#retryMs);
    this.#retry.unref();
    this.#retryMs = Math.min(this.#retryMs * 2, LONGEST_RETRY_MS);
  }
}
