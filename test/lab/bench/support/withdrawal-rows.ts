import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import pg from 'pg';

/** The rows of one withdrawal, written again and again by the bare driver. */
export interface RawRows {
  /** Writes so many withdrawals, one a transaction. */
  write(count: number): Promise<void>;
  close(): Promise<void>;
}

type Row = Readonly<Record<string, unknown>>;

/** What a withdrawal adds, a sample row of each. */
interface Samples {
  readonly transfer: Row;
  readonly entry: Row;
  readonly postings: readonly Row[];
  readonly transaction: Row;
}

const SAMPLE = {
  transfer: `SELECT * FROM transfers WHERE kind = 'withdrawal' LIMIT 1`,
  entry: `SELECT * FROM ledger_entries WHERE kind = 'transfer-reserved' LIMIT 1`,
  postings: `SELECT * FROM ledger_postings WHERE entry_id = (SELECT id FROM ledger_entries WHERE kind = 'transfer-reserved' LIMIT 1)`,
  transaction: `SELECT * FROM transactions WHERE type = 'WITHDRAW' LIMIT 1`,
};

const BALANCE = '999000000000000000000000';
const FIRST_ID = 1_100_000_000_000_000_000n;

/** One statement and what it is given. */
interface Statement {
  readonly sql: string;
  readonly values: readonly unknown[];
}

/** A withdrawal's statements: the balance locked, its rows, both balances moved, the merchant's row numbered. */
function* statements(
  { transfer, entry, postings, transaction }: Samples,
  n: number,
  number: () => unknown,
  mark: (at: number) => string,
): Generator<Statement> {
  const id = String(FIRST_ID + BigInt(n));
  const insert = (table: string, row: Row): Statement => {
    const names = Object.keys(row);
    return {
      sql: `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map((_, at) => mark(at + 1)).join(', ')})`,
      values: Object.values(row),
    };
  };
  yield insert('transfers', { ...transfer, id });
  yield insert('ledger_entries', { ...entry, id, reference: `raw:${id}` });
  for (const posting of postings) yield insert('ledger_postings', { ...posting, entry_id: id });
  for (const { account, currency } of postings) {
    const sql = `UPDATE ledger_balances SET units = ${mark(1)} WHERE account = ${mark(2)} AND currency = ${mark(3)}`;
    yield { sql, values: [BALANCE, account, currency] };
  }
  yield {
    sql: `UPDATE account_counters SET last = last + 1 WHERE account_id = ${mark(1)} AND counter = 'transactions' RETURNING last`,
    values: [transfer['account_id']],
  };
  yield insert('transactions', { ...transaction, id, number: number() });
}

/** In a process of its own: a second SQLite library in this one, closing the till's file, would take its locks away. */
function copyOf(till: string, copy: string): void {
  const script = `new (require('better-sqlite3'))(process.argv[1]).prepare('VACUUM INTO ?').run(process.argv[2])`;
  execFileSync(process.execPath, ['-e', script, till, copy], { cwd: fileURLToPath(new URL('.', import.meta.url)) });
}

/** better-sqlite3, each withdrawal a transaction of its own, in a copy of the till's file with the same durability. */
export function sqliteRows(till: string, copy: string): Promise<RawRows> {
  const Sqlite = createRequire(import.meta.url)('better-sqlite3') as new (path: string) => SqliteFile;
  copyOf(till, copy);
  const file = new Sqlite(copy);
  for (const pragma of ['journal_mode = WAL', 'synchronous = FULL', 'foreign_keys = ON']) file.pragma(pragma);
  const samples: Samples = {
    transfer: file.prepare(SAMPLE.transfer).get(),
    entry: file.prepare(SAMPLE.entry).get(),
    postings: file.prepare(SAMPLE.postings).all(),
    transaction: file.prepare(SAMPLE.transaction).get(),
  };
  const prepared = new Map<string, SqliteStatement>();
  const execute = ({ sql, values }: Statement): unknown => {
    const statement = prepared.get(sql) ?? file.prepare(sql);
    prepared.set(sql, statement);
    return sql.endsWith('RETURNING last') ? statement.get(...values)['last'] : statement.run(...values);
  };
  let written = 0;
  return Promise.resolve({
    write: (count) => {
      for (let i = 0; i < count; i++) {
        let last: unknown;
        file.exec('BEGIN IMMEDIATE');
        for (const statement of statements(
          samples,
          written,
          () => last,
          () => '?',
        ))
          last = execute(statement);
        file.exec('COMMIT');
        written += 1;
      }
      return Promise.resolve();
    },
    close: () => {
      file.close();
      return Promise.resolve();
    },
  });
}

interface SqliteStatement {
  run(...values: unknown[]): unknown;
  get(...values: unknown[]): Row;
  all(): Row[];
}

interface SqliteFile {
  pragma(text: string): unknown;
  exec(sql: string): void;
  prepare(sql: string): SqliteStatement;
  close(): void;
}

/** pg, as many clients as the till has, each with merchants of its own. */
export async function pgRows(url: string, clients: number): Promise<RawRows> {
  const pool = new pg.Pool({ connectionString: url, max: clients });
  const one = async (sql: string): Promise<Row[]> => (await pool.query<Row>(sql)).rows;
  const [transfer = {}] = await one(SAMPLE.transfer);
  const [entry = {}] = await one(SAMPLE.entry);
  const [transaction = {}] = await one(SAMPLE.transaction);
  const postings = await one(SAMPLE.postings);
  const accounts = await one(`SELECT account_id FROM account_counters WHERE counter = 'transactions'`);
  let next = 0;
  const write = async (count: number): Promise<void> => {
    let left = count;
    const client = async (): Promise<void> => {
      while (left-- > 0) {
        const n = next++;
        const account = accounts[n % accounts.length]?.['account_id'];
        const mine = (row: Row): Row => ({ ...row, account_id: account });
        const samples = {
          transfer: mine(transfer),
          entry,
          transaction: mine(transaction),
          postings: postings.map((row) => ({
            ...row,
            account: String(row['account']).replace(/\d+/, String(account)),
          })),
        };
        await oneWithdrawal(pool, samples, n);
      }
    };
    await Promise.all(Array.from({ length: clients }, client));
  };
  return { write, close: () => pool.end() };
}

async function oneWithdrawal(pool: pg.Pool, samples: Samples, n: number): Promise<void> {
  const connection = await pool.connect();
  try {
    await connection.query('BEGIN');
    let last: unknown;
    for (const { sql, values } of statements(
      samples,
      n,
      () => last,
      (at) => `$${at}`,
    )) {
      last = (await connection.query<Row>(sql, [...values])).rows[0]?.['last'];
    }
    await connection.query('COMMIT');
  } finally {
    connection.release();
  }
}
