import { TillgateError } from '../../../../core/index.ts';
import { codeOf, wordsOf } from '../errors.ts';
import type { Failure } from '../errors.ts';
import type { ConnectionRole, Dialect, MoveRule, Row, Run } from './dialect.ts';
import { insertionOf, listOf } from './sqlite-lists.ts';
import { orderBatchesSqlite, storeOrdersSqlite } from './sqlite-store-orders.ts';
import { keepSumsSqlite, partsOf } from './sqlite-sums.ts';
import { refuseBadSqlite } from './sqlite-version.ts';

/** How long a statement waits for a lock that another connection holds. */
export const BUSY_TIMEOUT_MS = 5000;
/** Full disk, I/O error, lock timeout, a file that cannot be opened or written. */
const UNAVAILABLE =
  /^SQLITE_(?:FULL|IOERR|BUSY|LOCKED|READONLY|CANTOPEN|NOMEM|PROTOCOL|CORRUPT|NOTADB|INTERRUPT|MISUSE)/;

/** Each pragma with the value it must have when read back. `synchronous` falls back when a WAL file is reopened. */
const PRAGMAS = [
  { name: 'synchronous', set: 'FULL', must: [2] },
  { name: 'foreign_keys', set: 'ON', must: [1] },
] as const;

async function pragma(run: Run, name: string): Promise<unknown> {
  const [row] = await run(`PRAGMA ${name}`);
  return row === undefined ? undefined : Object.values(row)[0];
}

/** @param busyTimeoutMs - how long SQLite itself waits for a lock */
async function prepare(run: Run, { readOnly }: ConnectionRole, busyTimeoutMs: number): Promise<void> {
  await run(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
  // An in-memory database has no WAL and returns `memory`; it does not outlive the process anyway.
  const mode =
    (await run('PRAGMA journal_mode = WAL')).map((row) => row['journal_mode'])[0] ??
    (await pragma(run, 'journal_mode'));
  if (mode !== 'wal' && mode !== 'memory') throw unsafe('journal_mode', mode);
  for (const { name, set, must } of [
    ...PRAGMAS,
    { name: 'busy_timeout', set: String(busyTimeoutMs), must: [busyTimeoutMs] },
  ]) {
    await run(`PRAGMA ${name} = ${set}`);
    const is = await pragma(run, name);
    if (!must.some((value) => value === is)) throw unsafe(name, is);
  }
  if (readOnly) await run('PRAGMA query_only = ON');
}

function unsafe(name: string, value: unknown): TillgateError {
  return new TillgateError(
    'CONFIG_INVALID',
    `SQLite's ${name} is ${String(value)} and cannot be set to a durable value.`,
  );
}

function classify(error: unknown): Failure {
  const code = codeOf(error);
  const words = wordsOf(error);
  if (UNAVAILABLE.test(code)) return { kind: 'unavailable', code, connectionLost: false };
  const away = /Timeout acquiring a connection|Unable to acquire a connection|aborted|Database is closed/i.test(words);
  return { kind: away ? 'unavailable' : 'refused', code, connectionLost: false };
}

const legal = ({ moves }: MoveRule): string =>
  moves.map(([from, to]) => `(OLD.status = '${from}' AND NEW.status = '${to}')`).join(' OR ');

const isNegative = (column: string): string => `substr(${column}, 1, 1) = '-'`;
const signOf = (column: string): string => `CASE WHEN ${isNegative(column)} THEN -1 ELSE 1 END`;

/** SQLite through knex's `sqlite3` or `better-sqlite3` client. */
export const sqliteDialect: Dialect = {
  types: {
    text: 'TEXT',
    units: 'TEXT',
    time: 'INTEGER',
    int: 'INTEGER',
    flag: 'INTEGER',
    serial: 'INTEGER PRIMARY KEY AUTOINCREMENT',
  },
  randomId: 'lower(hex(randomblob(16)))',
  inProcess: true,
  nowMs: `CAST(unixepoch('subsec') * 1000 AS INTEGER)`,
  // The write lock is taken at once: a transaction that reads first and writes later could fail to get it.
  begin: 'BEGIN IMMEDIATE',
  beginSnapshot: 'BEGIN',
  beginCheckpoint: null,
  withoutTimeLimit: null,
  forUpdate: '',
  forShare: '',
  forUpdateSkipLocked: '',
  batchesAtOnce: 1,
  manyServers: false,
  partitions: false,
  anyOf: (column) => `${column} IN (SELECT value FROM json_each(?))`,
  anyFrom: (column, query) => `${column} IN (${query})`,
  list: (values) => JSON.stringify(values),
  lateral: false,
  isNegative,
  bySize: (column) => [`length(${column})`, column],
  unitParts: { type: 'INTEGER', of: partsOf },
  sumParts: (column) =>
    partsOf(`ltrim(${column}, '-')`).map((part) => `CAST(sum(${signOf(column)} * ${part}) AS TEXT)`),
  roughSum: (column) => `sum(CAST(${column} AS REAL))`,
  prepared: null,
  rowsOf: (result) => (Array.isArray(result) ? (result as Row[]) : []),
  classify,
  prepare: (run, role) => prepare(run, role, BUSY_TIMEOUT_MS),
  checkVersion: async (run) => {
    const [row] = await run('SELECT sqlite_version() AS version');
    refuseBadSqlite(String(row?.['version']));
  },
  migrationLock: () => [],
  enterSchema: null,
  enforceMoves: (rule) => [
    `DROP TRIGGER IF EXISTS ${rule.table}_moves`,
    `CREATE TRIGGER ${rule.table}_moves BEFORE UPDATE ON ${rule.table} FOR EACH ROW
      WHEN OLD.status <> NEW.status AND NOT (${legal(rule)})
      BEGIN SELECT RAISE(ABORT, 'illegal change of status in ${rule.table}'); END`,
  ],
  enforceUpdates: ({ table, name, column, refused, words }) => [
    `DROP TRIGGER IF EXISTS ${table}_${name}`,
    `CREATE TRIGGER ${table}_${name} BEFORE UPDATE OF ${column} ON ${table} FOR EACH ROW
      WHEN ${refused}
      BEGIN SELECT RAISE(ABORT, '${words}'); END`,
  ],
  keepSums: keepSumsSqlite,
  queueNew: ({ source, queue, kind, subject }) => [
    `DROP TRIGGER IF EXISTS ${source}_queue_new`,
    `CREATE TRIGGER ${source}_queue_new AFTER INSERT ON ${source} FOR EACH ROW
      BEGIN INSERT INTO ${queue} (kind, subject) VALUES ('${kind}', NEW.${subject}); END`,
  ],
  enforceAppendOnly: (table) =>
    ['UPDATE', 'DELETE'].flatMap((verb) => [
      `DROP TRIGGER IF EXISTS ${table}_no_${verb.toLowerCase()}`,
      `CREATE TRIGGER ${table}_no_${verb.toLowerCase()} BEFORE ${verb} ON ${table} FOR EACH ROW
        BEGIN SELECT RAISE(ABORT, '${table} is append-only'); END`,
    ]),
  integrity: async (run) => {
    const quick = (await run('PRAGMA quick_check'))
      .map((row) => String(Object.values(row)[0]))
      .filter((text) => text !== 'ok');
    const foreign = (await run('PRAGMA foreign_key_check')).map(
      (row) => `a row of ${String(row['table'])} refers to a missing row`,
    );
    return [...quick, ...foreign];
  },
  // Only commands beside the server write in another process; their changes are found by polling.
  feedPoll: { notifiedMs: 250, unnotifiedMs: 250 },
  notify: () => [],
  listen: null,
  orderBatches: orderBatchesSqlite,
  storeOrders: storeOrdersSqlite,
  insertList: (table, columns, records) => ({
    sql: `${insertionOf(table, columns)} WHERE true`,
    bindings: [listOf(columns, records)],
  }),
};

/** SQLite through `node:sqlite`, whose client waits for locks in place of SQLite. */
export const nodeSqliteDialect: Dialect = { ...sqliteDialect, prepare: (run, role) => prepare(run, role, 0) };
