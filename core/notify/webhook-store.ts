import type { AccountId, NewestQuery, TransferId, WebhookId } from '../kernel/index.ts';
import type { Subscriber, WebhookEndpoint } from './webhook.ts';

/** Webhook endpoints of accounts. */
export interface WebhookStore {
  find(id: WebhookId): Promise<WebhookEndpoint | null>;
  /** Endpoints of one account, or of all for `null`, newest first. */
  list(accountId: AccountId | null, query: NewestQuery<WebhookId>): Promise<readonly WebhookEndpoint[]>;
  /** The enabled endpoints of an account, oldest first, and the till's own handlers. */
  enabled(accountId: AccountId): Promise<readonly Subscriber[]>;
}

/** Writes of webhook endpoints, inside a transaction. Lock the account before its endpoints are changed. */
export interface WebhookWrites {
  find(id: WebhookId): Promise<WebhookEndpoint | null>;
  countOf(accountId: AccountId): Promise<number>;
  /** As {@link WebhookStore.enabled}, inside a transaction. */
  enabled(accountId: AccountId): Promise<readonly Subscriber[]>;
  /**
   * The enabled endpoints of the account whose balance pays a transfer, and the till's own handlers; none for the till's
   * own moves.
   */
  enabledOfTransfer(id: TransferId): Promise<readonly Subscriber[]>;
  /** The enabled endpoints of every active admin, and the till's own handlers. */
  enabledOfAdmins(): Promise<readonly Subscriber[]>;
  add(endpoint: WebhookEndpoint): Promise<void>;
  /** Stores `url`, `events`, `enabled` and `updatedAt`. */
  update(endpoint: WebhookEndpoint): Promise<void>;
  /** Replaces the secret; the current one becomes the previous one. */
  rotate(next: Pick<WebhookEndpoint, 'id' | 'sealed' | 'previousUntil' | 'updatedAt'>): Promise<void>;
  remove(id: WebhookId): Promise<void>;
}

declare module '../kernel/storage.ts' {
  interface Storage {
    readonly webhooks: WebhookStore;
  }
  interface Transaction {
    readonly webhooks: WebhookWrites;
  }
}
