import { assert, INDEX_STEP } from '../../../../../core/index.ts';
import type {
  Epoch,
  EpochStatus,
  EpochStore,
  EpochWrites,
  IndexRange,
  Millis,
  Progress,
  Recorder,
  TransferId,
  TransferStatus,
} from '../../../../../core/index.ts';
import type { Database } from '../../database.ts';
import type { Row, Run } from '../../dialects/dialect.ts';
import { flag, integer, text } from '../../rows/values.ts';
import type { Session } from '../../session.ts';
import type { Tables } from '../../tables.ts';

const COLUMNS = 'number, till_id, status, reason, started_at, marked';

function epochOf(row: Row | undefined): Epoch {
  assert(row !== undefined, 'the database has no epoch');
  return {
    number: integer(row, 'number'),
    tillId: text(row, 'till_id'),
    status: text(row, 'status') as EpochStatus,
    reason: text(row, 'reason'),
    startedAt: integer(row, 'started_at'),
    marked: flag(row, 'marked'),
  };
}

const firstIndexesOf = (row: Row): Readonly<Record<string, number>> =>
  JSON.parse(text(row, 'first_indexes')) as Readonly<Record<string, number>>;

/** Each maximum is the end of an index. One statement: it is read every two seconds, and is a snapshot by itself. */
async function readProgress(run: Run, t: Tables): Promise<Progress> {
  const rows = await run(
    `SELECT 'order' AS kind, '' AS name, CAST(max(id) AS TEXT) AS value FROM ${t.orders}
     UNION ALL SELECT 'entry', '', CAST(max(id) AS TEXT) FROM ${t.entries}
     UNION ALL SELECT 'payout', '', CAST(max(id) AS TEXT) FROM ${t.payouts}
     UNION ALL SELECT 'attempt', '', CAST(max(created_at) AS TEXT) FROM ${t.payoutAttempts}
     UNION ALL SELECT 'address', s.chain,
       CAST((SELECT max(created_at) FROM ${t.addresses} a WHERE a.chain = s.chain) AS TEXT) FROM ${t.chainStates} s
     UNION ALL SELECT 'height', chain, CAST(cursor_height AS TEXT) FROM ${t.chainStates}
     UNION ALL SELECT 'index', wallet_id, CAST(next_index AS TEXT) FROM ${t.walletIndexes}`,
  );
  const of = (kind: string): readonly (readonly [name: string, value: string])[] =>
    rows.flatMap((row) =>
      text(row, 'kind') === kind ? [[text(row, 'name'), row['value'] === null ? '' : text(row, 'value')] as const] : [],
    );
  const one = (kind: string): string => of(kind)[0]?.[1] ?? '';
  const numbers = (kind: string): Record<string, number> =>
    Object.fromEntries(of(kind).map(([name, value]) => [name, Number(value)]));
  return {
    newest: { order: one('order'), entry: one('entry'), payout: one('payout') },
    lastAt: { address: Math.max(0, ...Object.values(numbers('address'))), attempt: Number(one('attempt')) },
    indexes: numbers('index'),
    heights: numbers('height'),
  };
}

/** Epochs in `epochs`. */
export class SqlEpochStore implements EpochStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async current(): Promise<Epoch> {
    const sql = `SELECT ${COLUMNS} FROM ${this.#db.tables.epochs} ORDER BY number DESC LIMIT 1`;
    const [row] = await this.#db.read(sql);
    return epochOf(row);
  }

  progress(): Promise<Progress> {
    return readProgress(this.#db.read, this.#db.tables);
  }

  async missing(newest: Progress['newest'], further: readonly string[]): Promise<readonly string[]> {
    const { orders, entries, payouts } = this.#db.tables;
    const tables = { order: orders, entry: entries, payout: payouts };
    const known = [
      ...(['order', 'entry', 'payout'] as const).map((name) => ({ name, id: newest[name] })),
      ...further.map((id) => ({ name: 'order' as const, id })),
    ].filter(({ id }) => id !== '');
    if (known.length === 0) return [];
    const rows = await this.#db.read(
      known.map(({ name }) => `SELECT '${name}' AS name, id FROM ${tables[name]} WHERE id = ?`).join(' UNION '),
      known.map(({ id }) => id),
    );
    const found = new Set(rows.map((row) => `${text(row, 'name')} ${text(row, 'id')}`));
    return [...new Set(known.map(({ name, id }) => `${name} ${id}`))].filter((record) => !found.has(record));
  }

  async setMarked(): Promise<void> {
    const { epochs } = this.#db.tables;
    await this.#db.write(`UPDATE ${epochs} SET marked = ? WHERE number = (SELECT max(number) FROM ${epochs})`, [true]);
  }

  async ranges(walletId: string): Promise<readonly IndexRange[]> {
    const { epochs, walletIndexes } = this.#db.tables;
    const rows = await this.#db.read(`SELECT first_indexes FROM ${epochs} ORDER BY number`);
    const [wallet] = await this.#db.read(`SELECT next_index FROM ${walletIndexes} WHERE wallet_id = ?`, [walletId]);
    if (wallet === undefined) return [];
    const jumps = rows.flatMap((row) => firstIndexesOf(row)[walletId] ?? []);
    const firsts = [0, ...jumps];
    const ends = [...jumps.map((jump) => jump - INDEX_STEP), integer(wallet, 'next_index')];
    return firsts.map((first, at) => ({ first, end: ends[at] ?? first })).filter(({ first, end }) => end > first);
  }
}

/** Epoch writes of one transaction. */
export class SqlEpochWrites implements EpochWrites {
  readonly #session: Session;
  readonly #record: Recorder;

  constructor(session: Session, record: Recorder) {
    this.#session = session;
    this.#record = record;
  }

  async lock(): Promise<Epoch> {
    const { run, tables, dialect } = this.#session;
    // The first row always exists, so locking it serialises all changes of epochs.
    await run(`SELECT number FROM ${tables.epochs} WHERE number = 1 ${dialect.forUpdate}`);
    const [row] = await run(`SELECT ${COLUMNS} FROM ${tables.epochs} ORDER BY number DESC LIMIT 1`);
    return epochOf(row);
  }

  progress(): Promise<Progress> {
    return readProgress(this.#session.run, this.#session.tables);
  }

  async begin(epoch: Epoch, indexes: Readonly<Record<string, number>>): Promise<void> {
    const { run, tables } = this.#session;
    const { number, tillId, status, reason, startedAt, marked } = epoch;
    await run(`INSERT INTO ${tables.epochs} (${COLUMNS}, first_indexes) VALUES (?, ?, ?, ?, ?, ?, ?)`, [
      number,
      tillId,
      status,
      reason,
      startedAt,
      marked,
      JSON.stringify(indexes),
    ]);
    for (const [walletId, next] of Object.entries(indexes)) {
      await run(
        `INSERT INTO ${tables.walletIndexes} (wallet_id, next_index) VALUES (?, ?)
         ON CONFLICT (wallet_id) DO UPDATE SET next_index = excluded.next_index`,
        [walletId, next],
      );
    }
    await run(`DELETE FROM ${tables.addressPool}`);
  }

  async decide(number: number, status: Exclude<EpochStatus, 'pending'>): Promise<void> {
    const { run, tables } = this.#session;
    const decided = await run(`UPDATE ${tables.epochs} SET status = ? WHERE number = ? RETURNING number`, [
      status,
      number,
    ]);
    assert(decided.length === 1, `epoch ${number} is there`);
  }

  async holdWaiting(reason: string, now: Millis): Promise<number> {
    const { run, tables } = this.#session;
    const failed = await run(
      `UPDATE ${tables.transfers} SET status = 'FAILED', reason = ?, updated_at = ?, finished_at = ?
       WHERE status = 'REQUESTED' AND account_id IS NULL AND deposit_id IS NULL RETURNING id`,
      [reason, now, now],
    );
    const held = await run(
      `UPDATE ${tables.transfers} SET status = 'HELD', reason = ?, updated_at = ? WHERE status = 'REQUESTED' RETURNING id`,
      [reason, now],
    );
    const moved = (rows: readonly Row[], to: TransferStatus): void => {
      for (const row of rows) this.#record({ type: 'transfer.moved', id: text(row, 'id') as TransferId, to });
    };
    moved(failed, 'FAILED');
    moved(held, 'HELD');
    return held.length;
  }
}
