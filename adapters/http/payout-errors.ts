import type { ErrorCode } from '../../core/index.ts';

/** What every operation that pays out of a balance can answer. */
const OF_ALL = [
  'VERIFY_CODE_INVALID',
  'STATE_CONFLICT',
  'IDEMPOTENCY_MISMATCH',
  'IDEMPOTENCY_RUNNING',
  'INSUFFICIENT_BALANCE',
  'NODE_FAILED',
] as const satisfies readonly ErrorCode[];

/** The errors of a payment of a Lightning invoice. */
export const LIGHTNING_PAYMENT_ERRORS: readonly ErrorCode[] = [
  'UNSUPPORTED',
  'AMOUNT_OUT_OF_RANGE',
  'VERIFICATION_REQUIRED',
  'INVOICE_INVALID',
  ...OF_ALL,
];

/** The errors of a withdrawal, which may be one to a Lightning invoice. */
export const WITHDRAWAL_ERRORS: readonly ErrorCode[] = [
  ...LIGHTNING_PAYMENT_ERRORS,
  'NO_WITHDRAWAL_ADDRESS',
  'DESTINATION_UNPAYABLE',
  'NOT_READY',
];

/** The errors of a refund. */
export const REFUND_ERRORS: readonly ErrorCode[] = ['NOT_FOUND', 'DESTINATION_UNPAYABLE', ...OF_ALL, 'NOT_READY'];
