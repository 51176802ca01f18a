/** Rules of a credited payment that the merchant must decide about: it changed no status and is not refunded. */
export const UNDECIDED_RULES = ['late-payment-short', 'payment-beside-refund', 'payment-after-end'] as const;
export type UndecidedRule = (typeof UNDECIDED_RULES)[number];
