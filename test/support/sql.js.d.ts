/** The part of sql.js, which has no types of its own, that the simulator uses. */
declare module 'sql.js' {
  export interface Statement {
    bind(values: readonly (number | string | null)[]): boolean;
    step(): boolean;
    get(): unknown[];
    getColumnNames(): string[];
    reset(): void;
  }
  export interface Database {
    prepare(sql: string): Statement;
    /** Closes and reopens the database, which invalidates its statements. */
    export(): Uint8Array;
    create_function(name: string, body: (argument: unknown) => unknown): void;
    run(sql: string): unknown;
    close(): void;
  }
  export interface Sqlite {
    readonly Database: new (image?: Uint8Array | null) => Database;
  }
  export default function initSqlite(): Promise<Sqlite>;
}
