import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { TillgateError } from '../../../../core/index.ts';
import type { ChangeFeed, FeedPage, GatewayChange, GatewaySubject } from '../../../../core/index.ts';
import type { Database } from '../database.ts';
import type { Row } from '../dialects/dialect.ts';
import { NotificationListener } from '../notification-listener.ts';
import { integer, text } from '../rows/values.ts';

/** Longer than any lease: whoever still has not confirmed by then neither works nor falls silent. */
const SETTLE_TIMEOUT_MS = 60_000;
const LONGEST_PAUSE_MS = 20;

interface Sighting {
  readonly beat: string;
  /** When this process saw that beat first, by its own steady clock. */
  readonly since: number;
}

/** The feed in three tables; see migration 0002 for the order of versions. */
export class KnexChangeFeed implements ChangeFeed {
  readonly #db: Database;
  readonly #wire: NotificationListener;
  readonly #sightings = new Map<string, Sighting>();
  readonly #settleTimeoutMs: number;

  constructor(db: Database, settleTimeoutMs = SETTLE_TIMEOUT_MS) {
    this.#db = db;
    this.#wire = new NotificationListener(db);
    this.#settleTimeoutMs = settleTimeoutMs;
  }

  get pollMs(): number {
    return this.#wire.pollMs;
  }

  async after(version: number, limit: number): Promise<FeedPage> {
    const { feed, changes } = this.#db.tables;
    // Joined from the head, so that both are of one moment and there is a row in any case.
    const rows = await this.#db.read(
      `SELECT f.version AS head, c.version, c.kind, c.subject_id FROM ${feed} f LEFT JOIN ${changes} c ON c.version > ? ORDER BY c.version LIMIT ?`,
      [version, limit],
      { name: `${changes}_after` },
    );
    const [first] = rows;
    return { head: first === undefined ? 0 : integer(first, 'head'), changes: rows.filter((row) => row['version'] !== null).map(changeOf) };
  }

  async confirm(instance: string, version: number, leaseMs: number): Promise<boolean> {
    const { tables, dialect } = this.#db;
    const { instances } = tables;
    const kept = await this.#db.write(
      `UPDATE ${instances} SET applied = ?, beat = beat + 1, lease_ms = ?, confirmed_at = ${dialect.nowMs} WHERE id = ? RETURNING id`,
      [version, leaseMs, instance],
    );
    if (kept.length > 0) return true;
    // Beats begin somewhere else each time, so that nobody takes a row made anew for the one that was silent.
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
      const behind = await this.#db.read(`SELECT id, beat, lease_ms FROM ${tables.instances} WHERE applied < ?`, [head]);
      if (behind.length === 0) return;
      for (const row of behind) await this.#reapIfSilent(row);
      if (performance.now() - began > this.#settleTimeoutMs) {
        throw new TillgateError('NOT_READY', 'The change is stored, but not every instance has confirmed it; ask again.');
      }
      await pause(wait);
    }
  }

  onNotification(listener: () => void): () => void {
    return this.#wire.subscribe(listener);
  }

  /** Something was published by this process. */
  tell(): void {
    this.#wire.tell();
  }

  async close(): Promise<void> {
    await this.#wire.close();
  }

  /**
   * Removes an instance whose beat has not changed since a whole lease: it trusts itself for less than a lease from
   * before the beat that was seen. Were it to beat just now, its row would have changed and stay.
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
  return { version: integer(row, 'version'), subject: { kind: text(row, 'kind'), id: text(row, 'subject_id') } as GatewaySubject };
}
