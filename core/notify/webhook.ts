import { encodeBase64, SECRET_PREFIXES } from '../access/index.ts';
import { invalidField } from '../kernel/index.ts';
import type { AccountId, Millis, Random, SealContext, WebhookId } from '../kernel/index.ts';

/** A webhook endpoint of an account. */
export interface WebhookEndpoint {
  readonly id: WebhookId;
  readonly accountId: AccountId;
  readonly url: string;
  /** Event types, or groups such as `order.*`, each once; in another format its own types. */
  readonly events: readonly string[];
  readonly enabled: boolean;
  /** The name of the format of its events: {@link STANDARD_FORMAT} or another one (`WebhookFormat`). */
  readonly format: string;
  /** The encrypted {@link WebhookSecret} as JSON, in the context `webhook:<id>`. */
  readonly sealed: string;
  /** The secret before the last rotation, with which events are signed too until `previousUntil`. */
  readonly previousSealed: string | null;
  readonly previousUntil: Millis | null;
  readonly createdAt: Millis;
  readonly updatedAt: Millis;
}

/** Who is told of events: a webhook endpoint, or the till's own handlers, which belong to no account. */
export interface Subscriber extends Pick<WebhookEndpoint, 'id' | 'url' | 'events' | 'format'> {
  readonly accountId: AccountId | null;
}

/**
 * The id and the URL of the subscriber that stands for the till's own handlers. It is no endpoint that anybody can list
 * or change: the types of its events are the document of this name.
 */
export const HANDLERS = 'till:handlers' as WebhookId;

/** The decrypted secret of an endpoint: `whsec_` and base64 of 32 bytes, or a text that a shop chose. */
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

/** The bounds of a secret that its owner chose, in characters. */
const GIVEN_SECRET = { least: 16, most: 256 } as const;

/** A secret that its owner chose. @throws TillgateError `INVALID_FIELDS` */
export function checkGivenSecret(secret: string): string {
  const { least, most } = GIVEN_SECRET;
  if (secret.length >= least && secret.length <= most && /^[\x20-\x7e]+$/.test(secret)) return secret;
  throw invalidField('secret', `must have ${least} to ${most} printable ASCII characters`);
}
