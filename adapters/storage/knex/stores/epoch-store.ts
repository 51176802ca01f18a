import { assert, INDEX_STEP } from '../../../../core/index.ts';
import type {
  Epoch,
  EpochStatus,
  EpochStore,
  EpochWrites,
  IndexRange,
  Millis,
  Progress,
} from '../../../../core/index.ts';
import type { Database } from '../database.ts';
import type { Row, Run } from '../dialects/dialect.ts';
import { flag, integer, integerOrNull, text } from '../rows/values.ts';
import type { Session } from '../session.ts';
import type { Tables } from '../tables.ts';

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

/** Each maximum is the end of an index. */
async function readProgress(run: Run, t: Tables): Promise<Progress> {
  const [row] = await run(
    `SELECT (SELECT max(id) FROM ${t.orders}) AS newest_order, (SELECT max(id) FROM ${t.entries}) AS newest_entry,
       (SELECT max(id) FROM ${t.payouts}) AS newest_payout, (SELECT max(created_at) FROM ${t.payoutAttempts}) AS attempt_at`,
  );
  assert(row !== undefined, 'a query without FROM has one row');
  const chains = await run(
    `SELECT chain, cursor_height, (SELECT max(created_at) FROM ${t.addresses} a WHERE a.chain = s.chain) AS address_at
     FROM ${t.chainStates} s`,
  );
  const wallets = await run(`SELECT wallet_id, next_index FROM ${t.walletIndexes}`);
  const id = (name: string): string => (row[name] === null ? '' : text(row, name));
  return {
    newest: { order: id('newest_order'), entry: id('newest_entry'), payout: id('newest_payout') },
    lastAt: {
      address: Math.max(0, ...chains.map((chain) => integerOrNull(chain, 'address_at') ?? 0)),
      attempt: integerOrNull(row, 'attempt_at') ?? 0,
    },
    indexes: Object.fromEntries(wallets.map((each) => [text(each, 'wallet_id'), integer(each, 'next_index')])),
    heights: Object.fromEntries(
      chains.map((chain) => [text(chain, 'chain'), integerOrNull(chain, 'cursor_height') ?? 0]),
    ),
  };
}

/** Epochs in `epochs`. */
export class KnexEpochStore implements EpochStore {
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
    return this.#db.snapshot((run) => readProgress(run, this.#db.tables));
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
export class KnexEpochWrites implements EpochWrites {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async lock(): Promise<Epoch> {
    const { run, tables, dialect } = this.#session;
    // The first row is there always: it is the lock of all.
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
    await run(
      `UPDATE ${tables.transfers} SET status = 'FAILED', reason = ?, updated_at = ?, finished_at = ?
       WHERE status = 'REQUESTED' AND account_id IS NULL AND deposit_id IS NULL`,
      [reason, now, now],
    );
    const held = await run(
      `UPDATE ${tables.transfers} SET status = 'HELD', reason = ?, updated_at = ? WHERE status = 'REQUESTED' RETURNING id`,
      [reason, now],
    );
    return held.length;
  }
}
