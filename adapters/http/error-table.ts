import { isTillgateError } from '../../core/index.ts';
import type { ErrorCode, ErrorDetails, TillgateError } from '../../core/index.ts';
import { InvalidRequest } from './invalid-request.ts';
import { wireFields } from './wire-names.ts';
import type { Vocabulary } from './wire-names.ts';

/** How an error code of the core appears in a reply. */
export interface WireError {
  /** `status × 100 + n`, so the HTTP status can be derived from it. */
  readonly code: number;
  readonly meaning: string;
  /** The reply carries `meaning` instead of the error's message, so that causes cannot be told apart. */
  readonly uniform?: true;
  /** Only the management API answers with it. */
  readonly manageOnly?: true;
}

/** Every error code. The management API answers with the HTTP status only. */
export const ERROR_TABLE = {
  MALFORMED_REQUEST: { code: 40000, meaning: 'The request is malformed.' },
  INVALID_FIELDS: { code: 40001, meaning: 'A field is missing or invalid; errors lists every one.' },
  UNSUPPORTED: { code: 40002, meaning: 'The chain, currency or fiat code is not supported or disabled.' },
  AMOUNT_OUT_OF_RANGE: { code: 40003, meaning: 'The amount is outside the limits.' },
  VERIFICATION_REQUIRED: {
    code: 40004,
    meaning: 'The account must pass business verification before the currency can be withdrawn.',
  },
  NO_WITHDRAWAL_ADDRESS: { code: 40005, meaning: 'No withdrawal address is registered for the chain.' },
  VERIFY_CODE_INVALID: { code: 40006, meaning: 'verify_code is missing, wrong, used or blocked.' },
  INVOICE_INVALID: { code: 40007, meaning: 'The Lightning invoice cannot be paid as asked.' },
  DESTINATION_UNPAYABLE: { code: 40008, meaning: 'The destination cannot be paid; the message says why.' },
  NO_CREDENTIALS: { code: 40100, meaning: 'The request carries no credentials.' },
  CREDENTIAL_INVALID: { code: 40101, meaning: 'The API key or token is unknown, disabled or expired.', uniform: true },
  SIGNATURE_INVALID: { code: 40102, meaning: 'The signature does not verify; compare signing with what was signed.' },
  DATE_INVALID: { code: 40103, meaning: 'Date is outside the accepted skew, or not YYYY-MM-DDTHH:MM:SSZ.' },
  SIGNATURE_REPLAYED: { code: 40104, meaning: 'The signed request was used already.' },
  SESSION_INVALID: {
    code: 40101,
    meaning: 'The session is unknown, over or expired: log in again.',
    uniform: true,
    manageOnly: true,
  },
  LOGIN_FAILED: { code: 40105, meaning: 'Wrong username or password.', uniform: true },
  SIGNATURE_REQUIRED: { code: 40300, meaning: 'The account has Data Security enabled: a signature is required.' },
  ACCOUNT_INACTIVE: { code: 40301, meaning: 'The account is disabled or archived.' },
  FORBIDDEN: { code: 40302, meaning: 'The role or credential may not do this.' },
  NOT_FOUND: { code: 40400, meaning: 'There is no such resource.', uniform: true },
  METHOD_NOT_ALLOWED: { code: 40500, meaning: 'The method is not allowed; see Allow.' },
  STATE_CONFLICT: { code: 40900, meaning: 'The state of the resource does not allow this.' },
  IDEMPOTENCY_MISMATCH: { code: 40901, meaning: 'The Idempotency-Key was used before with another body.' },
  IDEMPOTENCY_RUNNING: { code: 40902, meaning: 'The first request with this Idempotency-Key is still running.' },
  VERSION_MISMATCH: {
    code: 41200,
    meaning: 'The record was changed meanwhile and has another version; read it again.',
    manageOnly: true,
  },
  BODY_TOO_LARGE: { code: 41300, meaning: 'The body is too large.' },
  UNSUPPORTED_MEDIA_TYPE: { code: 41500, meaning: 'The content type, charset or encoding is not supported.' },
  INSUFFICIENT_BALANCE: { code: 42200, meaning: 'The balance is insufficient.' },
  PRECONDITION_REQUIRED: {
    code: 42800,
    meaning: 'If-Match with the version of the record is required.',
    manageOnly: true,
  },
  RATE_LIMITED: { code: 42900, meaning: 'Too many requests; see Retry-After.' },
  INTERNAL: { code: 50000, meaning: 'Internal error; quote the trace_id to support.', uniform: true },
  CONFIG_INVALID: { code: 50000, meaning: 'Internal error; quote the trace_id to support.', uniform: true },
  LEASE_LOST: { code: 50000, meaning: 'Internal error; quote the trace_id to support.', uniform: true },
  NODE_FAILED: { code: 50200, meaning: 'A chain or Lightning node failed.', uniform: true },
  CHAIN_HALTED: { code: 50200, meaning: 'A chain or Lightning node failed.', uniform: true },
  SIGNING_REFUSED: { code: 50000, meaning: 'Internal error; quote the trace_id to support.', uniform: true },
  SIGNER_UNAVAILABLE: { code: 50300, meaning: 'The service is not ready; try again shortly.', uniform: true },
  NOT_READY: { code: 50300, meaning: 'The service is not ready; try again shortly.' },
} as const satisfies Record<ErrorCode, WireError>;

/** The HTTP status of a numeric code. */
export function statusOf(code: number): number {
  return Math.floor(code / 100);
}

/** An error as it is written to a reply. */
export interface Failure {
  /** The error code of the core. */
  readonly word: ErrorCode;
  readonly code: number;
  readonly status: number;
  readonly message: string;
  readonly details: ErrorDetails;
  /** The error is a fault of the server, not of the request, and is logged with its cause. */
  readonly ours: boolean;
}

/** The message and details of an error, with the names that fields have in the APIs. */
function wireWords(error: TillgateError, words: Vocabulary): Pick<Failure, 'message' | 'details'> {
  const { message, details } = error;
  if (details.fields === undefined || error instanceof InvalidRequest) return { message, details };
  const named = wireFields(message, details.fields, words);
  return { message: named.message, details: { ...details, fields: named.fields } };
}

/**
 * Maps any thrown value to its code, status and message. Nothing of an unknown error reaches the client.
 *
 * @param words - the names that fields have in the reply
 */
export function failureOf(error: unknown, words: Vocabulary = 'payment'): Failure {
  const known = isTillgateError(error);
  // A newer copy of the package may throw codes that this table does not have.
  const word: ErrorCode = known && Object.hasOwn(ERROR_TABLE, error.code) ? error.code : 'INTERNAL';
  const entry: WireError = ERROR_TABLE[word];
  const status = statusOf(entry.code);
  const { message, details } = known ? wireWords(error, words) : { message: entry.meaning, details: {} };
  const said = entry.uniform === true ? entry.meaning : message;
  return { word, code: entry.code, status, message: said, details, ours: status >= 500 };
}
