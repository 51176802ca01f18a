import type { GatewaySubject } from '../../../core/index.ts';
import type { Session } from './session.ts';

/** How many changes are kept; an instance that was away for longer reads everything anew. */
const KEPT = 10_000;
/** Now and then the old ones are deleted. */
const PRUNE_EVERY = 256;
const ROWS_AT_ONCE = 200;

/** What one transaction has to tell the gateways; written at its end, so that the feed's one row is held shortly. */
export class ChangePublisher {
  readonly #session: Session;
  readonly #subjects = new Map<string, GatewaySubject>();

  constructor(session: Session) {
    this.#session = session;
  }

  add(subject: GatewaySubject): void {
    this.#subjects.set(`${subject.kind} ${subject.id}`, subject);
  }

  /** The last statements of a transaction; true when there was something to tell. */
  async write(): Promise<boolean> {
    const subjects = [...this.#subjects.values()];
    if (subjects.length === 0) return false;
    const { run, tables, dialect } = this.#session;
    const [row] = await run(`UPDATE ${tables.feed} SET version = version + ? WHERE id = 1 RETURNING version`, [subjects.length]);
    const head = Number(row?.['version']);
    for (let start = 0; start < subjects.length; start += ROWS_AT_ONCE) {
      const some = subjects.slice(start, start + ROWS_AT_ONCE);
      await run(
        `INSERT INTO ${tables.changes} (version, kind, subject_id, changed_at) VALUES ${some.map(() => `(?, ?, ?, ${dialect.nowMs})`).join(', ')}`,
        some.flatMap(({ kind, id }, index) => [head - subjects.length + start + index + 1, kind, id]),
      );
    }
    if (head % PRUNE_EVERY < subjects.length) await run(`DELETE FROM ${tables.changes} WHERE version <= ?`, [head - KEPT]);
    for (const statement of dialect.notify(tables.changes)) await run(statement);
    return true;
  }
}
