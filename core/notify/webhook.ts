import { encodeBase64, SECRET_PREFIXES } from '../access/index.ts';
import type { AccountId, Millis, Random, SealContext, WebhookId } from '../kernel/index.ts';

/** A webhook endpoint of an account. */
export interface WebhookEndpoint {
  readonly id: WebhookId;
  readonly accountId: AccountId;
  readonly url: string;
  /** Event types, or groups such as `order.*`; each once. */
  readonly events: readonly string[];
  readonly enabled: boolean;
  /** The encrypted {@link WebhookSecret} as JSON, in the context `webhook:<id>`. */
  readonly sealed: string;
  /** The secret before the last rotation, with which events are signed too until `previousUntil`. */
  readonly previousSealed: string | null;
  readonly previousUntil: Millis | null;
  readonly createdAt: Millis;
  readonly updatedAt: Millis;
}

/** Who is told of events: a webhook endpoint, or the till's own handlers, which belong to no account. */
export interface Subscriber extends Pick<WebhookEndpoint, 'id' | 'url' | 'events'> {
  readonly accountId: AccountId | null;
}

/**
 * The id and the URL of the subscriber that stands for the till's own handlers. It is no endpoint that anybody can list
 * or change: the types of its events are the document of this name.
 */
export const HANDLERS = 'till:handlers' as WebhookId;

/** The decrypted secret of an endpoint: `whsec_` and base64 of 32 bytes. */
export interface WebhookSecret {
  readonly secret: string;
}

/** The most endpoints of an account. */
export const MAX_WEBHOOKS = 16;

const SECRET_BYTES = 32;

/** The vault context of an endpoint's secrets. */
export const webhookContext = (id: WebhookId): SealContext => `webhook:${id}`;

export function newWebhookSecret(random: Random): WebhookSecret {
  return { secret: SECRET_PREFIXES.callbackSecret + encodeBase64(random.bytes(SECRET_BYTES)) };
}
