/** The part of better-sqlite3, which brings no types of its own, that the simulator uses. */
declare module 'better-sqlite3' {
  export interface Statement {
    readonly reader: boolean;
    readonly readonly: boolean;
    all(...bindings: unknown[]): unknown[];
    run(...bindings: unknown[]): unknown;
  }
  export interface Database {
    prepare(sql: string): Statement;
    exec(sql: string): void;
    serialize(): Buffer;
    function(name: string, options: { readonly varargs?: boolean }, body: (...args: unknown[]) => unknown): void;
    close(): void;
  }
  const Sqlite: new (source: string | Buffer) => Database;
  export default Sqlite;
}
