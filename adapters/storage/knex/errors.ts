import { TillgateError } from '../../../core/index.ts';

/** What a failed statement means: try again, the database is away or full, or a defect. */
export interface Failure {
  readonly kind: 'retry' | 'unavailable' | 'refused';
  /** The engine's own code, `40001` or `SQLITE_FULL`. */
  readonly code: string;
  /** True when the connection can't be used any more. */
  readonly connectionLost: boolean;
}

/**
 * A statement that failed. Its message names the engine's code and words but no bound value: those may be secret, and
 * drivers put them into messages and details.
 */
export class StatementError extends Error {
  readonly failure: Failure;
  /** True when it is known that the statement changed nothing, so that repeating it is safe. */
  harmless = false;

  constructor(failure: Failure, words: string) {
    super(words);
    this.name = 'StatementError';
    this.failure = failure;
  }
}

/** The code that a driver or the operating system put on an error; of the first inner one when there are several. */
export function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  const { code, errors } = error as { code?: unknown; errors?: unknown };
  if (typeof code === 'string') return code;
  return Array.isArray(errors) ? codeOf(errors[0]) : '';
}

/** The last part of a driver's message: knex puts the statement before it, PostgreSQL a refused value after it. */
export function wordsOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const words = message.slice(message.lastIndexOf(' - ') + 1).replace(/^- /, '');
  return words.replace(/(?:: ".*$)|(?:\n.*$)/s, '');
}

/** What callers of the storage see: `NOT_READY` for a database that is away or full, the error itself for a defect. */
export function publicError(error: unknown): unknown {
  if (!(error instanceof StatementError)) return error;
  if (error.failure.kind === 'refused') return error;
  if (error.failure.code === 'ERR_DLOPEN_FAILED') {
    return new TillgateError('CONFIG_INVALID', 'The database driver was built for another version of Node: run "npm rebuild" with this one.', {}, error);
  }
  return notReady(error.failure.code, error);
}

/** The error for a database that can't do its work now. */
export function notReady(code: string, cause?: unknown): TillgateError {
  const reason = code === '' ? '' : ` (${code})`;
  return new TillgateError('NOT_READY', `The database is not ready${reason}; nothing was written.`, {}, cause);
}
