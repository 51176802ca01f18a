import type { AccountId, ChainCode, Millis } from '../kernel/index.ts';

/** The destination of an account's withdrawals on a chain. A change is delayed, so that a theft can be noticed. */
export interface WithdrawalAddress {
  readonly accountId: AccountId;
  readonly chain: ChainCode;
  /** The address that was in force before; `null` for none. */
  readonly formerAddress: string | null;
  readonly address: string;
  /** The time from which `address` is in force. */
  readonly activeFrom: Millis;
  readonly updatedAt: Millis;
}

/** The address in force at a time; `null` when none is yet. */
export function addressInForce(record: WithdrawalAddress | null, now: Millis): string | null {
  if (record === null) return null;
  return now >= record.activeFrom ? record.address : record.formerAddress;
}
