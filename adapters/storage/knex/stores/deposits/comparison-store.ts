import type {
  BookedAddress,
  BooksQuestion,
  ChainCode,
  ComparedAddress,
  ComparisonState,
  ComparisonStore,
  ComparisonTurn,
  ComparisonWrites,
  CurrencyCode,
  Lease,
  Millis,
  OrderId,
  TurnPlace,
  UnseenBlocks,
} from '../../../../../core/index.ts';
import { BALANCE_INDEX } from '../../../../../core/index.ts';
import type { Binding } from '../../binding.ts';
import type { Database } from '../../database.ts';
import type { Row } from '../../dialects/dialect.ts';
import { parts } from '../../rows/columns.ts';
import { integer, integerOrNull, text, textOrNull } from '../../rows/values.ts';
import type { Session } from '../../session.ts';
import { bookedAddresses } from './booked-addresses.ts';
import { byWatchEnd, WATCHED, watchedOf } from '../chain/deposit-store.ts';
import { leaseLost } from '../kernel/lease-store.ts';

const COMPARED = `${WATCHED}, compared_height`;
const KEYS_AT_ONCE = 500;
/** The column prefix of the position in each turn; `all` is a reserved word of SQL. */
const PREFIX = { watched: 'watched', all: 'every' } as const;
const START: TurnPlace = { after: null, beganHeight: 0, beganAt: 0 };

/** The progress of the balance comparison in `balance_comparisons`, and the addresses and ledger amounts that it reads. */
export class SqlComparisonStore implements ComparisonStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async state(chain: ChainCode): Promise<ComparisonState> {
    const [row] = await this.#db.read(`SELECT * FROM ${this.#db.tables.comparisons} WHERE chain = ?`, [chain]);
    if (row === undefined) return { watched: START, all: START, unseen: null };
    return { watched: placeOf(row, PREFIX.watched), all: placeOf(row, PREFIX.all), unseen: unseenOf(row) };
  }

  async next(
    chain: ChainCode,
    turn: ComparisonTurn,
    { after, now, limit }: { readonly after: string | null; readonly now: Millis; readonly limit: number },
  ): Promise<{ readonly addresses: readonly ComparedAddress[]; readonly last: string | null }> {
    const rows =
      turn === 'all' ? await this.#byKey(chain, after, limit) : await this.#byEnd(chain, turn, { after, now, limit });
    const addresses = rows.map(comparedOf);
    const last = addresses.at(-1);
    return { addresses, last: last === undefined ? null : turn === 'all' ? last.key : nameOfEnd(last) };
  }

  async byKeys(chain: ChainCode, keys: readonly string[]): Promise<readonly ComparedAddress[]> {
    const { tables, dialect } = this.#db;
    const sql = `SELECT ${COMPARED} FROM ${tables.addresses} WHERE chain = ? AND ${dialect.anyOf('watch_key')}`;
    return (await this.#db.read(sql, [chain, dialect.list(keys)])).map(comparedOf);
  }

  async byOrder(chain: ChainCode, orderId: OrderId): Promise<readonly ComparedAddress[]> {
    const sql = `SELECT ${COMPARED} FROM ${this.#db.tables.addresses} WHERE order_id = ? AND chain = ?`;
    return (await this.#db.read(sql, [orderId, chain])).map(comparedOf);
  }

  booked(chain: ChainCode, question: BooksQuestion): Promise<ReadonlyMap<string, BookedAddress>> {
    return this.#db.snapshot((run) => bookedAddresses(run, this.#db, chain, question));
  }

  async setPlace(lease: Lease, chain: ChainCode, turn: 'watched' | 'all', place: TurnPlace): Promise<void> {
    const { tables, dialect } = this.#db;
    const { name, owner, fence } = lease;
    const prefix = PREFIX[turn];
    const columns = [`${prefix}_after`, `${prefix}_began_height`, `${prefix}_began_at`];
    const set = await this.#db.write(
      `WITH held AS (SELECT name FROM ${tables.leases} WHERE name = ? AND owner = ? AND fence = ? ${dialect.forShare})
       INSERT INTO ${tables.comparisons} (chain, ${columns.join(', ')})
       SELECT ?, ?, ?, ? FROM held WHERE true
       ON CONFLICT (chain) DO UPDATE SET ${columns.map((column) => `${column} = excluded.${column}`).join(', ')} RETURNING chain`,
      [name, owner, fence, chain, place.after, place.beganHeight, place.beganAt],
    );
    if (set.length === 0) throw leaseLost(lease);
  }

  async noteCompared(chain: ChainCode, keys: readonly string[], height: number): Promise<void> {
    const { tables, dialect } = this.#db;
    for (const some of parts(keys, KEYS_AT_ONCE))
      await this.#db.write(
        `UPDATE ${tables.addresses} SET compared_height = ?
         WHERE chain = ? AND compared_height IS NULL AND ${dialect.anyOf('watch_key')}`,
        [height, chain, dialect.list(some)],
      );
  }

  #byKey(chain: ChainCode, after: string | null, limit: number): Promise<readonly Row[]> {
    const sql = `SELECT ${COMPARED} FROM ${this.#db.tables.addresses} WHERE chain = ? AND watch_key > ? ORDER BY watch_key LIMIT ?`;
    return this.#db.read(sql, [chain, after ?? '', limit]);
  }

  /** In the order of their watch windows' ends; an address whose window is extended in the meantime is read again. */
  #byEnd(
    chain: ChainCode,
    turn: 'new' | 'watched',
    { after, now, limit }: { readonly after: string | null; readonly now: Millis; readonly limit: number },
  ): Promise<readonly Row[]> {
    const { addresses } = this.#db.tables;
    const [end = '', order = ''] = after?.split(' ') ?? [];
    // The address of the stored position may no longer be watched; a colon sorts after every order id.
    const from: readonly Binding[] = after === null || Number(end) <= now ? [now, ':'] : [Number(end), order];
    const place = [chain, ...from];
    if (turn === 'watched')
      return this.#db.read(byWatchEnd(addresses, COMPARED, '?'), [...place, limit, ...place, limit, limit]);
    const sql = `SELECT ${COMPARED} FROM ${addresses} WHERE chain = ? AND (watch_until, order_id) > (?, ?)
      AND compared_height IS NULL ORDER BY watch_until, order_id LIMIT ?`;
    return this.#db.read(sql, [...place, limit]);
  }
}

/** Comparison reads and writes of one transaction. */
export class SqlComparisonWrites implements ComparisonWrites {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  booked(chain: ChainCode, question: BooksQuestion): Promise<ReadonlyMap<string, BookedAddress>> {
    return bookedAddresses(this.#session.run, this.#session, chain, question);
  }

  async isCounted(chain: ChainCode, address: string, currency: CurrencyCode, height: number): Promise<boolean> {
    const { run, tables } = this.#session;
    const rows = await run(
      `SELECT tx_index FROM ${tables.deposits}
       WHERE chain = ? AND to_address = ? AND currency = ? AND block_height >= ? AND status <> 'ORPHANED'`,
      [chain, address, currency, height],
    );
    return rows.some((row) => text(row, 'tx_index').startsWith(BALANCE_INDEX));
  }

  async noteUnseen(chain: ChainCode, { since, height }: UnseenBlocks): Promise<void> {
    const { run, tables } = this.#session;
    const kept = (column: string, sign: string): string =>
      `CASE WHEN ${tables.comparisons}.${column} ${sign} excluded.${column} THEN ${tables.comparisons}.${column} ELSE excluded.${column} END`;
    await run(
      `INSERT INTO ${tables.comparisons} (chain, unseen_since, unseen_height) VALUES (?, ?, ?)
       ON CONFLICT (chain) DO UPDATE SET unseen_since = ${kept('unseen_since', '<')}, unseen_height = ${kept('unseen_height', '>')}`,
      [chain, since, height],
    );
  }

  async clearUnseen(chain: ChainCode, height: number): Promise<boolean> {
    const { run, tables } = this.#session;
    const cleared = await run(
      `UPDATE ${tables.comparisons} SET unseen_since = NULL, unseen_height = NULL
       WHERE chain = ? AND unseen_height <= ? RETURNING chain`,
      [chain, height],
    );
    return cleared.length > 0;
  }
}

/** A position among addresses sorted by the end of their watch window. */
function nameOfEnd({ watchUntil, orderId }: ComparedAddress): string {
  return `${watchUntil} ${orderId}`;
}

function comparedOf(row: Row): ComparedAddress {
  return { ...watchedOf(row), comparedHeight: integerOrNull(row, 'compared_height') };
}

function placeOf(row: Row, prefix: string): TurnPlace {
  return {
    after: textOrNull(row, `${prefix}_after`),
    beganHeight: integer(row, `${prefix}_began_height`),
    beganAt: integer(row, `${prefix}_began_at`),
  };
}

function unseenOf(row: Row): UnseenBlocks | null {
  const since = integerOrNull(row, 'unseen_since');
  return since === null ? null : { since, height: integer(row, 'unseen_height') };
}
