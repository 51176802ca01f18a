import type { Millis } from '../kernel/index.ts';

/** The treatment of a refund whose address is delayed: it is refused until the delay ends, or HELD for an approval. */
export const LATE_ADDRESS_RULES = ['wait', 'approve'] as const;
export type LateAddressRule = (typeof LATE_ADDRESS_RULES)[number];

/** Settings of refunds to addresses that payers entered. */
export interface RefundSettings {
  /** How long an address that was entered or changed after a payment of its order was seen is delayed, in milliseconds. */
  readonly addressHoldMs: Millis;
  readonly lateAddress: LateAddressRule;
}

/** How long a refund to an address that was entered late is refused, in milliseconds; 0 when it is HELD instead. */
export function refusedFor({ addressHoldMs, lateAddress }: RefundSettings): Millis {
  return lateAddress === 'wait' ? addressHoldMs : 0;
}
