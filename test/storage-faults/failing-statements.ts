import { Connection } from '../../adapters/storage/knex/connections.ts';
import { StatementError } from '../../adapters/storage/knex/errors.ts';

/** Whether the statement fails before it has an effect, or its answer is lost after it. */
export type FailureKind = 'refused' | 'answer lost';

/** The n-th statement from now on, whichever connection runs it, fails as it does on a disk that does not work. */
export interface PlannedFailure {
  /** The text of the statement that failed, once it did. */
  readonly failed: string | null;
  /** How many statements have begun. */
  readonly seen: number;
}

type RunStatement = Connection['run'];

/**
 * Runs `work` while the n-th statement of this process's storages fails, once; BEGIN and COMMIT are statements too.
 *
 * @param at - 1 for the first
 */
export async function whileFailing<T>(
  at: number,
  kind: FailureKind,
  work: (failure: PlannedFailure) => Promise<T>,
): Promise<T> {
  const plan = { failed: null as string | null, seen: 0 };
  const run: RunStatement = Connection.prototype.run;
  Connection.prototype.run = async function (this: Connection, ...args: Parameters<RunStatement>) {
    plan.seen += 1;
    if (plan.seen !== at) return run.apply(this, args);
    const [sql] = args;
    if (kind === 'answer lost') await run.apply(this, args);
    plan.failed = sql;
    throw new StatementError(
      { kind: 'unavailable', code: 'PLANNED_IO_ERROR', connectionLost: false },
      'a planned failure of the disk',
    );
  };
  try {
    return await work(plan);
  } finally {
    Connection.prototype.run = run;
  }
}
