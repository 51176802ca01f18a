import { pageOf } from '../../../core/index.ts';
import type { AccountId, Page, PageRequest, WebhookEndpoint, WebhookId, WebhookStore } from '../../../core/index.ts';

/** Webhook endpoints in memory, as the port describes them. */
export class MemoryWebhooks implements WebhookStore {
  readonly rows = new Map<WebhookId, WebhookEndpoint>();

  async find(id: WebhookId): Promise<WebhookEndpoint | null> {
    return this.rows.get(id) ?? null;
  }

  async list(accountId: AccountId | null, page: PageRequest): Promise<Page<WebhookEndpoint>> {
    const items = [...this.rows.values()].filter((row) => accountId === null || row.accountId === accountId);
    return pageOf(page, items.length, items);
  }

  async enabled(accountId: AccountId): Promise<readonly WebhookEndpoint[]> {
    return [...this.rows.values()].filter((row) => row.accountId === accountId && row.enabled);
  }
}
