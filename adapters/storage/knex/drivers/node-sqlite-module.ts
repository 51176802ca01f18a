import { hasWalResetBug } from '../dialects/sqlite-version.ts';

/** A value that `node:sqlite` binds. It binds every number as a floating-point one, and a bigint as an integer. */
export type NodeSqliteValue = string | number | bigint | Uint8Array | null;

/** The parts of `node:sqlite` that are used here. The types of Node 20 have none of it. */
export interface NodeSqliteStatement {
  /** The rows as arrays, after {@link setReturnArrays}. */
  all(...values: readonly NodeSqliteValue[]): unknown[][];
  run(...values: readonly NodeSqliteValue[]): { readonly changes: number; readonly lastInsertRowid: number };
  columns(): readonly { readonly name: string }[];
  setReturnArrays(enabled: boolean): void;
}

export interface NodeSqliteDatabase {
  prepare(sql: string): NodeSqliteStatement;
  close(): void;
}

export interface NodeSqliteOptions {
  readonly readOnly: boolean;
  readonly enableForeignKeyConstraints: boolean;
}

export interface NodeSqlite {
  readonly DatabaseSync: new (filename: string, options: NodeSqliteOptions) => NodeSqliteDatabase;
  readonly StatementSync: { readonly prototype: object };
}

/** What is known of a Node release; `module` is its `node:sqlite`, if it has one. */
export interface NodeRelease {
  readonly version: string;
  /** The version of its SQLite. */
  readonly sqlite: string | undefined;
  readonly module: NodeSqlite | undefined;
}

/** The first releases of the lines 22 and 24 whose SQLite does not have the WAL-reset bug. */
export const USABLE_NODES = 'Node 22.22.3, 24.15 or later';

/** Loads `node:sqlite`, which Node 20 does not have; a release in which it is experimental says so on its first use. */
export function nodeSqlite(): NodeSqlite | undefined {
  return process.getBuiltinModule('node:sqlite') as NodeSqlite | undefined;
}

/** The release that runs this. */
export function thisNode(): NodeRelease {
  return { version: process.versions.node, sqlite: process.versions['sqlite'], module: nodeSqlite() };
}

/** Why the `node:sqlite` of a release can not keep a till's data; `null` when it can. */
export function defectOfNodeSqlite({ version, sqlite, module }: NodeRelease): string | null {
  const methods: object | undefined = module?.StatementSync.prototype;
  if (methods === undefined) return `Node ${version} has no node:sqlite`;
  if (!('columns' in methods && 'setReturnArrays' in methods)) return `the node:sqlite of Node ${version} is too old`;
  if (sqlite !== undefined && hasWalResetBug(sqlite))
    return `the SQLite ${sqlite} of Node ${version} can damage a database in WAL mode`;
  return null;
}
