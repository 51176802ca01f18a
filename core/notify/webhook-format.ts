import { assert, present } from '../kernel/index.ts';
import type { AccountId, CallbackId, Digest, Millis, WebhookId } from '../kernel/index.ts';
import { WEBHOOK_PATTERNS } from './event-types.ts';
import type { WebhookEvent } from './event-types.ts';

/** The format of endpoints that receive the till's own events, signed as Standard Webhooks specifies. */
export const STANDARD_FORMAT = 'standard';

/** The subscription of an endpoint of another format to all its events. */
export const EVERY_EVENT = '*';

/** The delivery of an event to an endpoint, by which its body names itself. */
export interface DeliveryPlace {
  readonly deliveryId: CallbackId;
  readonly webhookId: WebhookId;
  readonly at: Millis;
}

/** An event in a format other than the till's own. */
export interface FormatMessage {
  /** Its type in that format. */
  readonly type: string;
  /** The event of the till that it stands for, for the list of callbacks. */
  readonly event: WebhookEvent;
  /** Its body for one endpoint, as JSON. */
  write(place: DeliveryPlace): string;
}

/** Another format of events: how an endpoint subscribes to them, and how they are signed. */
export interface WebhookFormat {
  readonly name: string;
  /** The types to which an endpoint can subscribe, besides {@link EVERY_EVENT}. */
  readonly types: readonly string[];
  /** The headers of an attempt. @param secret - the present secret of the endpoint */
  headers(body: string, secret: string, digest: Digest): Readonly<Record<string, string>>;
  /** The body of a test event. */
  test(place: DeliveryPlace & { readonly accountId: AccountId }): string;
  /** The body of an earlier delivery, as the body of another one. */
  again(body: string, place: DeliveryPlace): string;
}

/** The other formats that a till has. */
export type WebhookFormats = readonly WebhookFormat[];

/** The format of a name; `null` for the till's own. */
export function formatOf(name: string, formats: WebhookFormats): WebhookFormat | null {
  if (name === STANDARD_FORMAT) return null;
  return present(
    formats.find((format) => format.name === name),
    `the format ${name} of webhook endpoints`,
  );
}

/** The subscriptions that an endpoint of a format can have. */
export function patternsOf(format: WebhookFormat | null): readonly string[] {
  return format === null ? WEBHOOK_PATTERNS : [EVERY_EVENT, ...format.types];
}

/** Whether one of these subscriptions covers a message. */
export function coversMessage(patterns: readonly string[], { type }: FormatMessage): boolean {
  assert(type !== '', 'a message has a type');
  return patterns.includes(EVERY_EVENT) || patterns.includes(type);
}
