import type { AccountId, LinkId, Millis } from '../kernel/index.ts';
import type { LinkCounts, PaymentLink } from './payment-link.ts';

/** The position of a link in a list, newest first. */
export interface LinkPosition {
  readonly createdAt: Millis;
  readonly id: LinkId;
}

/** Payment links of accounts. */
export interface LinkStore {
  find(id: LinkId): Promise<PaymentLink | null>;
  findByToken(token: string): Promise<PaymentLink | null>;
  /** Links of one account, or of all for `null`, after a position, newest first. */
  list(accountId: AccountId | null, after: LinkPosition | null, limit: number): Promise<readonly PaymentLink[]>;
  /**
   * The numbers of open and of paid orders of a link, each at most `most`. An order past its deadline is open while a
   * payment of it was seen in time.
   */
  counts(id: LinkId, most: number, now: Millis): Promise<LinkCounts>;
}

/** Writes of payment links, inside a transaction. */
export interface LinkWrites {
  /** The link, locked until the transaction ends, so that no order of it is created meanwhile. */
  lock(id: LinkId): Promise<PaymentLink | null>;
  countOf(accountId: AccountId): Promise<number>;
  add(link: PaymentLink): Promise<void>;
  /** Stores the changed fields of a link and increments its version; false when it has another version. */
  update(link: PaymentLink): Promise<boolean>;
}

declare module '../kernel/storage.ts' {
  interface Storage {
    readonly links: LinkStore;
  }
  interface Transaction {
    readonly links: LinkWrites;
  }
}
