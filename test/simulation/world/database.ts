import { openStorage } from '../../../adapters/storage/knex/index.ts';
import type { AccountId, Storage } from '../../../core/index.ts';
import { START } from '../../support/fakes.ts';
import { SqliteDriver } from '../../support/sqlite-driver.ts';
import type { WriteListener } from '../../support/sqlite-driver.ts';
import { baseImage } from './image.ts';
import type { BaseImage, SimMerchant } from './image.ts';
import { QUIET_LOGGER } from './quiet.ts';

/** Nothing ends by the machine's time. */
export const TIMEOUTS = { idleMs: 2 ** 30, lifetimeMs: 2 ** 40 };

/** The storage of one process of the till. */
export interface DatabaseAccess {
  readonly storage: Storage;
  /** Closes its connections, as the end of the process does. */
  readonly cut: () => void;
}

/** The database under a world. */
export interface SimDatabase {
  readonly merchants: readonly SimMerchant[];
  /** The operator whose endpoint gets events; `null` where no events are kept. */
  readonly adminId: AccountId | null;
  /** Called after each statement that changed rows. */
  onWrite: WriteListener;
  /** The database's time, in epoch milliseconds. */
  now: () => number;
  /** The committed rows of a statement by the simulator. */
  all<Row>(sql: string, ...bindings: unknown[]): Row[];
  connect(): DatabaseAccess;
  /** Lets concurrent work go first; `null` where transactions never overlap. */
  readonly pause: (() => Promise<void>) | null;
  /** Called between steps, to prepare what the next one may need. */
  ready(): Promise<void>;
  /** Copies of the database, as an operator makes them; `null` where there are none. */
  readonly backups: { take(): Promise<Uint8Array>; restore(backup: Uint8Array): void } | null;
  /** The count of each kind of event, for the tally. */
  readonly counts: ReadonlyMap<string, number>;
  close(): void;
}

/** A SQLite database in this process: one connection for all, so that no two transactions overlap. */
export class SqliteDatabase implements SimDatabase {
  readonly merchants: readonly SimMerchant[];
  readonly adminId: AccountId;
  readonly pause = null;
  readonly counts = new Map<string, number>();
  now: () => number = () => START;
  readonly #driver: SqliteDriver;
  #access: DatabaseAccess | null = null;

  private constructor({ bytes, merchants, adminId }: BaseImage) {
    this.merchants = merchants;
    this.adminId = adminId;
    this.#driver = new SqliteDriver(bytes, () => this.now());
  }

  static async open(): Promise<SqliteDatabase> {
    const simDatabase = new SqliteDatabase(await baseImage());
    const storage = await openStorage({ knex: simDatabase.#driver.knex }, { logger: QUIET_LOGGER, limits: TIMEOUTS });
    simDatabase.#access = { storage, cut: () => undefined };
    return simDatabase;
  }

  get onWrite(): WriteListener {
    return this.#driver.onWrite;
  }

  set onWrite(listener: WriteListener) {
    this.#driver.onWrite = listener;
  }

  all<Row>(sql: string, ...bindings: unknown[]): Row[] {
    return this.#driver.all<Row>(sql, ...bindings);
  }

  get backups(): SimDatabase['backups'] {
    return { take: () => this.#driver.backUp(), restore: (backup) => this.#driver.restore(backup) };
  }

  async ready(): Promise<void> {}

  connect(): DatabaseAccess {
    return this.#access as DatabaseAccess;
  }

  close(): void {
    this.#driver.close();
  }
}
