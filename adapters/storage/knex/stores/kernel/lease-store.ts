import { assert, TillgateError } from '../../../../../core/index.ts';
import type { Lease, LeaseStore, LeaseWrites, Millis } from '../../../../../core/index.ts';
import type { Database } from '../../database.ts';
import { integer, text } from '../../rows/values.ts';
import type { Session } from '../../session.ts';

const NODE = 'node:';

/** Leases, by the database's clock. Rows are never deleted: they keep the last fence. */
export class SqlLeaseStore implements LeaseStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async acquire(name: string, owner: string, ttlMs: number): Promise<Lease | null> {
    const { tables, dialect } = this.#db;
    const { leases } = tables;
    const [row] = await this.#db.write(
      `INSERT INTO ${leases} (name, owner, fence, expires_at) VALUES (?, ?, 1, ${dialect.nowMs} + ?)
       ON CONFLICT (name) DO UPDATE SET
         fence = ${leases}.fence + CASE WHEN ${leases}.owner = excluded.owner THEN 0 ELSE 1 END,
         owner = excluded.owner, expires_at = excluded.expires_at
       WHERE ${leases}.owner = excluded.owner OR ${leases}.expires_at <= ${dialect.nowMs}
       RETURNING fence`,
      [name, owner, ttlMs],
    );
    return row === undefined ? null : { name, owner, fence: integer(row, 'fence') };
  }

  async release({ name, owner, fence }: Lease): Promise<void> {
    await this.#db.write(
      `UPDATE ${this.#db.tables.leases} SET owner = '', expires_at = 0 WHERE name = ? AND owner = ? AND fence = ?`,
      [name, owner, fence],
    );
  }

  async now(): Promise<Millis | null> {
    const { dialect } = this.#db;
    if (dialect.inProcess) return null;
    const [row] = await this.#db.read(`SELECT ${dialect.nowMs} AS now`);
    assert(row !== undefined, 'the database says no time');
    return integer(row, 'now');
  }

  async acquireNode(
    owner: string,
    ttlMs: number,
    maximum: number,
  ): Promise<{ readonly node: number; readonly lease: Lease } | null> {
    const held = await this.#nodes();
    const own = [...held].filter(([node, holder]) => holder === owner && node <= maximum).map(([node]) => node);
    const free = Array.from({ length: maximum + 1 }, (_, node) => node).filter((node) => !held.has(node));
    for (const node of [...own, ...free]) {
      // Another instance may have taken it first: try the next number.
      const lease = await this.acquire(`${NODE}${node}`, owner, ttlMs);
      if (lease !== null) return { node, lease };
    }
    return null;
  }

  async nodeOwners(): Promise<readonly string[]> {
    return [...(await this.#nodes()).values()];
  }

  /** The worker ids that are taken, with their owners. */
  async #nodes(): Promise<ReadonlyMap<number, string>> {
    const { tables, dialect } = this.#db;
    const rows = await this.#db.read(
      `SELECT name, owner FROM ${tables.leases} WHERE substr(name, 1, ${NODE.length}) = '${NODE}' AND expires_at > ${dialect.nowMs}`,
    );
    return new Map(rows.map((row) => [Number(text(row, 'name').slice(NODE.length)), text(row, 'owner')]));
  }
}

/** Checks the fence inside a transaction. */
export class SqlLeaseWrites implements LeaseWrites {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async check(lease: Lease): Promise<void> {
    const { name, owner, fence } = lease;
    const { run, tables, dialect } = this.#session;
    const sql = `SELECT name FROM ${tables.leases} WHERE name = ? AND owner = ? AND fence = ? ${dialect.forShare}`;
    const kept = await run(sql, [name, owner, fence]);
    if (kept.length === 0) throw leaseLost(lease);
  }
}

export function leaseLost({ name }: Lease): TillgateError {
  return new TillgateError('LEASE_LOST', `The lease ${name} is held by another instance.`);
}
