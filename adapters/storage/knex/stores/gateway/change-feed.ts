import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { TillgateError } from '../../../../../core/index.ts';
import type { ChangeFeed, FeedPage, GatewayChange, GatewaySubject } from '../../../../../core/index.ts';
import type { Database } from '../../database.ts';
import type { Row } from '../../dialects/dialect.ts';
import { NotificationListener } from '../../notification-listener.ts';
import { integer, text } from '../../rows/values.ts';

/** Longer than any lease: an instance that has not confirmed by then is neither serving nor expired. */
const SETTLE_TIMEOUT_MS = 60_000;
const LONGEST_PAUSE_MS = 20;

interface Sighting {
  readonly beat: string;
  /** When this process first saw the beat, by its monotonic clock. */
  readonly since: number;
}

/** The change feed, in three tables. A version is taken under a lock on the only row of `feed`, so versions commit in their order. */
export class SqlChangeFeed implements ChangeFeed {
  readonly #db: Database;
  readonly #notifications: NotificationListener;
  readonly #sightings = new Map<string, Sighting>();
  readonly #settleTimeoutMs: number;

  constructor(db: Database, settleTimeoutMs = SETTLE_TIMEOUT_MS) {
    this.#db = db;
    this.#notifications = new NotificationListener(db);
    this.#settleTimeoutMs = settleTimeoutMs;
  }

  get pollMs(): number {
    return this.#notifications.pollMs;
  }

  async after(version: number, limit: number): Promise<FeedPage> {
    const { feed, changes } = this.#db.tables;
    // A left join from the head, so that head and changes are consistent and there is always a row.
    const rows = await this.#db.read(
      `SELECT f.version AS head, c.version, c.kind, c.subject_id FROM ${feed} f LEFT JOIN ${changes} c ON c.version > ? ORDER BY c.version LIMIT ?`,
      [version, limit],
      { name: `${changes}_after` },
    );
    const [first] = rows;
    return {
      head: first === undefined ? 0 : integer(first, 'head'),
      changes: rows.filter((row) => row['version'] !== null).map(changeOf),
    };
  }

  async confirm(instance: string, version: number, leaseMs: number): Promise<boolean> {
    const { tables, dialect } = this.#db;
    const { instances } = tables;
    const kept = await this.#db.write(
      `UPDATE ${instances} SET applied = ?, beat = beat + 1, lease_ms = ?, confirmed_at = ${dialect.nowMs} WHERE id = ? RETURNING id`,
      [version, leaseMs, instance],
    );
    if (kept.length > 0) return true;
    // Beats start at the current time, so that a new row differs from the silent one that it replaces.
    await this.#db.write(
      `INSERT INTO ${instances} (id, applied, beat, lease_ms, confirmed_at) VALUES (?, ?, ${dialect.nowMs}, ?, ${dialect.nowMs})
       ON CONFLICT (id) DO UPDATE SET applied = excluded.applied, beat = ${instances}.beat + 1, lease_ms = excluded.lease_ms`,
      [instance, version, leaseMs],
    );
    return false;
  }

  async leave(instance: string): Promise<void> {
    await this.#db.write(`DELETE FROM ${this.#db.tables.instances} WHERE id = ?`, [instance]);
  }

  async reap(): Promise<void> {
    const rows = await this.#db.read(`SELECT id, beat, lease_ms FROM ${this.#db.tables.instances}`);
    this.#forgetAllBut(rows);
    for (const row of rows) await this.#reapIfSilent(row);
  }

  async settled(): Promise<void> {
    const { tables } = this.#db;
    const began = performance.now();
    const { head } = await this.after(0, 1);
    for (let wait = 1; ; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
      const behind = await this.#db.read(`SELECT id, beat, lease_ms FROM ${tables.instances} WHERE applied < ?`, [
        head,
      ]);
      if (behind.length === 0) return;
      for (const row of behind) await this.#reapIfSilent(row);
      if (performance.now() - began > this.#settleTimeoutMs) {
        throw new TillgateError('NOT_READY', 'The change is stored, but not every instance has confirmed it; retry.');
      }
      await pause(wait);
    }
  }

  onNotification(listener: () => void): () => void {
    return this.#notifications.subscribe(listener);
  }

  /** Wakes followers after this process published a change. */
  notify(): void {
    this.#notifications.notify();
  }

  async close(): Promise<void> {
    await this.#notifications.close();
  }

  /**
   * Removes an instance whose beat has not changed for a whole lease: its own state expired earlier, because a lease
   * counts from before the beat that renews it. The compare-and-set keeps a row that has just been renewed.
   */
  async #reapIfSilent(row: Row): Promise<void> {
    const id = text(row, 'id');
    const beat = String(row['beat']);
    const now = performance.now();
    const seen = this.#sightings.get(id);
    if (seen?.beat !== beat) this.#sightings.set(id, { beat, since: now });
    else if (now - seen.since >= integer(row, 'lease_ms')) {
      await this.#db.write(`DELETE FROM ${this.#db.tables.instances} WHERE id = ? AND beat = ?`, [id, Number(beat)]);
    }
  }

  #forgetAllBut(rows: readonly Row[]): void {
    const present = new Set(rows.map((row) => text(row, 'id')));
    for (const id of this.#sightings.keys()) if (!present.has(id)) this.#sightings.delete(id);
  }
}

function changeOf(row: Row): GatewayChange {
  return {
    version: integer(row, 'version'),
    subject: { kind: text(row, 'kind'), id: text(row, 'subject_id') } as GatewaySubject,
  };
}
