import { TillgateError } from '../../../core/index.ts';

/**
 * The class of a failed statement: `retry` the transaction, the database is `unavailable` or full, or it `refused` the
 * statement (a defect).
 */
export interface Failure {
  readonly kind: 'retry' | 'unavailable' | 'refused';
  /** The engine's own code, `40001` or `SQLITE_FULL`. */
  readonly code: string;
  /** True when the connection is unusable. */
  readonly connectionLost: boolean;
}

/**
 * A failed statement. Its message has the engine's text but no bound value: values may be secret, and drivers put
 * them into messages and details.
 */
export class StatementError extends Error {
  readonly failure: Failure;
  /** True when the statement certainly changed nothing, so that a retry is safe. */
  harmless = false;

  constructor(failure: Failure, words: string) {
    super(words);
    this.name = 'StatementError';
    this.failure = failure;
  }
}

/** The error code of a driver or the operating system; for an aggregate, that of the first inner error. */
export function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  const { code, errors } = error as { code?: unknown; errors?: unknown };
  if (typeof code === 'string') return code;
  return Array.isArray(errors) ? codeOf(errors[0]) : '';
}

/** The driver's own text: knex prefixes it with the statement, PostgreSQL appends the refused value. */
export function wordsOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const words = message.slice(message.lastIndexOf(' - ') + 1).replace(/^- /, '');
  return words.replace(/(?:: ".*$)|(?:\n.*$)/s, '');
}

/** The error for callers of the storage: `NOT_READY` for an unavailable or full database, the error itself for a defect. */
export function publicError(error: unknown): unknown {
  if (!(error instanceof StatementError)) return error;
  if (error.failure.kind === 'refused') return error;
  if (error.failure.code === 'ERR_DLOPEN_FAILED') {
    return new TillgateError(
      'CONFIG_INVALID',
      'The database driver was built for another version of Node: run "npm rebuild" with this one.',
      {},
      error,
    );
  }
  return notReady(error.failure.code, error);
}

export function notReady(code: string, cause?: unknown): TillgateError {
  const reason = code === '' ? '' : ` (${code})`;
  return new TillgateError('NOT_READY', `The database is not ready${reason}; nothing was written.`, {}, cause);
}
