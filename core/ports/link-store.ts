import type { AccountId, LinkId } from '../kernel/ids.ts';
import type { Millis } from '../kernel/time.ts';
import type { LinkCounts, PaymentLink } from '../links/payment-link.ts';

/** Where a link is in a list, newest first. */
export interface LinkPosition {
  readonly createdAt: Millis;
  readonly id: LinkId;
}

/** Payment links of accounts. */
export interface LinkStore {
  find(id: LinkId): Promise<PaymentLink | null>;
  findByToken(token: string): Promise<PaymentLink | null>;
  /** Newest first: of one account, or of all for `null`; those after a position. */
  list(accountId: AccountId | null, after: LinkPosition | null, limit: number): Promise<readonly PaymentLink[]>;
  /** How many orders a link has that are open or paid; each at most `most`. */
  counts(id: LinkId, most: number): Promise<LinkCounts>;
}

/** Writes of payment links, inside a transaction. */
export interface LinkWrites {
  /** The link, locked until the transaction ends: none of its orders is made meanwhile. */
  lock(id: LinkId): Promise<PaymentLink | null>;
  countOf(accountId: AccountId): Promise<number>;
  add(link: PaymentLink): Promise<void>;
  /** Stores what may change of a link and counts its version on, when it has this version still; false when it has not. */
  update(link: PaymentLink): Promise<boolean>;
}
