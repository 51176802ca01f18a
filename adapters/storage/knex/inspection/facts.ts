import type { Millis } from '../../../../core/index.ts';

/**
 * A value, or the class of the error that prevented it: a code of the database or the operating system, without its
 * message.
 */
export type Fact<T> = T | Unknown;

/** The class of the error with which a query failed. */
export interface Unknown {
  readonly unknown: string;
  /** The table in question, when there are several. */
  readonly table?: string;
}

export interface EngineFacts {
  readonly name: 'sqlite' | 'pg';
  readonly version: string;
  readonly bytes: number;
  /** The database's own time. */
  readonly now: Millis;
}

export interface MigrationFacts {
  readonly applied: readonly { readonly name: string; readonly at: Millis }[];
  /** Migrations of this release that are not applied. */
  readonly missing: readonly string[];
  /** Migrations that are applied but not of this release: a newer one has migrated this database. */
  readonly foreign: number;
}

export interface TableFacts {
  readonly table: string;
  readonly rows: number;
  /** False for an estimate of the database, used for large tables. */
  readonly exact: boolean;
  /** `null` where the database does not report it. */
  readonly bytes: number | null;
}

/** The state of a chain as its follower left it, without addresses, identities and free text. */
export interface ChainFacts {
  readonly chain: string;
  readonly cursorHeight: number | null;
  readonly cursorTime: Millis | null;
  readonly caughtUpAt: Millis | null;
  readonly lagSeconds: number | null;
  readonly halted: boolean;
  /** The kind of problem with its nodes. */
  readonly trouble: string | null;
  readonly troubleSince: Millis | null;
  readonly payoutsStoppedAt: Millis | null;
}

export interface EpochFacts {
  readonly number: number;
  readonly status: string;
  readonly startedAt: Millis;
}

/** The age of counted rows: made within a day, a week, a month, or earlier. */
export type Age = 'day' | 'week' | 'month' | 'older';

export interface CountFacts {
  readonly status: string;
  readonly age: Age;
  readonly count: number;
}

export interface TransferFacts extends CountFacts {
  readonly chain: string;
  readonly kind: string;
}

export interface WaitingFacts {
  /** Orders whose deadline has passed and that are not decided yet. */
  readonly overdueOrders: number;
  /** The time of the callback that waits longest; `null` where none waits. */
  readonly oldestCallbackAt: Millis | null;
  /** The time of the oldest transfer that is not final. */
  readonly oldestTransferAt: Millis | null;
}

export interface AttemptFacts {
  /** `null` where there was no answer. */
  readonly httpStatus: number | null;
  readonly count: number;
}

export interface AlertFacts {
  readonly kind: string;
  readonly open: number;
  readonly raised: number;
  readonly firstAt: Millis;
  readonly lastAt: Millis;
}

/** Facts about a till's database that reveal nothing about its customers. */
export interface DatabaseFacts {
  readonly engine: EngineFacts;
  readonly migrations: Fact<MigrationFacts>;
  readonly epoch: Fact<EpochFacts | null>;
  readonly chains: Fact<readonly ChainFacts[]>;
  readonly orders: Fact<readonly CountFacts[]>;
  readonly transfers: Fact<readonly TransferFacts[]>;
  readonly callbacks: Fact<readonly CountFacts[]>;
  readonly waiting: Fact<WaitingFacts>;
  /** The results of the latest attempts to deliver callbacks. */
  readonly callbackAttempts: Fact<readonly AttemptFacts[]>;
  readonly openAlerts: Fact<readonly AlertFacts[]>;
  readonly tables: readonly Fact<TableFacts>[];
}
