import { openStorage } from '../../../adapters/storage/knex/index.ts';
import type { Storage } from '../../../core/index.ts';
import { START } from '../../support/fakes.ts';
import { SqliteDriver } from '../sqlite-driver.ts';
import type { WriteListener } from '../sqlite-driver.ts';
import { baseImage } from './image.ts';
import type { SimMerchant } from './image.ts';
import { QUIET_LOGGER } from './quiet.ts';

/** Nothing ends by the time of the machine. */
export const TIMEOUTS = { idleMs: 2 ** 30, lifetimeMs: 2 ** 40 };

/** The storage as one process of the till reaches it. */
export interface Reach {
  readonly storage: Storage;
  /** Ends its connections, as the end of the process does. */
  readonly cut: () => void;
}

/** The database under a world. */
export interface Ground {
  readonly merchants: readonly SimMerchant[];
  /** Told of each statement that changed rows. */
  onWrite: WriteListener;
  /** The time that the database goes by, in epoch milliseconds. */
  now: () => number;
  /** Rows of a statement that is the simulator's own, of what is committed. */
  all<Row>(sql: string, ...bindings: unknown[]): Row[];
  reach(): Reach;
  /** Lets whoever works at the same time go first; `null` where transactions never overlap. */
  readonly pause: (() => Promise<void>) | null;
  /** Called between steps: makes ready what the next one may take. */
  ready(): Promise<void>;
  /** How often each thing happened, for the tally. */
  readonly counts: ReadonlyMap<string, number>;
  close(): void;
}

/** A database of SQLite in this process: one connection for all, so that no two transactions overlap. */
export class SqliteGround implements Ground {
  readonly merchants: readonly SimMerchant[];
  readonly pause = null;
  readonly counts = new Map<string, number>();
  now: () => number = () => START;
  readonly #driver: SqliteDriver;
  #reach: Reach | null = null;

  private constructor(bytes: Uint8Array, merchants: readonly SimMerchant[]) {
    this.merchants = merchants;
    this.#driver = new SqliteDriver(bytes, () => this.now());
  }

  static async open(): Promise<SqliteGround> {
    const { bytes, merchants } = await baseImage();
    const ground = new SqliteGround(bytes, merchants);
    const storage = await openStorage({ knex: ground.#driver.knex }, { logger: QUIET_LOGGER, limits: TIMEOUTS });
    ground.#reach = { storage, cut: () => undefined };
    return ground;
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

  async ready(): Promise<void> {}

  reach(): Reach {
    return this.#reach as Reach;
  }

  close(): void {
    this.#driver.close();
  }
}
