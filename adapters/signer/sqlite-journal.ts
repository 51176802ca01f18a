import knex from 'knex';
import { NO_OUTFLOW, addOutflows, largestOutflow } from '../../core/index.ts';
import type { BuiltSpend, JournalEntry, JournalView, Millis, Outflow, SigningJournal } from '../../core/index.ts';
import type { Connection } from '../storage/knex/connections.ts';
import { Connections } from '../storage/knex/connections.ts';
import { sqliteClient } from '../storage/knex/drivers/sqlite-client.ts';

const SCHEMA = [
  `CREATE TABLE IF NOT EXISTS signed (
     id TEXT PRIMARY KEY, chain TEXT NOT NULL, signed_at INTEGER NOT NULL, spend TEXT NOT NULL,
     outflow TEXT NOT NULL, counted TEXT NOT NULL) STRICT`,
  'CREATE INDEX IF NOT EXISTS signed_by_time ON signed (chain, signed_at)',
  'CREATE INDEX IF NOT EXISTS signed_by_spend ON signed (chain, spend)',
  'CREATE TABLE IF NOT EXISTS coins (chain TEXT, ref TEXT, units TEXT NOT NULL, PRIMARY KEY (chain, ref)) STRICT',
  'CREATE TABLE IF NOT EXISTS clock (id INTEGER PRIMARY KEY CHECK (id = 1), latest_at INTEGER NOT NULL) STRICT',
  'CREATE TABLE IF NOT EXISTS stopped (id INTEGER PRIMARY KEY CHECK (id = 1), reason TEXT NOT NULL) STRICT',
];
/** Values of one statement; SQLite takes 32,766. */
const PAGE = 500;

/** The journal of a signer in an SQLite file. Every write is synchronised to the disk before it is answered. */
export class SqliteJournal implements SigningJournal {
  readonly #connections: Connections;

  private constructor(connections: Connections) {
    this.#connections = connections;
  }

  static async open(filename: string): Promise<SqliteJournal> {
    const { settings, dialect } = sqliteClient({ client: 'sqlite', filename });
    const instance = knex({ ...settings, compileSqlOnError: false, pool: { min: 1, max: 1 } });
    const connections = new Connections(instance, dialect, { readOnly: false, owned: true });
    const journal = new SqliteJournal(connections);
    await connections.use(async (connection) => {
      for (const statement of SCHEMA) await connection.run(statement);
    });
    return journal;
  }

  close(): Promise<void> {
    return this.#connections.close();
  }

  read({ id, chain, refs, since }: Parameters<SigningJournal['read']>[0]): Promise<JournalView> {
    return this.#connections.use(async (connection) => {
      const latestAt = await latest(connection);
      const found = await connection.run('SELECT 1 FROM signed WHERE id = ?', [id]);
      const groups = new Map<string, Outflow>();
      const coins = new Map<string, bigint>();
      for (let first = 0; first < refs.length; first += PAGE) {
        const page = refs.slice(first, first + PAGE);
        const list = page.map(() => '?').join(', ');
        const group = `SELECT spend, outflow FROM signed WHERE chain = ? AND spend IN (${list})`;
        for (const { spend, outflow } of await connection.run(group, [chain, ...page]))
          groups.set(
            String(spend),
            largestOutflow(groups.get(String(spend)) ?? NO_OUTFLOW, readOutflow(String(outflow))),
          );
        const worth = `SELECT ref, units FROM coins WHERE chain = ? AND ref IN (${list})`;
        for (const { ref, units } of await connection.run(worth, [chain, ...page]))
          coins.set(String(ref), BigInt(String(units)));
      }
      const counted = await connection.run('SELECT counted FROM signed WHERE chain = ? AND signed_at > ?', [
        chain,
        since(latestAt),
      ]);
      const sum = counted.reduce((all, row) => addOutflows(all, readOutflow(String(row['counted']))), NO_OUTFLOW);
      const taken = { ...sum, transactions: counted.length };
      return { known: found.length > 0, latestAt, groups, coins, taken };
    });
  }

  append(entry: JournalEntry, coins: readonly BuiltSpend[], keepSince: Millis): Promise<void> {
    const { id, chain, at, group, outflow, counted } = entry;
    return this.#transaction(async (connection) => {
      await connection.run(
        'INSERT INTO signed (id, chain, signed_at, spend, outflow, counted) VALUES (?, ?, ?, ?, ?, ?)',
        [id, chain, at, group, writeOutflow(outflow), writeOutflow(counted)],
      );
      for (const { ref, units } of coins)
        await connection.run('INSERT INTO coins (chain, ref, units) VALUES (?, ?, ?) ON CONFLICT DO NOTHING', [
          ...[chain, ref, String(units)],
        ]);
      await connection.run(
        `INSERT INTO clock (id, latest_at) VALUES (1, ?)
         ON CONFLICT (id) DO UPDATE SET latest_at = max(latest_at, excluded.latest_at)`,
        [at],
      );
      await connection.run('DELETE FROM signed WHERE chain = ? AND signed_at < ?', [chain, keepSince]);
    });
  }

  stop(): Promise<string | null> {
    return this.#connections.use(async (connection) => {
      const [row] = await connection.run('SELECT reason FROM stopped');
      return row === undefined ? null : String(row['reason']);
    });
  }

  async setStop(reason: string | null): Promise<void> {
    await this.#transaction(async (connection) => {
      await connection.run('DELETE FROM stopped');
      if (reason !== null) await connection.run('INSERT INTO stopped (id, reason) VALUES (1, ?)', [reason]);
    });
  }

  #transaction(work: (connection: Connection) => Promise<void>): Promise<void> {
    return this.#connections.use(async (connection) => {
      await connection.run('BEGIN IMMEDIATE');
      try {
        await work(connection);
        await connection.run('COMMIT');
      } catch (error) {
        // A connection that is not known to have rolled back is not used again.
        connection.dispose();
        throw error;
      }
    });
  }
}

async function latest(connection: Connection): Promise<Millis | null> {
  const [row] = await connection.run('SELECT latest_at FROM clock');
  return row === undefined ? null : Number(row['latest_at']);
}

function writeOutflow({ payments, feeUnits }: Outflow): string {
  const units = Object.fromEntries([...payments].map(([currency, amount]) => [currency, amount.toString()]));
  return JSON.stringify({ fee: feeUnits.toString(), payments: units });
}

function readOutflow(text: string): Outflow {
  const { fee, payments } = JSON.parse(text) as { fee: string; payments: Record<string, string> };
  return {
    feeUnits: BigInt(fee),
    payments: new Map(Object.entries(payments).map(([currency, units]) => [currency, BigInt(units)])),
  };
}
