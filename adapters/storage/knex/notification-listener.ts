import type { Database } from './database.ts';
import type { Listening } from './dialects/dialect.ts';

const FIRST_RETRY_MS = 50;
const LONGEST_RETRY_MS = 2_000;

/**
 * Wakes whoever follows the feed: at once for what this process publishes, by the engine's notifications for what others
 * do. A notification is only a hint: who follows also looks by itself now and then, more often where none will come.
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

  tell(): void {
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

  /** Opened with the first listener: commands that only write need none. */
  #connect(): void {
    if (this.#closed || this.#listening !== null || this.#connecting !== null) return;
    this.#connecting = this.#listen().finally(() => (this.#connecting = null));
  }

  async #listen(): Promise<void> {
    try {
      const listening = await this.#db.listen(this.#db.tables.changes, { news: () => this.tell(), lost: () => this.#lost() });
      if (listening === null) return;
      if (this.#closed) {
        await listening.end();
        return;
      }
      this.#listening = listening;
      this.#retryMs = FIRST_RETRY_MS;
      // Whatever was told before it listened is news, too.
      this.tell();
    } catch {
      // Looking by itself goes on meanwhile, and says so where the database is away.
      this.#retryLater();
    }
  }

  #lost(): void {
    this.#listening = null;
    this.tell();
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
