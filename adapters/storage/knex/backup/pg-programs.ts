import { spawn } from 'node:child_process';
import { TillgateError } from '../../../../core/index.ts';
import type { Logger } from '../../../../core/index.ts';
import { classOf } from '../inspection/inspect.ts';
import { openReadOnly } from '../inspection/read-only.ts';
import type { PgConfig } from '../open-storage.ts';
import { isVerified, pgTarget } from '../pg-transport.ts';

/** The environment of a program that is started. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** How much of a program's error output is kept, in characters. */
const KEPT_OUTPUT = 4_000;

/**
 * Writes a consistent copy of a database into a file, by PostgreSQL's `pg_dump`.
 *
 * @throws TillgateError `CONFIG_INVALID` when the program is missing; `NOT_READY` when it fails
 */
export async function dumpPg(database: PgConfig, file: string, environment: Environment): Promise<void> {
  await run('pg_dump', ['--format=custom', '--no-password', `--file=${file}`], database, environment);
}

/**
 * Restores such a copy into an empty database by `pg_restore`, in one transaction: all of it or nothing.
 *
 * @throws TillgateError as {@link dumpPg}
 */
export async function loadPg(database: PgConfig, file: string, environment: Environment): Promise<void> {
  const { PGDATABASE: name = '' } = await connectionOf(database);
  const rights = ['--no-owner', '--no-privileges', '--no-password'];
  await run(
    'pg_restore',
    ['--single-transaction', '--exit-on-error', ...rights, `--dbname=${name}`, file],
    database,
    environment,
  );
}

/** Tables of no schema of PostgreSQL's own and of no extension. */
const TABLES = `SELECT 1 AS found FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p') AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%'
    AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e') LIMIT 1`;

/** Whether a database has no tables. @throws TillgateError `NOT_READY` when it does not answer */
export async function isEmptyPg(config: PgConfig, logger: Logger): Promise<boolean> {
  const database = openReadOnly(config, logger);
  try {
    return (await database.read(TABLES)).length === 0;
  } catch (error) {
    throw new TillgateError('NOT_READY', `The database cannot be read (${classOf(error)}).`, {}, error);
  } finally {
    await database.close();
  }
}

async function run(
  program: 'pg_dump' | 'pg_restore',
  args: readonly string[],
  database: PgConfig,
  environment: Environment,
): Promise<void> {
  // The password is given in the environment: other users of the machine can read the arguments of a program.
  const env = { ...environment, ...(await connectionOf(database)) };
  const child = spawn(program, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-KEPT_OUTPUT)));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', (error) => reject(missing(program, error)));
    child.once('close', resolve);
  });
  if (code === 0) return;
  const older = /server version/.test(said) ? ` Install the client of the server's version or a newer one.` : '';
  throw new TillgateError('NOT_READY', `${program} failed: ${said.trim() || `exit code ${String(code)}`}.${older}`);
}

function missing(program: string, error: unknown): TillgateError {
  const { code = 'unknown' } = error as NodeJS.ErrnoException;
  return new TillgateError(
    'CONFIG_INVALID',
    `${program} cannot be started (${code}): install the client programs of PostgreSQL, of the server's version or a newer one ` +
      '(on Debian and Ubuntu: apt install postgresql-client), so that they are on the PATH.',
    {},
    error,
  );
}

/** The connection that the till uses, as the variables that PostgreSQL's own programs read. Nothing is connected. */
async function connectionOf({ connection }: PgConfig): Promise<Environment> {
  const { host, port, user, database, password, ssl } = await pgTarget(connection, 'database');
  return {
    PGHOST: host,
    PGPORT: String(port),
    PGUSER: user,
    PGDATABASE: database,
    ...(typeof password === 'string' && { PGPASSWORD: password }),
    ...(isVerified(ssl) && { PGSSLMODE: 'verify-full', PGSSLROOTCERT: 'system' }),
    ...filesOf(connection),
    PGAPPNAME: 'tillgate backup',
  };
}

const CERTIFICATES = { sslrootcert: 'PGSSLROOTCERT', sslcert: 'PGSSLCERT', sslkey: 'PGSSLKEY' } as const;

/** The files of certificates that a connection string names; `pg` has their contents. */
function filesOf(connection: PgConfig['connection']): Environment {
  if (typeof connection !== 'string' || !URL.canParse(connection)) return {};
  const { searchParams } = new URL(connection);
  return Object.fromEntries(
    Object.entries(CERTIFICATES).flatMap(([name, variable]) => {
      const file = searchParams.get(name);
      return file === null ? [] : [[variable, file]];
    }),
  );
}
