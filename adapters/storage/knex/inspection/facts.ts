import type { Millis } from '../../../../core/index.ts';

/** What was found, or the class of the error instead: a code of the engine or the operating system, without its words. */
export type Fact<T> = T | Unknown;

/** The class of the error with which a question failed. */
export interface Unknown {
  readonly unknown: string;
  /** What was asked about, where there are several. */
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
  /** Of this release, and not applied. */
  readonly missing: readonly string[];
  /** Applied, and not of this release: a newer one has migrated this database. */
  readonly foreign: number;
}

export interface TableFacts {
  readonly table: string;
  readonly rows: number;
  /** False for a guess of the engine, where there are many. */
  readonly exact: boolean;
  /** `null` where the engine does not tell. */
  readonly bytes: number | null;
}

/** A chain as its follower left it: without addresses, identities and free words. */
export interface ChainFacts {
  readonly chain: string;
  readonly cursorHeight: number | null;
  readonly cursorTime: Millis | null;
  readonly caughtUpAt: Millis | null;
  readonly lagSeconds: number | null;
  readonly halted: boolean;
  /** The kind of what is wrong with its nodes. */
  readonly trouble: string | null;
  readonly troubleSince: Millis | null;
  readonly payoutsStoppedAt: Millis | null;
}

export interface EpochFacts {
  readonly number: number;
  readonly status: string;
  readonly startedAt: Millis;
}

/** How old what is counted is: made within a day, a week, a month, or earlier. */
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
  /** Orders whose deadline is over and whose chain has not decided about them. */
  readonly overdueOrders: number;
  /** When the callback that waits longest was written; `null` where none waits. */
  readonly oldestCallbackAt: Millis | null;
  /** When the transfer that is not final for the longest time was requested. */
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

/** What a database says of a till without saying anything of its customers. */
export interface DatabaseFacts {
  readonly engine: EngineFacts;
  readonly migrations: Fact<MigrationFacts>;
  readonly epoch: Fact<EpochFacts | null>;
  readonly chains: Fact<readonly ChainFacts[]>;
  readonly orders: Fact<readonly CountFacts[]>;
  readonly transfers: Fact<readonly TransferFacts[]>;
  readonly callbacks: Fact<readonly CountFacts[]>;
  readonly waiting: Fact<WaitingFacts>;
  /** How the latest attempts to deliver a callback ended. */
  readonly callbackAttempts: Fact<readonly AttemptFacts[]>;
  readonly openAlerts: Fact<readonly AlertFacts[]>;
  readonly tables: readonly Fact<TableFacts>[];
}
