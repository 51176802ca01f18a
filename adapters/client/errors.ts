import type { FieldError } from '../../core/index.ts';

/** The name of each error code of the payment API. The HTTP status is `Math.floor(code / 100)`. */
export const API_ERRORS = {
  40000: 'MALFORMED_REQUEST',
  40001: 'INVALID_FIELDS',
  40002: 'UNSUPPORTED',
  40003: 'AMOUNT_OUT_OF_RANGE',
  40004: 'VERIFICATION_REQUIRED',
  40005: 'NO_WITHDRAWAL_ADDRESS',
  40006: 'VERIFY_CODE_INVALID',
  40007: 'INVOICE_INVALID',
  40008: 'DESTINATION_UNPAYABLE',
  40100: 'NO_CREDENTIALS',
  40101: 'CREDENTIAL_INVALID',
  40102: 'SIGNATURE_INVALID',
  40103: 'DATE_INVALID',
  40104: 'SIGNATURE_REPLAYED',
  40105: 'LOGIN_FAILED',
  40300: 'SIGNATURE_REQUIRED',
  40301: 'ACCOUNT_INACTIVE',
  40302: 'FORBIDDEN',
  40400: 'NOT_FOUND',
  40500: 'METHOD_NOT_ALLOWED',
  40900: 'STATE_CONFLICT',
  40901: 'IDEMPOTENCY_MISMATCH',
  40902: 'IDEMPOTENCY_RUNNING',
  41300: 'BODY_TOO_LARGE',
  41500: 'UNSUPPORTED_MEDIA_TYPE',
  42200: 'INSUFFICIENT_BALANCE',
  42900: 'RATE_LIMITED',
  50000: 'INTERNAL',
  50200: 'NODE_FAILED',
  50300: 'NOT_READY',
} as const;

/** The codes of the payment API in this version of the client. */
export type ApiErrorCode = keyof typeof API_ERRORS;
/** The name of an error code; `UNKNOWN` for a code that this client does not have. */
export type ApiErrorKind = (typeof API_ERRORS)[ApiErrorCode] | 'UNKNOWN';

/** The values that the server verified a signature against, when the signature did not verify. */
export interface SigningInformation {
  readonly algorithm: string;
  readonly date: string;
  readonly request_info: string;
  readonly body_md5: string;
  readonly signature_origin: string;
}

/** Facts about the call, which every error contains. */
export interface CallFacts {
  /** The operation, such as `withdraw`. */
  readonly operation: string;
  /** Number of times the request was sent. */
  readonly tries: number;
  /**
   * The `Idempotency-Key` that was sent; `null` for calls without one. When the outcome is unknown, repeat the call
   * with this key: it returns the first outcome and has no second effect.
   */
  readonly idempotencyKey: string | null;
}

/** The base class of every failed call: an error reply, no reply, or a reply that is not the server's. */
export abstract class TillgateClientError extends Error implements CallFacts {
  readonly operation: string;
  readonly tries: number;
  readonly idempotencyKey: string | null;

  constructor(message: string, facts: CallFacts, cause?: unknown) {
    super(`${facts.operation}: ${message}`, cause === undefined ? undefined : { cause });
    this.operation = facts.operation;
    this.tries = facts.tries;
    this.idempotencyKey = facts.idempotencyKey;
  }
}

/** The server's error reply. */
export interface Refusal {
  readonly code: number;
  readonly message: string;
  readonly trace_id?: string;
  readonly errors?: readonly FieldError[];
  readonly signing?: SigningInformation;
}

/** An error reply of the server; `kind` is the name of its code. */
export class TillgateApiError extends TillgateClientError {
  override readonly name = 'TillgateApiError';
  readonly kind: ApiErrorKind;
  readonly code: number;
  readonly httpStatus: number;
  /** Identifies the request in the server's log. */
  readonly traceId: string;
  /** Every invalid field; empty unless `kind` is `INVALID_FIELDS`. */
  readonly errors: readonly FieldError[];
  /** The values to compare with what was signed; `null` unless a signature was refused. */
  readonly signing: SigningInformation | null;
  /** The milliseconds that the server asked to wait; `null` when it did not. */
  readonly retryAfterMs: number | null;

  constructor(
    { code, message, trace_id, errors, signing }: Refusal,
    httpStatus: number,
    retryAfterMs: number | null,
    facts: CallFacts,
  ) {
    super(`${message} (${code})`, facts);
    this.kind = Object.hasOwn(API_ERRORS, code) ? API_ERRORS[code as ApiErrorCode] : 'UNKNOWN';
    this.code = code;
    this.httpStatus = httpStatus;
    this.traceId = trace_id ?? '';
    this.errors = errors ?? [];
    this.signing = signing ?? null;
    this.retryAfterMs = retryAfterMs;
  }
}

/**
 * There was no reply: network failure, timeout, or abort by the caller. It is unknown whether the request took effect.
 */
export class TillgateConnectionError extends TillgateClientError {
  override readonly name = 'TillgateConnectionError';
  /** True when the caller's signal aborted it. */
  readonly aborted: boolean;

  constructor(message: string, aborted: boolean, facts: CallFacts, cause?: unknown) {
    super(message, facts, cause);
    this.aborted = aborted;
  }
}

/** The reply is not the server's: the page of a proxy, a redirect. */
export class TillgateReplyError extends TillgateClientError {
  override readonly name = 'TillgateReplyError';
  readonly httpStatus: number;
  /** The `Retry-After` of the reply in milliseconds; `null` without one. */
  readonly retryAfterMs: number | null;

  constructor(message: string, httpStatus: number, retryAfterMs: number | null, facts: CallFacts) {
    super(`${message} (HTTP ${httpStatus})`, facts);
    this.httpStatus = httpStatus;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Whether an error is an error reply of the server, of the given kind if one is named. */
export function isApiError(error: unknown, kind?: ApiErrorKind): error is TillgateApiError {
  return error instanceof TillgateApiError && (kind === undefined || error.kind === kind);
}
