import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { FieldError, Storage } from '../../core/index.ts';
import type { EmbeddedConfig, PgConfig, SqliteConfig, SqliteDriver } from '../../adapters/storage/knex/index.ts';
import { writeOnce } from '../boot/private-files.ts';
import { configError, masterKeyOf } from '../settings/config.ts';

/** The names of a till's tables in an application's database. */
export interface TablePlacement {
  /** A prefix of every table's name: up to 24 lower-case letters, digits and underscores. */
  readonly tablePrefix?: string;
  /** The PostgreSQL schema of the tables, created when it is missing. */
  readonly schema?: string;
}

/** A database that the till opens, by its URL, with further options. */
export interface DatabaseOptions extends TablePlacement {
  /** `sqlite:./till.db`, `sqlite::memory:` or `postgres://user:password@host/name`. */
  readonly url: string;
  /**
   * The driver of a SQLite database: an npm package, or `node` for Node's own `node:sqlite` (Node 22.22.3, 24.15 or
   * later). Without it the package `sqlite3` is used where it can be loaded, and `node:sqlite` where it cannot. A process
   * must use one driver alone for a file: name the one with which the application itself opens it.
   */
  readonly driver?: SqliteDriver;
  /** The connections to PostgreSQL. */
  readonly pool?: { readonly min?: number; readonly max?: number };
  /** True allows a production database on another machine without TLS; false by default. */
  readonly insecure?: boolean;
}

/**
 * Where a till keeps its data: the URL of a database, which the till opens and closes, or an application's knex instance
 * or implementation of `Storage`, both closed by the application.
 */
export type TillDatabase = string | DatabaseOptions | (EmbeddedConfig & TablePlacement) | Storage;

/** A database as the storage adapter takes it. */
export interface DatabasePlace extends TablePlacement {
  readonly config: SqliteConfig | PgConfig | EmbeddedConfig;
  readonly insecure: boolean;
}

const HELP = 'write sqlite:./till.db or postgres://user:password@host/name';

/** The place of a database; `null` for a storage. Problems are added to `problems`. */
export function placeOf(database: Exclude<TillDatabase, Storage>, problems: FieldError[]): DatabasePlace | null {
  if (typeof database === 'string') return placeOf({ url: database }, problems);
  const { tablePrefix, schema } = database;
  const placement = { ...(tablePrefix !== undefined && { tablePrefix }), ...(schema !== undefined && { schema }) };
  if ('knex' in database) return { ...placement, config: { knex: database.knex }, insecure: false };
  const { url, driver: client = 'sqlite', pool, insecure = false } = database;
  const filename = /^sqlite:(?:\/\/(?=\/))?(.+)$/.exec(url)?.[1];
  if (filename !== undefined) {
    return { ...placement, config: { client, filename: filename === MEMORY ? filename : resolve(filename) }, insecure };
  }
  if (/^postgres(?:ql)?:\/\//.test(url) && URL.canParse(url))
    return { ...placement, config: { client: 'pg', connection: url, ...(pool && { pool }) }, insecure };
  problems.push({ path: 'database', message: HELP });
  return null;
}

const MEMORY = ':memory:';

/** The file in which a till on a SQLite file keeps a master key of its own; a database in memory needs none. */
export interface OwnKey {
  readonly file: string | null;
}

/** Whether a till that was given no master key can keep one itself; `null` with a problem where it cannot. */
export function ownKeyOf(place: DatabasePlace | null, problems: FieldError[]): OwnKey | null {
  const config = place?.config;
  if (config === undefined || !('filename' in config)) {
    const message = 'give 32 random bytes, or their base64 or hex (openssl rand -base64 32)';
    problems.push({ path: 'masterKey', message });
    return null;
  }
  if (config.filename === MEMORY) return { file: null };
  const file = `${config.filename}.key`;
  if (existsSync(file) || !hasContent(config.filename)) return { file };
  const message = `the key of ${config.filename} is missing: restore ${file}, or give the key that was used`;
  problems.push({ path: 'masterKey', message });
  return null;
}

const hasContent = (filename: string): boolean => existsSync(filename) && statSync(filename).size > 0;

/** Reads the till's own master key, and creates it before the first use. @throws TillgateError `CONFIG_INVALID` */
export function readOwnKey({ file }: OwnKey): Uint8Array {
  if (file === null) return randomBytes(32);
  writeOnce(file, `${randomBytes(32).toString('base64')}\n`);
  const problems: FieldError[] = [];
  const key = masterKeyOf(readFileSync(file, 'utf8').trim(), problems, file);
  if (key === null) throw configError(problems);
  return key;
}
