import type { CacheStore, StoredAnswer } from '../../../../../core/index.ts';
import { BatchLoader } from '../../batch-loader.ts';
import type { Database } from '../../database.ts';
import type { Column } from '../../rows/columns.ts';
import { integer, text } from '../../rows/values.ts';

/** The answers of all instances together have at most this size, in characters. */
const MAX_SIZE = 256 * 1024 * 1024;
/** An instance makes room after this time, or after it has written this much. */
const PRUNE_MS = 60_000;
const PRUNE_SIZE = 16 * 1024 * 1024;

type Row = StoredAnswer & { readonly expiresAt: number };

const COLUMNS: readonly Column<Row>[] = [
  { name: 'key', kind: 'text', of: ({ key }) => key },
  { name: 'value', kind: 'text', of: ({ value }) => value },
  { name: 'size', kind: 'bigint', of: ({ value }) => value.length },
  { name: 'expires_at', kind: 'bigint', of: ({ expiresAt }) => expiresAt },
];

/** Answers that gateways share, in `gateway_answers`. All times are the database's. */
export class SqlAnswerStore implements CacheStore {
  readonly #db: Database;
  readonly #maxSize: number;
  /** Look-ups share queries, so that a busy gateway leaves the pool's connections to others. */
  readonly #byKey: BatchLoader<string>;
  #prunedAt = -Infinity;
  #written = 0;

  constructor(db: Database, maxSize = MAX_SIZE) {
    this.#db = db;
    this.#maxSize = maxSize;
    this.#byKey = new BatchLoader((keys) => this.#fetch(keys));
  }

  async find(keys: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const values = await Promise.all(keys.map((key) => this.#byKey.get(key)));
    return new Map(keys.flatMap((key, index) => (values[index] === null ? [] : [[key, values[index] as string]])));
  }

  async put(answers: readonly StoredAnswer[], keepMs: number): Promise<void> {
    if (answers.length === 0) return;
    const { tables, dialect } = this.#db;
    const [clock] = await this.#db.read(`SELECT ${dialect.nowMs} AS now`);
    const now = clock === undefined ? 0 : integer(clock, 'now');
    // Each key once, and all instances in one order, so that none waits for another in a circle.
    const byKey = new Map(answers.map((answer) => [answer.key, { ...answer, expiresAt: now + keepMs }]));
    const rows = [...byKey.values()].sort((one, other) => (one.key < other.key ? -1 : 1));
    const { sql, bindings } = dialect.insertList(tables.answers, COLUMNS, rows);
    const set = ['value', 'size', 'expires_at'].map((name) => `${name} = excluded.${name}`).join(', ');
    await this.#db.write(`${sql} ON CONFLICT (key) DO UPDATE SET ${set}`, bindings);
    for (const { value } of rows) this.#written += value.length;
    if (now - this.#prunedAt >= PRUNE_MS || this.#written >= Math.min(PRUNE_SIZE, this.#maxSize))
      await this.#prune(now);
  }

  close(): Promise<void> {
    // The storage closes its connections itself.
    return Promise.resolve();
  }

  async #fetch(keys: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const { tables, dialect } = this.#db;
    const rows = await this.#db.read(
      `SELECT key, value FROM ${tables.answers} WHERE ${dialect.anyOf('key')} AND expires_at > ${dialect.nowMs}`,
      [dialect.list(keys)],
    );
    return new Map(rows.map((row) => [text(row, 'key'), text(row, 'value')]));
  }

  /** Removes what has expired, and the oldest beyond the largest size. */
  async #prune(now: number): Promise<void> {
    this.#prunedAt = now;
    this.#written = 0;
    const { tables } = this.#db;
    await this.#db.write(
      `DELETE FROM ${tables.answers} WHERE expires_at <= ? OR key IN (
         SELECT key FROM (
           SELECT key, SUM(size) OVER (ORDER BY expires_at DESC, key) AS total FROM ${tables.answers}) sums
         WHERE total > ?)`,
      [now, this.#maxSize],
    );
  }
}
