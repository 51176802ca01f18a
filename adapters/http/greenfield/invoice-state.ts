import type { OrderStatus } from '../../../core/index.ts';

export const INVOICE_STATUSES = ['New', 'Processing', 'Expired', 'Invalid', 'Settled'] as const;
export type InvoiceStatus = (typeof INVOICE_STATUSES)[number];

export const ADDITIONAL_STATUSES = ['None', 'PaidLate', 'PaidPartial', 'Marked', 'Invalid', 'PaidOver'] as const;
export type AdditionalStatus = (typeof ADDITIONAL_STATUSES)[number];

/** The statuses that a shop can give an invoice. */
export const MARKS = ['Settled', 'Invalid'] as const;
export type Mark = (typeof MARKS)[number];

/** The facts of an order from which the state of its invoice follows. Amounts are in units of the order's coin. */
export interface InvoiceFacts {
  readonly status: OrderStatus;
  /** The rule and the former status of the last move; `null` where nothing depends on it, or there was none. */
  readonly lastMove: { readonly rule: string; readonly from: OrderStatus | null } | null;
  /** The amount due, and the least that pays the order; `null` until its coin is chosen. */
  readonly due: bigint | null;
  readonly required: bigint | null;
  /** What was seen, in blocks and in the mempool. */
  readonly seen: bigint;
}

export interface InvoiceState {
  readonly status: InvoiceStatus;
  readonly additionalStatus: AdditionalStatus;
}

const state = (status: InvoiceStatus, additionalStatus: AdditionalStatus = 'None'): InvoiceState => ({
  status,
  additionalStatus,
});

/** The state of an order's invoice. Pure. */
export function invoiceState(facts: InvoiceFacts): InvoiceState {
  const { status, lastMove, due, required, seen } = facts;
  const isPaid = required !== null && seen >= required;
  const over = due !== null && seen > due ? 'PaidOver' : 'None';
  switch (status) {
    case 'PENDING':
      return isPaid ? state('Processing', over) : state('New', seen > 0n ? 'PaidPartial' : 'None');
    case 'SUCCESS':
      return state('Settled', over);
    case 'RESOLVED':
      return state('Settled', lastMove?.rule === 'operator-accepted' ? 'Marked' : 'PaidLate');
    case 'OVERDUE':
    case 'PARTIAL':
      return state('Expired', isPaid ? 'PaidLate' : seen > 0n ? 'PaidPartial' : 'None');
    case 'TERMINATED':
      return state('Invalid', lastMove?.rule === 'cancelled' ? 'Marked' : 'None');
    case 'REFUNDED':
      // A refund ends an order that was paid, and one that was not: only the former is an invoice that was settled.
      return invoiceState({ ...facts, status: lastMove?.from ?? 'OVERDUE', lastMove: null });
  }
}

/** The statuses that the shop may give it now: those for which the till has a move. */
export function availableMarks({ status, seen }: Pick<InvoiceFacts, 'status' | 'seen'>): readonly Mark[] {
  if (status === 'PENDING') return seen === 0n ? ['Invalid'] : [];
  return status === 'OVERDUE' || status === 'PARTIAL' ? ['Settled'] : [];
}
