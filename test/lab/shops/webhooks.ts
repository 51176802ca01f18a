import { Webhook } from 'standardwebhooks';
import { toWire } from '../../../adapters/client/names.ts';

/** How an event is sent by somebody: signed with a secret, then changed on its way. */
export interface Sending {
  readonly id?: string;
  readonly at?: Date;
  /** What arrives in place of what was signed. */
  readonly body?: string;
}

/** Sends an event as the till would, with a secret of the caller's. @returns the status of the answer */
export async function sendEvent(url: string, secret: string, event: object, sending: Sending = {}): Promise<number> {
  const { id = crypto.randomUUID(), at = new Date() } = sending;
  const text = JSON.stringify({ timestamp: at.toISOString(), ...event });
  const reply = await fetch(url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign(id, at, text),
    },
    body: sending.body ?? text,
  });
  await reply.arrayBuffer();
  return reply.status;
}

/** An event that says of an order that it is paid. */
export const succeeded = (order: object, changes: object = {}): object => ({
  type: 'order.succeeded',
  data: toWire({ ...order, status: 'SUCCESS', ...changes }),
});
