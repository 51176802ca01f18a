import { TillgateError } from '../../../../core/index.ts';
import type { Binding } from '../binding.ts';
import { codeOf, wordsOf } from '../errors.ts';
import type { Failure } from '../errors.ts';
import type { ConnectionRole, Dialect, MoveRule, Row, Run } from './dialect.ts';
import { storeOrdersPg } from './pg-store-orders.ts';
import { insertListPg } from './pg-lists.ts';
import { listenPg } from './pg-listen.ts';
import { keepSumsPg } from './pg-sums.ts';

/** Session settings: a short lock timeout, and an idle timeout so that a forgotten transaction does not hold locks. */
const SETTINGS = {
  statement_timeout: '30000',
  lock_timeout: '10000',
  idle_in_transaction_session_timeout: '20000',
  jit: 'off',
} as const;

const WITHOUT_TIME_LIMIT = 'SET LOCAL statement_timeout = 0';

/** Serialisation failure and deadlock: a retry can succeed. */
const RETRY = new Set(['40001', '40P01']);
/**
 * Unavailable: connection lost or shutdown (08, 57P), out of resources or disk (53), I/O error (58), read-only (25006),
 * timeout (55P03, 57014, 25P03, 25P04), access denied (28, 3D000).
 */
const UNAVAILABLE = /^(?:08|53|58|57P|28|3D000|25006|25P03|25P04|55P03|57014)/;
const LOST = /^(?:08|57P|25P03|25P04)|^E[A-Z]/;
const SOCKET = /^E(?:CONN|PIPE|TIMEDOUT|HOST|NET|NOTFOUND|AI_)/;
const WORDS =
  /connection terminated|not queryable|connection error|timeout exceeded when trying|acquir|aborted|connection ended/i;

function classify(error: unknown): Failure {
  const code = codeOf(error);
  if (RETRY.has(code)) return { kind: 'retry', code, connectionLost: false };
  if (UNAVAILABLE.test(code) || SOCKET.test(code))
    return { kind: 'unavailable', code, connectionLost: LOST.test(code) };
  if (code === '' && WORDS.test(wordsOf(error))) return { kind: 'unavailable', code, connectionLost: true };
  return { kind: 'refused', code, connectionLost: false };
}

async function prepare(run: Run, { owned }: ConnectionRole): Promise<void> {
  const set = Object.entries(SETTINGS).map(([name, value]) => `set_config('${name}', '${value}', false)`);
  // A stronger setting than `on`, which waits for a standby, is kept.
  const commit = `set_config('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END, false)`;
  if (owned) await run(`SELECT ${[...set, commit].join(', ')}`);
  const [state] = await run(`SELECT current_setting('synchronous_commit') AS commit, pg_is_in_recovery() AS standby`);
  if (state?.['standby'] === true)
    throw new TillgateError('NOT_READY', 'The database is a standby; decisions are made on the primary.');
  if (state?.['commit'] === 'off') {
    throw new TillgateError(
      'CONFIG_INVALID',
      'PostgreSQL runs with synchronous_commit off on this connection: an order could be acknowledged and lost.',
    );
  }
}

/** CREATE SCHEMA IF NOT EXISTS needs the right to create one even when the schema exists, so look first. */
async function enterSchema(run: Run, schema: string): Promise<void> {
  const [known] = await run('SELECT 1 AS known FROM pg_namespace WHERE nspname = ?', [schema]);
  if (known === undefined) await run(`CREATE SCHEMA ${schema}`);
  await run(`SET LOCAL search_path TO ${schema}`);
}

const legal = ({ moves }: MoveRule): string =>
  moves.map(([from, to]) => `(OLD.status = '${from}' AND NEW.status = '${to}')`).join(' OR ');

function refusing(name: string, words: string): string {
  return `CREATE OR REPLACE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION '${words}' USING ERRCODE = 'check_violation'; END $$`;
}

/** The part of the client of `pg` that runs a prepared statement. */
interface PreparingClient {
  query(statement: {
    readonly name: string;
    readonly text: string;
    readonly values: readonly Binding[];
  }): Promise<unknown>;
}

const numberedTexts = new Map<string, string>();

/** A statement with the placeholders of PostgreSQL. There are few prepared statements, so each text is kept. */
function numbered(sql: string): string {
  let text = numberedTexts.get(sql);
  if (text === undefined) {
    let count = 0;
    text = sql.replaceAll('?', () => `$${++count}`);
    numberedTexts.set(sql, text);
  }
  return text;
}

/** PostgreSQL through knex's `pg` client. */
export const pgDialect: Dialect = {
  // Digit strings compare as bytes, so that the order of ids does not depend on the cluster's locale.
  types: {
    text: 'TEXT COLLATE "C"',
    units: 'NUMERIC(78,0)',
    time: 'BIGINT',
    int: 'BIGINT',
    flag: 'BOOLEAN',
    serial: 'BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
  },
  randomId: `replace(gen_random_uuid()::text, '-', '')`,
  inProcess: false,
  nowMs: '(extract(epoch FROM clock_timestamp()) * 1000)::bigint',
  // READ COMMITTED: every decision uses rows that it locked (an order, a balance, a lease), a compare-and-set or a
  // unique constraint, and a statement that waited for a lock continues with the committed row. A stricter level would
  // turn these waits into retries. See README.md.
  begin: 'BEGIN ISOLATION LEVEL READ COMMITTED',
  beginSnapshot: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
  beginCheckpoint: 'BEGIN ISOLATION LEVEL REPEATABLE READ',
  withoutTimeLimit: WITHOUT_TIME_LIMIT,
  forUpdate: 'FOR UPDATE',
  forShare: 'FOR SHARE',
  forUpdateSkipLocked: 'FOR UPDATE SKIP LOCKED',
  batchesAtOnce: 2,
  manyServers: true,
  partitions: true,
  anyOf: (column) => `${column} = ANY(?)`,
  // An array, because the planner's row estimate for a join may lead to a full table scan.
  anyFrom: (column, query) => `${column} = ANY(ARRAY(${query}))`,
  list: (values) => values,
  lateral: true,
  isNegative: (column) => `${column} < 0`,
  bySize: (column) => [column],
  unitParts: { type: 'NUMERIC', of: (column) => [column] },
  sumParts: (column) => [`CAST(sum(${column}) AS text)`],
  roughSum: (column) => `sum(${column})`,
  rowsOf: (result) => (result as { rows?: Row[] }).rows ?? [],
  prepared: (raw, name, sql, values) => (raw as PreparingClient).query({ name, text: numbered(sql), values }),
  classify,
  prepare,
  checkVersion: async (run) => {
    const [row] = await run(`SELECT current_setting('server_version_num')::int AS version`);
    if (Number(row?.['version']) < 130_000)
      throw new TillgateError('CONFIG_INVALID', 'PostgreSQL 13 or later is needed.');
  },
  migrationLock: (tables) => [
    'SET LOCAL lock_timeout = 0',
    WITHOUT_TIME_LIMIT,
    `SELECT pg_advisory_xact_lock(hashtextextended('tillgate ${tables.migrations}', 0))`,
  ],
  enterSchema,
  enforceMoves: (rule) => [
    refusing(`${rule.table}_refuse_move`, `illegal change of status in ${rule.table}`),
    `DROP TRIGGER IF EXISTS ${rule.table}_moves ON ${rule.table}`,
    `CREATE TRIGGER ${rule.table}_moves BEFORE UPDATE ON ${rule.table} FOR EACH ROW
      WHEN (OLD.status <> NEW.status AND NOT (${legal(rule)})) EXECUTE FUNCTION ${rule.table}_refuse_move()`,
  ],
  enforceUpdates: ({ table, name, column, refused, words }) => [
    // The condition may read other tables, which a trigger's WHEN cannot.
    `CREATE OR REPLACE FUNCTION ${table}_${name}() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN IF ${refused} THEN RAISE EXCEPTION '${words}' USING ERRCODE = 'check_violation'; END IF; RETURN NEW; END $$`,
    `DROP TRIGGER IF EXISTS ${table}_${name} ON ${table}`,
    `CREATE TRIGGER ${table}_${name} BEFORE UPDATE OF ${column} ON ${table} FOR EACH ROW EXECUTE FUNCTION ${table}_${name}()`,
  ],
  keepSums: keepSumsPg,
  queueNew: ({ source, queue, kind, subject }) => [
    `CREATE OR REPLACE FUNCTION ${source}_queue_new() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN INSERT INTO ${queue} (kind, subject) SELECT '${kind}', a.${subject} FROM added AS a; RETURN NULL; END $$`,
    `DROP TRIGGER IF EXISTS ${source}_queue_new ON ${source}`,
    `CREATE TRIGGER ${source}_queue_new AFTER INSERT ON ${source} REFERENCING NEW TABLE AS added
      FOR EACH STATEMENT EXECUTE FUNCTION ${source}_queue_new()`,
  ],
  enforceAppendOnly: (table) => [
    refusing(`${table}_refuse_change`, `${table} is append-only`),
    `DROP TRIGGER IF EXISTS ${table}_append_only ON ${table}`,
    `CREATE TRIGGER ${table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ${table}
      FOR EACH STATEMENT EXECUTE FUNCTION ${table}_refuse_change()`,
    // A statement that names a partition fires the triggers of the partition alone.
    `DO $$ DECLARE part regclass; BEGIN
      FOR part IN SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = '${table}'::regclass LOOP
        EXECUTE format('DROP TRIGGER IF EXISTS ${table}_append_only ON %s', part);
        EXECUTE format('CREATE TRIGGER ${table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON %s
          FOR EACH STATEMENT EXECUTE FUNCTION ${table}_refuse_change()', part);
      END LOOP; END $$`,
  ],
  integrity: async () => [],
  feedPoll: { notifiedMs: 1000, unnotifiedMs: 100 },
  notify: (channel) => [`SELECT pg_notify('${channel}', '')`],
  listen: listenPg,
  orderBatches: () => [],
  storeOrders: storeOrdersPg,
  insertList: insertListPg,
};
