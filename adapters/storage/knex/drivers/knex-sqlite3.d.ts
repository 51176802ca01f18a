/** The part of knex's client for the package `sqlite3`, which has no types of its own, that is used here. */
declare module 'knex/lib/dialects/sqlite3/index.js' {
  import type { Knex } from 'knex';

  /** A statement for the driver. The client adds its result. */
  export interface DriverQuery {
    readonly sql: string;
    readonly bindings?: readonly unknown[];
    readonly method?: string;
    readonly returning?: unknown;
    readonly options?: { readonly name?: string };
    response?: unknown;
    /** What a statement without rows did. */
    context?: { readonly lastID: number; readonly changes: number };
  }

  export default class Sqlite3Client extends Knex.Client {
    /** Loads the driver. @throws Error when the package is missing or its binary does not load */
    _driver(): unknown;
    _query(connection: unknown, query: DriverQuery): Promise<DriverQuery>;
  }
}
