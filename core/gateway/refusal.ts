/** The reasons for which the gateway refuses a request, with their HTTP statuses. */
export const REFUSALS = {
  bad_request: { status: 400, message: 'The request is malformed.' },
  http_method_not_allowed: { status: 405, message: 'This gateway does not accept that HTTP method.' },
  not_found: { status: 404, message: 'There is nothing at this address.' },
  key_missing: {
    status: 401,
    message: 'An App key is needed: in the header "Authorization: Bearer <key>" or as the first part of the path.',
  },
  key_malformed: { status: 401, message: 'The App key is malformed: the header must be exactly "Bearer <key>".' },
  key_unknown: { status: 401, message: 'The App key is unknown.' },
  key_revoked: { status: 401, message: 'The App key was revoked.' },
  key_expired: { status: 401, message: 'The App key has expired.' },
  key_mismatch: { status: 401, message: 'The App key in the header and the one in the path differ.' },
  app_inactive: { status: 403, message: 'The App is not active.' },
  account_inactive: { status: 403, message: 'The account is not active.' },
  route_disabled: { status: 403, message: 'This gateway is not enabled for the App.' },
  address_not_allowed: { status: 403, message: 'The App key may not be used from this address.' },
  origin_not_allowed: { status: 403, message: 'Pages of this origin may not use this gateway.' },
  method_not_allowed: { status: 403, message: 'The method is not allowed on this gateway.' },
  quota_exceeded: { status: 429, message: 'The App has used up its quota.' },
  payment_pending: {
    status: 202,
    message: 'The payment is not confirmed yet: send the same request again, with the same PAYMENT-SIGNATURE.',
    rpcCode: -32005,
  },
  rate_limited: { status: 429, message: 'Too many requests of this App; try again later.' },
  body_too_large: { status: 413, message: 'The body is too large.' },
  range_too_large: { status: 400, message: 'The range has too many blocks.', rpcCode: -32005 },
  batch_too_large: { status: 400, message: 'The batch has too many elements.' },
  upstream_unavailable: { status: 502, message: 'No node could answer.' },
  upstream_timeout: { status: 504, message: 'The node did not answer in time.' },
} as const satisfies Record<string, { status: number; message: string; rpcCode?: -32005 }>;

export type RefusalReason = keyof typeof REFUSALS;

/** A refused request. */
export interface Refusal {
  readonly reason: RefusalReason;
  readonly status: number;
  readonly message: string;
  readonly retryAfterSeconds: number | null;
  /** The URL where units are bought; `null` for refusals that units do not resolve. */
  readonly topUpUrl: string | null;
  /** Additional headers of the reply, names and values in turn. */
  readonly headers: readonly string[];
  /** The JSON-RPC error code: invalid request, parse error, or limit exceeded (EIP-1474). */
  readonly rpcCode: -32600 | -32700 | -32005;
}

const NO_HEADERS: readonly string[] = [];

/** The refusal of a reason, optionally with another status or message. */
export function refuse(reason: RefusalReason, more: Partial<Omit<Refusal, 'reason'>> = {}): Refusal {
  return {
    reason,
    retryAfterSeconds: null,
    topUpUrl: null,
    headers: NO_HEADERS,
    rpcCode: -32600,
    ...REFUSALS[reason],
    ...more,
  };
}

/** True for a refusal among the results of a check. */
export function isRefusal(value: object): value is Refusal {
  return 'rpcCode' in value;
}
