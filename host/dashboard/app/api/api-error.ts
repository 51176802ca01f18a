/** What the API says of one field. */
export interface FieldProblem {
  readonly path: string;
  readonly message: string;
}

/** A refusal of the management API, or no answer at all (status 0). The form that it belongs to shows `body`. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** A word, where a program should do something about it. */
  readonly reason: string | null;
  readonly problems: readonly FieldProblem[];
  /** As forms take the problems of their fields. */
  readonly body: { readonly errors: Readonly<Record<string, string>> };

  constructor(status: number, message: string, reason: string | null = null, problems: readonly FieldProblem[] = []) {
    super(message);
    this.status = status;
    this.reason = reason;
    this.problems = problems;
    this.body = { errors: Object.fromEntries(problems.map(({ path, message: text }) => [path, text])) };
  }
}

/** The session has to be raised by a code, a passkey or the password first. */
export const STEP_UP_REQUIRED = 'step_up_required';
/** The person closed the dialog that asks for the code. */
export const STEP_UP_CANCELLED = 'step_up_cancelled';

/** True for what a person did on purpose, which nobody has to tell. */
export const isCancelled = (error: unknown): boolean => error instanceof ApiError && error.reason === STEP_UP_CANCELLED;
