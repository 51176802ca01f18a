import type { TransactionStatus } from '../transactions/transaction.ts';

/** The answer of a withdrawal (decisions, section 5). Amounts are plain decimals. */
export interface WithdrawalRecord {
  readonly user_id: string;
  readonly tx_id: string;
  readonly type: 'WITHDRAW';
  readonly status: TransactionStatus;
  readonly chain: string;
  readonly currency: string;
  readonly amount: string;
  readonly fee: string;
  readonly obtained: string;
  /** What is left to withdraw. */
  readonly balance: string;
  readonly to_addr: string;
  readonly tx_hash: string | null;
  /** Section 2's form of a time. */
  readonly update_time: string;
}
