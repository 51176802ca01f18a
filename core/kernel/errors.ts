const BRAND: unique symbol = Symbol.for('tillgate.error') as never;

/** The code of each refusal. The HTTP adapter has the table of their numbers and HTTP statuses. */
export type ErrorCode =
  | 'MALFORMED_REQUEST'
  | 'INVALID_FIELDS'
  | 'UNSUPPORTED'
  | 'AMOUNT_OUT_OF_RANGE'
  | 'VERIFICATION_REQUIRED'
  | 'NO_WITHDRAWAL_ADDRESS'
  | 'VERIFY_CODE_INVALID'
  | 'INVOICE_INVALID'
  | 'DESTINATION_UNPAYABLE'
  | 'NO_CREDENTIALS'
  | 'CREDENTIAL_INVALID'
  | 'SIGNATURE_INVALID'
  | 'DATE_INVALID'
  | 'SIGNATURE_REPLAYED'
  | 'LOGIN_FAILED'
  | 'SESSION_INVALID'
  | 'SIGNATURE_REQUIRED'
  | 'ACCOUNT_INACTIVE'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'BODY_TOO_LARGE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'STATE_CONFLICT'
  | 'VERSION_MISMATCH'
  | 'PRECONDITION_REQUIRED'
  | 'IDEMPOTENCY_MISMATCH'
  | 'IDEMPOTENCY_RUNNING'
  | 'INSUFFICIENT_BALANCE'
  | 'RATE_LIMITED'
  | 'INTERNAL'
  | 'NODE_FAILED'
  | 'NOT_READY'
  | 'SIGNER_UNAVAILABLE'
  | 'SIGNING_REFUSED'
  | 'LEASE_LOST'
  | 'CHAIN_HALTED'
  | 'CONFIG_INVALID';

/** One invalid field: `path` is dotted (`price`, `ids.0`), `message` says what is valid. */
export interface FieldError {
  readonly path: string;
  readonly message: string;
}

/** The signed text of a request as the server computed it, for its sender to compare. */
export interface SigningText {
  readonly algorithm: string;
  readonly date: string;
  readonly requestInfo: string;
  readonly bodyMd5: string;
  readonly signatureOrigin: string;
}

/** The details of a {@link TillgateError}; they must not contain a secret. */
export interface ErrorDetails {
  readonly fields?: readonly FieldError[];
  readonly retryAfterSeconds?: number;
  readonly allow?: readonly string[];
  readonly signing?: SigningText;
  /** A machine-readable reason, where an error has several causes that are answered differently. */
  readonly reason?: string;
  readonly [key: string]: unknown;
}

/**
 * The project's error class: a code, a message, and details.
 *
 * It is recognised by a symbol, not by `instanceof`, so that two copies of the package recognise each other's errors.
 */
export class TillgateError extends Error {
  readonly [BRAND] = true;
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'TillgateError';
    this.code = code;
    this.details = details;
  }
}

/** True for a {@link TillgateError} of any copy of this package, and of the given code when there is one. */
export function isTillgateError(error: unknown, code?: ErrorCode): error is TillgateError {
  if (typeof error !== 'object' || error === null || !(BRAND in error)) return false;
  return code === undefined || (error as TillgateError).code === code;
}

/** A refusal because of the present state (code `STATE_CONFLICT`). */
export function stateConflict(message: string): TillgateError {
  return new TillgateError('STATE_CONFLICT', message);
}

/** A refusal of one field (code `INVALID_FIELDS`). */
export function invalidField(path: string, message: string): TillgateError {
  return new TillgateError('INVALID_FIELDS', `${path}: ${message}`, { fields: [{ path, message }] });
}
