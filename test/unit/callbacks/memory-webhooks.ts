import type { AccountId, WebhookEndpoint, WebhookId, WebhookStore } from '../../../core/index.ts';

/** Webhook endpoints in memory, as the port describes them. */
export class MemoryWebhooks implements WebhookStore {
  readonly rows = new Map<WebhookId, WebhookEndpoint>();

  async find(id: WebhookId): Promise<WebhookEndpoint | null> {
    return this.rows.get(id) ?? null;
  }

  async list(accountId: AccountId | null): Promise<readonly WebhookEndpoint[]> {
    return [...this.rows.values()].filter((row) => accountId === null || row.accountId === accountId);
  }

  async enabled(accountId: AccountId): Promise<readonly WebhookEndpoint[]> {
    return [...this.rows.values()].filter((row) => row.accountId === accountId && row.enabled);
  }
}
