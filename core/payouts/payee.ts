import type { AccountId, ChainCode, Millis, PayeeId } from '../kernel/index.ts';

/** The most payees of an account. */
export const MAX_PAYEES = 1_000;
/** The longest label of a payee. */
export const MAX_PAYEE_LABEL = 100;

/** A receiver that an account lists: its owner may approve payments to it without another person. */
export interface Payee {
  readonly id: PayeeId;
  readonly accountId: AccountId;
  readonly chain: ChainCode;
  /** In the chain's usual form. */
  readonly address: string;
  /** May be empty. */
  readonly label: string;
  /** The time from which it counts as listed. */
  readonly activeFrom: Millis;
  readonly createdAt: Millis;
}
