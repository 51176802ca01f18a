/** A problem of one field. */
export interface FieldProblem {
  readonly path: string;
  readonly message: string;
}

/** An error of the management API, or a missing answer (status 0). The form shows `body`. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** A machine-readable reason, where there is one. */
  readonly reason: string | null;
  readonly problems: readonly FieldProblem[];
  /** The field errors in the format of forms. */
  readonly body: { readonly errors: Readonly<Record<string, string>> };

  constructor(status: number, message: string, reason: string | null = null, problems: readonly FieldProblem[] = []) {
    super(message);
    this.status = status;
    this.reason = reason;
    this.problems = problems;
    this.body = { errors: Object.fromEntries(problems.map(({ path, message: text }) => [path, text])) };
  }
}

/** The session needs a step-up by a code, a passkey or the password. */
export const STEP_UP_REQUIRED = 'step_up_required';
/** The person closed the step-up dialog. */
export const STEP_UP_CANCELLED = 'step_up_cancelled';

/** True for an abort by the person, which is not reported. */
export const isCancelled = (error: unknown): boolean => error instanceof ApiError && error.reason === STEP_UP_CANCELLED;
