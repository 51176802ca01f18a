import type { GatewaySubject } from '../../../core/index.ts';
import type { Session } from './session.ts';

/** Changes that are kept; an instance that missed more reloads everything. */
const KEPT = 10_000;
/** Old changes are deleted once in this many versions. */
const PRUNE_EVERY = 256;
const ROWS_AT_ONCE = 200;

/** The gateway changes of one transaction, written at its end, so that the feed's single row is locked only briefly. */
export class ChangePublisher {
  readonly #session: Session;
  readonly #subjects = new Map<string, GatewaySubject>();

  constructor(session: Session) {
    this.#session = session;
  }

  add(subject: GatewaySubject): void {
    this.#subjects.set(`${subject.kind} ${subject.id}`, subject);
  }

  /** The last statements of a transaction; true when a change was published. */
  async write(): Promise<boolean> {
    const subjects = [...this.#subjects.values()];
    if (subjects.length === 0) return false;
    const { run, tables, dialect } = this.#session;
    const [row] = await run(`UPDATE ${tables.feed} SET version = version + ? WHERE id = 1 RETURNING version`, [
      subjects.length,
    ]);
    const head = Number(row?.['version']);
    for (let start = 0; start < subjects.length; start += ROWS_AT_ONCE) {
      const some = subjects.slice(start, start + ROWS_AT_ONCE);
      await run(
        `INSERT INTO ${tables.changes} (version, kind, subject_id, changed_at) VALUES ${some.map(() => `(?, ?, ?, ${dialect.nowMs})`).join(', ')}`,
        some.flatMap(({ kind, id }, index) => [head - subjects.length + start + index + 1, kind, id]),
      );
    }
    if (head % PRUNE_EVERY < subjects.length)
      await run(`DELETE FROM ${tables.changes} WHERE version <= ?`, [head - KEPT]);
    for (const statement of dialect.notify(tables.changes)) await run(statement);
    return true;
  }
}
