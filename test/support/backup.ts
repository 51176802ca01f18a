import type { TestStorage } from './storage.ts';

type Rows = readonly Record<string, unknown>[];

/**
 * Backs up a test's database row by row, so that it can be restored while the storage stays open.
 *
 * @returns a function that restores it
 */
export async function takeBackup({ sql, engine }: TestStorage): Promise<() => Promise<void>> {
  const tables =
    engine === 'pg'
      ? await sql(
          `SELECT relname AS name FROM pg_class
           WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`,
        )
      : await sql(`SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`);
  const kept = new Map<string, Rows>();
  for (const { name } of tables) kept.set(String(name), await sql(`SELECT * FROM "${String(name)}"`));
  const put = async (): Promise<void> => {
    // All tables are emptied first: on PostgreSQL, truncating a table also truncates those that reference it.
    for (const name of kept.keys()) await sql(engine === 'pg' ? `TRUNCATE "${name}" CASCADE` : `DELETE FROM "${name}"`);
    for (const [name, rows] of kept) {
      for (const row of rows) {
        const columns = Object.keys(row);
        await sql(
          `INSERT INTO "${name}" (${columns.map((each) => `"${each}"`).join(', ')}) ${engine === 'pg' ? 'OVERRIDING SYSTEM VALUE' : ''} VALUES (${columns.map(() => '?').join(', ')})`,
          Object.values(row) as (string | number | null)[],
        );
      }
    }
  };
  return engine === 'pg' ? () => withoutPgTriggers(sql, put) : () => withoutSqliteTriggers(sql, put);
}

async function withoutPgTriggers(sql: TestStorage['sql'], work: () => Promise<void>): Promise<void> {
  await sql(`SET session_replication_role = replica`);
  await work();
  await sql(`SET session_replication_role = origin`);
}

async function withoutSqliteTriggers(sql: TestStorage['sql'], work: () => Promise<void>): Promise<void> {
  const triggers = await sql(`SELECT name, sql FROM sqlite_master WHERE type = 'trigger'`);
  for (const { name } of triggers) await sql(`DROP TRIGGER "${String(name)}"`);
  await sql('PRAGMA foreign_keys = OFF');
  await work();
  await sql('PRAGMA foreign_keys = ON');
  for (const { sql: text } of triggers) await sql(String(text));
}
