import type {
  BlockRef,
  ChainCode,
  ChainState,
  ChainStore,
  ChainTrouble,
  ChainWrites,
  DepositAddress,
  DerivedAddress,
  Lease,
  Millis,
} from '../../../../../core/index.ts';
import { assert } from '../../../../../core/index.ts';
import type { Database } from '../../database.ts';
import type { Row } from '../../dialects/dialect.ts';
import { insertion, parts } from '../../rows/columns.ts';
import type { Column } from '../../rows/columns.ts';
import { depositAddressOf } from '../../rows/order-row.ts';
import { integer, integerOrNull, jsonOrNull, text, textOrNull } from '../../rows/values.ts';
import type { Session } from '../../session.ts';
import { leaseLost } from '../kernel/lease-store.ts';

const STATE =
  'chain, identity, cursor_height, cursor_hash, cursor_parent_hash, cursor_time, caught_up_at, halted_reason, reread_height, trouble, read_at';
const ROWS_AT_ONCE = 500;

const POOL_COLUMNS: readonly Column<DepositAddress>[] = [
  { name: 'chain', kind: 'text', of: (a) => a.chain },
  { name: 'wallet_id', kind: 'text', of: (a) => a.walletId },
  { name: 'address_index', kind: 'bigint', of: (a) => a.index },
  { name: 'address', kind: 'text', of: (a) => a.address },
  { name: 'watch_key', kind: 'text', of: (a) => a.key },
];

const BLOCK_COLUMNS: readonly Column<BlockRef & { readonly chain: ChainCode }>[] = [
  { name: 'chain', kind: 'text', of: (b) => b.chain },
  { name: 'height', kind: 'bigint', of: (b) => b.height },
  { name: 'hash', kind: 'text', of: (b) => b.hash },
  { name: 'parent_hash', kind: 'text', of: (b) => b.parentHash },
  { name: 'block_time', kind: 'bigint', of: (b) => b.time },
];

function stateOf(row: Row): ChainState {
  const height = integerOrNull(row, 'cursor_height');
  const cursor =
    height === null
      ? null
      : {
          height,
          hash: text(row, 'cursor_hash'),
          parentHash: text(row, 'cursor_parent_hash'),
          time: integer(row, 'cursor_time'),
        };
  return {
    chain: text(row, 'chain'),
    identity: textOrNull(row, 'identity'),
    cursor,
    rereadHeight: integerOrNull(row, 'reread_height'),
    caughtUpAt: integerOrNull(row, 'caught_up_at'),
    haltedReason: textOrNull(row, 'halted_reason'),
    trouble: jsonOrNull<ChainTrouble>(row, 'trouble'),
    readAt: integerOrNull(row, 'read_at'),
  };
}

const blockOf = (row: Row): BlockRef => ({
  height: integer(row, 'height'),
  hash: text(row, 'hash'),
  parentHash: text(row, 'parent_hash'),
  time: integer(row, 'block_time'),
});

/** Chain cursors in `chain_states` and `chain_blocks`, derived addresses in `wallet_indexes` and `address_pool`. */
export class SqlChainStore implements ChainStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async state(chain: ChainCode): Promise<ChainState | null> {
    const [row] = await this.#db.read(`SELECT ${STATE} FROM ${this.#db.tables.chainStates} WHERE chain = ?`, [chain]);
    return row === undefined ? null : stateOf(row);
  }

  async states(): Promise<readonly ChainState[]> {
    return (await this.#db.read(`SELECT ${STATE} FROM ${this.#db.tables.chainStates} ORDER BY chain`)).map(stateOf);
  }

  async begin(chain: ChainCode, at: Millis): Promise<void> {
    const { chainStates } = this.#db.tables;
    await this.#db.write(
      `INSERT INTO ${chainStates} (chain, read_at) VALUES (?, ?)
       ON CONFLICT (chain) DO UPDATE SET read_at = excluded.read_at WHERE ${chainStates}.read_at IS NULL`,
      [chain, at],
    );
  }

  async initialise(chain: ChainCode, identity: string): Promise<void> {
    const { chainStates } = this.#db.tables;
    await this.#db.write(
      `INSERT INTO ${chainStates} (chain, identity) VALUES (?, ?)
       ON CONFLICT (chain) DO UPDATE SET identity = excluded.identity WHERE ${chainStates}.identity IS NULL`,
      [chain, identity],
    );
  }

  async setRead(chain: ChainCode, at: Millis): Promise<void> {
    await this.#db.write(
      `UPDATE ${this.#db.tables.chainStates} SET read_at = ? WHERE chain = ? AND (read_at IS NULL OR read_at < ?)`,
      [at, chain, at],
    );
  }

  async block(chain: ChainCode, height: number): Promise<BlockRef | null> {
    const sql = `SELECT height, hash, parent_hash, block_time FROM ${this.#db.tables.blocks} WHERE chain = ? AND height = ?`;
    const [row] = await this.#db.read(sql, [chain, height]);
    return row === undefined ? null : blockOf(row);
  }

  async setHalted(chain: ChainCode, reason: string | null): Promise<void> {
    await this.#db.write(`UPDATE ${this.#db.tables.chainStates} SET halted_reason = ? WHERE chain = ?`, [
      reason,
      chain,
    ]);
  }

  async setTrouble(chain: ChainCode, trouble: ChainTrouble | null): Promise<void> {
    await this.#db.write(`UPDATE ${this.#db.tables.chainStates} SET trouble = ? WHERE chain = ?`, [
      trouble === null ? null : JSON.stringify(trouble),
      chain,
    ]);
  }

  async setCaughtUp(lease: Lease, chain: ChainCode, at: Millis): Promise<void> {
    const { tables, dialect } = this.#db;
    const { name, owner, fence } = lease;
    const set = await this.#db.write(
      `WITH held AS (SELECT name FROM ${tables.leases} WHERE name = ? AND owner = ? AND fence = ? ${dialect.forShare})
       UPDATE ${tables.chainStates} SET caught_up_at = ? WHERE chain = ? AND EXISTS (SELECT 1 FROM held) RETURNING chain`,
      [name, owner, fence, at, chain],
    );
    if (set.length === 0) throw leaseLost(lease);
  }

  async reserveIndexes(walletId: string, count: number): Promise<number> {
    const { walletIndexes } = this.#db.tables;
    const [row] = await this.#db.write(
      `INSERT INTO ${walletIndexes} (wallet_id, next_index) VALUES (?, ?)
       ON CONFLICT (wallet_id) DO UPDATE SET next_index = ${walletIndexes}.next_index + excluded.next_index RETURNING next_index`,
      [walletId, count],
    );
    assert(row !== undefined, 'the index counter returned no row');
    return integer(row, 'next_index') - count;
  }

  async fillPool(chain: ChainCode, walletId: string, addresses: readonly DerivedAddress[]): Promise<void> {
    for (const some of parts(addresses, ROWS_AT_ONCE)) {
      const rows = some.map((address) => ({ ...address, chain, walletId }));
      const { sql, bindings } = insertion(this.#db.tables.addressPool, POOL_COLUMNS, rows);
      await this.#db.write(`${sql} ON CONFLICT (chain, wallet_id, address_index) DO NOTHING`, bindings);
    }
  }

  async poolSize(chain: ChainCode, walletId: string): Promise<number> {
    const sql = `SELECT count(*) AS waiting FROM ${this.#db.tables.addressPool} WHERE chain = ? AND wallet_id = ?`;
    const [row] = await this.#db.read(sql, [chain, walletId]);
    return row === undefined ? 0 : integer(row, 'waiting');
  }

  async takeFromPool(chain: ChainCode, walletId: string, count: number): Promise<readonly DepositAddress[]> {
    const { tables, dialect } = this.#db;
    const rows = await this.#db.write(
      `WITH taken AS (
         SELECT address_index FROM ${tables.addressPool} WHERE chain = ? AND wallet_id = ?
         ORDER BY address_index LIMIT ? ${dialect.forUpdateSkipLocked})
       DELETE FROM ${tables.addressPool} WHERE chain = ? AND wallet_id = ? AND address_index IN (SELECT address_index FROM taken)
       RETURNING chain, wallet_id, address_index, address, watch_key`,
      [chain, walletId, count, chain, walletId],
    );
    return rows.map(depositAddressOf).sort((a, b) => a.index - b.index);
  }
}

/** Chain cursor writes of one transaction. */
export class SqlChainWrites implements ChainWrites {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async moveCursor(
    chain: ChainCode,
    formerHash: string | null,
    { height, hash, parentHash, time }: BlockRef,
  ): Promise<boolean> {
    const { run, tables } = this.#session;
    const former = formerHash === null ? 'cursor_hash IS NULL' : 'cursor_hash = ?';
    const moved = await run(
      `UPDATE ${tables.chainStates} SET cursor_height = ?, cursor_hash = ?, cursor_parent_hash = ?, cursor_time = ?,
         reread_height = CASE WHEN reread_height < ? THEN reread_height ELSE ? END
       WHERE chain = ? AND ${former} RETURNING chain`,
      [height, hash, parentHash, time, height, height, chain, ...(formerHash === null ? [] : [formerHash])],
    );
    return moved.length > 0;
  }

  async addBlocks(chain: ChainCode, blocks: readonly BlockRef[], keepFrom: number): Promise<void> {
    const { run, tables } = this.#session;
    for (const some of parts(blocks, ROWS_AT_ONCE)) {
      const { sql, bindings } = insertion(
        tables.blocks,
        BLOCK_COLUMNS,
        some.map((block) => ({ ...block, chain })),
      );
      await run(
        `${sql} ON CONFLICT (chain, height) DO UPDATE
         SET hash = excluded.hash, parent_hash = excluded.parent_hash, block_time = excluded.block_time`,
        bindings,
      );
    }
    await run(`DELETE FROM ${tables.blocks} WHERE chain = ? AND height < ?`, [chain, keepFrom]);
  }

  async removeBlocksAbove(chain: ChainCode, height: number): Promise<void> {
    await this.#session.run(`DELETE FROM ${this.#session.tables.blocks} WHERE chain = ? AND height > ?`, [
      chain,
      height,
    ]);
  }

  async setCaughtUp(chain: ChainCode, at: Millis): Promise<void> {
    await this.#session.run(`UPDATE ${this.#session.tables.chainStates} SET caught_up_at = ? WHERE chain = ?`, [
      at,
      chain,
    ]);
  }

  async moveReread(chain: ChainCode, from: number, to: number): Promise<boolean> {
    const { run, tables } = this.#session;
    const moved = await run(
      `UPDATE ${tables.chainStates} SET reread_height = ? WHERE chain = ? AND reread_height = ? AND cursor_height >= ? RETURNING chain`,
      [to, chain, from, to],
    );
    return moved.length > 0;
  }

  async holds(chain: ChainCode, { height, hash }: Pick<BlockRef, 'height' | 'hash'>): Promise<boolean> {
    const { run, tables, dialect } = this.#session;
    const [state] = await run(`SELECT cursor_height FROM ${tables.chainStates} WHERE chain = ? ${dialect.forUpdate}`, [
      chain,
    ]);
    const top = state === undefined ? null : integerOrNull(state, 'cursor_height');
    if (top === null || height > top) return false;
    const [kept] = await run(`SELECT hash FROM ${tables.blocks} WHERE chain = ? AND height = ?`, [chain, height]);
    return kept === undefined || text(kept, 'hash') === hash;
  }
}
