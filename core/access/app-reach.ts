import type { AccountId, Millis, Transaction } from '../kernel/index.ts';

/** The Apps of an account and what they reach; the gateway implements it. */
export interface AppReach {
  appCount(id: AccountId): Promise<number>;
  /** The number of enabled gateways of the chains of the account's enabled Apps. */
  gatewayCount(id: AccountId): Promise<number>;
  /**
   * Disables an archived account's Apps and revokes their keys, in the transaction that archives it and after its change
   * of status. The caller waits for `feed.settled()` after the commit; from then on the change is in force everywhere.
   */
  archive(tx: Transaction, id: AccountId, now: Millis): Promise<void>;
}
