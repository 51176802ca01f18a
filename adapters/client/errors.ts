import { camelCase } from './names.ts';

/** A field that was refused, by its name in TypeScript. */
export interface RefusedField {
  /** Dotted path: `price`, `metadata.cart`. */
  readonly field: string;
  readonly message: string;
}

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
  /** The call, such as `payouts.create`. */
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

/** The server's error reply, with the names of the wire. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly trace_id?: string;
  readonly fields?: readonly RefusedField[];
  readonly signing?: SigningInformation;
}

/** An error reply of the server. */
export class TillgateApiError extends TillgateClientError {
  override readonly name = 'TillgateApiError';
  /** What is wrong, such as `order_not_found`. */
  readonly code: string;
  readonly httpStatus: number;
  /** Identifies the request in the server's log. */
  readonly traceId: string;
  /** The first field that was refused, or the one that names a record that is not there; `null` for any other error. */
  readonly field: string | null;
  /** Every such field. */
  readonly fields: readonly RefusedField[];
  /** The values to compare with what was signed; `null` unless a signature was refused. */
  readonly signing: SigningInformation | null;
  /** The milliseconds that the server asked to wait; `null` when it did not. */
  readonly retryAfterMs: number | null;

  constructor(
    { code, message, trace_id, fields = [], signing }: Refusal,
    httpStatus: number,
    retryAfterMs: number | null,
    facts: CallFacts,
  ) {
    super(`${message} (${code})`, facts);
    this.code = code;
    this.httpStatus = httpStatus;
    this.traceId = trace_id ?? '';
    this.fields = fields.map(({ field, message: problem }) => ({ field: camelCase(field), message: problem }));
    this.field = this.fields[0]?.field ?? null;
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

/** Whether an error is an error reply of the server, with the given code if one is named. */
export function isApiError(error: unknown, code?: string): error is TillgateApiError {
  return error instanceof TillgateApiError && (code === undefined || error.code === code);
}
