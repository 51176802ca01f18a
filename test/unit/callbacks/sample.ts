import { buildCallback } from '../../../core/index.ts';
import type {
  AccountId,
  Callback,
  CallbackContent,
  CallbackId,
  CallbackInput,
  CredentialId,
  OrderEventName,
  OrderId,
} from '../../../core/index.ts';
import { START } from '../../support/fakes.ts';

/** Some fields of an order's record. */
export const RECORD = {
  order_id: '312345678901234567',
  order_type: 'ORDER',
  status: 'SUCCESS',
  chain: 'ETH',
  currency: 'USDT-ERC20',
  amount: '10.8',
  vs_price: '10',
  vs_currency: 'EUR',
  remark: 'tea & "cake" | grün',
  tx_hash: '0xabc',
};

/** What a callback sends of the record: some of its fields in the query. */
export function contentOf(event: OrderEventName, record: Readonly<Partial<typeof RECORD>> = RECORD): CallbackContent {
  const { order_type, remark, ...summary } = record;
  return { body: JSON.stringify(record), query: [['event', event], ...Object.entries(summary)] };
}

/** How a sample differs from a GET of `order.succeeded`. */
export interface SampleOptions {
  readonly url?: string;
  readonly post?: boolean;
  readonly event?: OrderEventName;
  readonly type?: 'ORDER' | 'INVOICE';
  readonly accountId?: AccountId;
  readonly credentialId?: CredentialId | null;
  readonly id?: string;
  readonly orderId?: string;
  readonly content?: CallbackContent;
  readonly now?: number;
}

/** What a callback is made from. */
export function inputOf(options: SampleOptions = {}): CallbackInput {
  const { url = 'https://shop.example/paid', post = false, event = 'order.succeeded', type = 'ORDER' } = options;
  return {
    id: (options.id ?? '412345678901234567') as CallbackId,
    event,
    now: options.now ?? START,
    content: options.content ?? contentOf(event),
    order: {
      id: (options.orderId ?? RECORD.order_id) as OrderId,
      accountId: options.accountId ?? ('112345678901234567' as AccountId),
      credentialId: options.credentialId ?? null,
      type,
      enablePostCallback: post,
      links: { succeedUrl: null, timeoutUrl: null, callbackUrl: url, timeoutCallback: `${url}/late` },
    },
  };
}

/** A callback as the outbox holds it. */
export function sample(options: SampleOptions = {}): Callback {
  const callback = buildCallback(inputOf(options));
  if (callback === null) throw new Error('The sample has no URL.');
  return callback;
}
