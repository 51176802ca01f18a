import { KNOWN_MIGRATIONS } from '../migrations/migrate.ts';
import type { Database } from '../database.ts';
import type { Row } from '../dialects/dialect.ts';
import { integer, integerOrNull, jsonOrNull, text } from '../rows/values.ts';
import type { ChainFacts, EngineFacts, EpochFacts, Fact, MigrationFacts, TableFacts } from './facts.ts';
import { word } from './word.ts';

/** Tables with more rows are not counted: the estimate of the database is sufficient. */
const COUNTED = 100_000;

const ENGINE_SQL = {
  sqlite:
    'SELECT sqlite_version() AS version, page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()',
  pg: `SELECT current_setting('server_version') AS version, pg_database_size(current_database()) AS bytes`,
} as const;

const engineOf = ({ dialect }: Database): 'sqlite' | 'pg' => (dialect.inProcess ? 'sqlite' : 'pg');

export async function engine(database: Database): Promise<EngineFacts> {
  const name = engineOf(database);
  const [row = {}] = await database.read(ENGINE_SQL[name]);
  const [clock = {}] = await database.read(`SELECT ${database.dialect.nowMs} AS now`);
  return { name, version: text(row, 'version'), bytes: integer(row, 'bytes'), now: integer(clock, 'now') };
}

export async function migrations({ read, tables }: Database): Promise<MigrationFacts> {
  const rows = await read(`SELECT name, applied_at FROM ${tables.migrations} ORDER BY applied_at, name`);
  const applied = rows.map((row) => ({ name: text(row, 'name'), at: integer(row, 'applied_at') }));
  const names = new Set(applied.map(({ name }) => name));
  return {
    applied: applied.filter(({ name }) => KNOWN_MIGRATIONS.has(name)),
    missing: [...KNOWN_MIGRATIONS].filter((name) => !names.has(name)),
    foreign: applied.filter(({ name }) => !KNOWN_MIGRATIONS.has(name)).length,
  };
}

export async function epoch({ read, tables }: Database): Promise<EpochFacts | null> {
  const [row] = await read(`SELECT number, status, started_at FROM ${tables.epochs} ORDER BY number DESC LIMIT 1`);
  if (row === undefined) return null;
  return { number: integer(row, 'number'), status: word(row['status']), startedAt: integer(row, 'started_at') };
}

export async function chains({ read, tables, dialect }: Database): Promise<readonly ChainFacts[]> {
  const rows = await read(
    `SELECT s.chain, s.cursor_height, s.cursor_time, s.caught_up_at, s.halted_reason IS NOT NULL AS halted, s.trouble,
       p.stopped_at, ${dialect.nowMs} AS now
     FROM ${tables.chainStates} s LEFT JOIN ${tables.payoutStops} p ON p.chain = s.chain ORDER BY s.chain`,
  );
  return rows.map(chainOf);
}

function chainOf(row: Row): ChainFacts {
  const trouble = jsonOrNull<{ readonly kind?: unknown; readonly since?: unknown }>(row, 'trouble');
  const caughtUpAt = integerOrNull(row, 'caught_up_at');
  return {
    chain: word(row['chain']),
    cursorHeight: integerOrNull(row, 'cursor_height'),
    cursorTime: integerOrNull(row, 'cursor_time'),
    caughtUpAt,
    lagSeconds: caughtUpAt === null ? null : Math.round((integer(row, 'now') - caughtUpAt) / 1000),
    halted: row['halted'] === true || row['halted'] === 1,
    trouble: trouble === null ? null : word(trouble.kind),
    troubleSince: typeof trouble?.since === 'number' ? trouble.since : null,
    payoutsStoppedAt: integerOrNull(row, 'stopped_at'),
  };
}

/** Every table of the till with its number of rows, counted for small tables and estimated for large ones. */
export async function tables(
  database: Database,
  fact: <T>(ask: (database: Database) => Promise<T>) => Promise<Fact<T>>,
): Promise<readonly Fact<TableFacts>[]> {
  const { prefix, ...names } = database.tables;
  const found: Fact<TableFacts>[] = [];
  for (const name of Object.values(names)) {
    const each = await fact((db) => tableOf(db, name));
    found.push('unknown' in each ? { ...each, table: `${prefix}${name}` } : each);
  }
  return found;
}

async function tableOf(database: Database, table: string): Promise<TableFacts> {
  const [counted = {}] = await database.read(
    `SELECT count(*) AS records FROM (SELECT 1 FROM ${table} LIMIT ${COUNTED + 1}) counted`,
  );
  const few = integer(counted, 'records') <= COUNTED;
  const guess = await guessOf(database, table);
  return {
    table,
    rows: few ? integer(counted, 'records') : guess.rows,
    exact: few,
    bytes: guess.bytes,
  };
}

/** The estimate: PostgreSQL's statistics, or SQLite's last row number, which also counts deleted rows. */
async function guessOf(
  database: Database,
  table: string,
): Promise<{ readonly rows: number; readonly bytes: number | null }> {
  if (engineOf(database) === 'sqlite') {
    const [row = {}] = await database.read(`SELECT max(rowid) AS records FROM ${table}`);
    return { rows: integerOrNull(row, 'records') ?? 0, bytes: null };
  }
  const [row = {}] = await database.read(
    // A partitioned table has no rows except those of its partitions.
    `SELECT sum(greatest(reltuples, 0))::bigint AS records, sum(pg_total_relation_size(oid))::bigint AS bytes FROM pg_class
     WHERE oid = to_regclass(?) OR oid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = to_regclass(?))`,
    [table, table],
  );
  return { rows: integer(row, 'records'), bytes: integer(row, 'bytes') };
}
