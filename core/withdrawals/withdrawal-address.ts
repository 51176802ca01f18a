import type { ChainCode } from '../kernel/asset.ts';
import type { AccountId } from '../kernel/ids.ts';
import type { Millis } from '../kernel/time.ts';

/** Where an account's withdrawals on a chain go. A change holds only after its time, so that a thief has to wait and be seen. */
export interface WithdrawalAddress {
  readonly accountId: AccountId;
  readonly chain: ChainCode;
  /** The address that was in force before; `null` when there was none. */
  readonly formerAddress: string | null;
  readonly address: string;
  /** From when `address` is in force. */
  readonly activeFrom: Millis;
  readonly updatedAt: Millis;
}

/** The address in force at a time; `null` when none is yet. */
export function addressInForce(record: WithdrawalAddress | null, now: Millis): string | null {
  if (record === null) return null;
  return now >= record.activeFrom ? record.address : record.formerAddress;
}
