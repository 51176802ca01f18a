import type { AccountId, Callback, Storage, WebhookEndpoint, WebhookId } from '../../core/index.ts';

let made = 0;

/** Gives an account a webhook endpoint, whose secret is not used. */
export async function subscribe(
  storage: Storage,
  accountId: AccountId,
  given: Partial<WebhookEndpoint> = {},
): Promise<WebhookEndpoint> {
  made += 1;
  const endpoint: WebhookEndpoint = {
    id: String(10n ** 18n + BigInt(made)) as WebhookId,
    accountId,
    url: 'https://shop.example/events',
    events: ['order.*', 'refund.*', 'withdrawal.*', 'deposit.*', 'security.*', 'alert.*'],
    enabled: true,
    format: 'standard',
    sealed: 'sealed',
    previousSealed: null,
    previousUntil: null,
    createdAt: 0,
    updatedAt: 0,
    ...given,
  };
  await storage.transaction((tx) => tx.webhooks.add(endpoint));
  return endpoint;
}

/** The events sent to an endpoint, oldest first. */
export async function eventsFor(storage: Storage, { id, accountId }: WebhookEndpoint): Promise<readonly Callback[]> {
  const items = await storage.callbacks.list({ accountId, status: null, endpointId: id, before: null, limit: 1000 });
  return items.toReversed();
}

/** The types of some events, in their order. */
export const typesOf = (events: readonly Callback[]): readonly string[] => events.map(({ event }) => event);

/** The data of an event. */
export const dataIn = ({ body }: Callback): Record<string, unknown> =>
  (JSON.parse(body ?? '') as { readonly data: Record<string, unknown> }).data;
