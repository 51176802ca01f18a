import { fromBase64, toBase64, utf8 } from './bytes.ts';
import { secretBase64, SUMMARY_FIELDS, WEBHOOK_HEADERS, webhookText } from './callback-form.ts';
import type { CallbackEvent, CallbackSummary } from './callback-form.ts';
import { hmac } from './hmac.ts';
import type { CallbackOrder } from './records.ts';
import { signRequest } from './sign-request.ts';

/** The callback to create for a merchant's own tests. */
export interface TestCallbackInput {
  /** The callback URL that the merchant gave with the order. */
  readonly url: string;
  /** POST by default. */
  readonly method?: 'GET' | 'POST';
  /** `order.succeeded` by default; it sets the order's status unless `order` does. */
  readonly event?: CallbackEvent;
  /** Fields that differ from the default order. */
  readonly order?: Partial<CallbackOrder>;
  readonly callbackToken: string;
  readonly callbackSecret: string;
  /** The previous secret, which also signs during a rotation. */
  readonly formerSecret?: string;
  readonly id?: string;
  /** The time of signing in epoch milliseconds; now by default. */
  readonly at?: number;
}

/** A signed callback for a shop under test: `new Request(url, rest)`. */
export interface TestCallback {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  /** `null` for a GET. */
  readonly body: string | null;
}

const ORDER: CallbackOrder = {
  user_id: '1530217733410816000',
  order_id: '1530217733414232064',
  order_type: 'ORDER',
  platform: 'API',
  status: 'SUCCESS',
  chain: 'ETH',
  chain_name: 'Ethereum',
  currency: 'USDT-ERC20',
  amount: '25',
  vs_price: '25',
  vs_currency: 'USD',
  remark: '',
  refund: true,
  bind_id: null,
  create_time: '2026-01-01T12:00:00',
  update_time: '2026-01-01T12:05:00',
  tx_id: '1530217733414232065',
  tx_type: 'ORDER',
  obtained: '25',
  fee: '0',
  from_addr: '0x90F79bf6EB2c4f870365E785982E1f101E93b906',
  to_addr: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
  tx_hash: `0x${'5e'.repeat(32)}`,
  tx_hash_list: [`0x${'5e'.repeat(32)}`],
  contract_id: '0xdAC17F958D2ee523a2206206994597C13D831ec7',
  website: null,
  merchant_reference: 'invoice 2026-0042',
  metadata: { cart: '7c1f' },
};
const UNPAID: Partial<CallbackOrder> = {
  status: 'OVERDUE',
  refund: false,
  tx_id: '',
  obtained: null,
  from_addr: null,
  tx_hash: null,
  tx_hash_list: [],
};
const OUR_NAMES: ReadonlySet<string> = new Set(['event', ...SUMMARY_FIELDS]);

/** Creates a callback as the server sends it, with both signatures, so that a merchant's tests need no server. */
export async function signTestCallback(input: TestCallbackInput): Promise<TestCallback> {
  const { method = 'POST', event = 'order.succeeded', id = crypto.randomUUID(), at = Date.now() } = input;
  const order: CallbackOrder = { ...ORDER, ...(event === 'order.timeout' ? UNPAID : {}), ...input.order };
  const body = method === 'POST' ? JSON.stringify(order) : null;
  const url = targetUrl(input.url, method === 'POST' ? null : summaryQuery(event, order));
  const { pathname, search } = new URL(url);
  const pair = { apiToken: input.callbackToken, signingSecret: input.callbackSecret };
  const native = await signRequest({ method, target: pathname + search, body: utf8(body ?? '') }, pair, at);
  const timestamp = String(Math.floor(at / 1000));
  const secrets = [input.callbackSecret, ...(input.formerSecret === undefined ? [] : [input.formerSecret])];
  const signatures = await Promise.all(
    secrets.map((secret) => webhookSignature(secret, webhookText(id, timestamp, body ?? url))),
  );
  const webhook = {
    [WEBHOOK_HEADERS.id]: id,
    [WEBHOOK_HEADERS.timestamp]: timestamp,
    [WEBHOOK_HEADERS.signature]: signatures.join(' '),
  };
  const type = body === null ? {} : { 'Content-Type': 'application/json' };
  return { url, method, headers: { ...type, ...native, ...webhook }, body };
}

async function webhookSignature(secret: string, text: string): Promise<string> {
  const bytes = fromBase64(secretBase64(secret));
  if (bytes === null) throw new TypeError('A callback secret is whsec_ and the base64 of its bytes.');
  return `v1,${toBase64(await hmac('HMAC-SHA256', bytes, text))}`;
}

function summaryQuery(event: CallbackEvent, order: CallbackOrder): readonly string[] {
  return [`event=${event}`, ...SUMMARY_FIELDS.map((name) => `${name}=${encodeURIComponent(queryText(order[name]))}`)];
}

function queryText(value: CallbackOrder[keyof CallbackSummary]): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value ?? '');
}

/**
 * The URL that is called: the merchant's URL without query parameters of the callback's names, followed by the
 * callback's parameters.
 */
function targetUrl(link: string, query: readonly string[] | null): string {
  const url = new URL(link);
  const own = url.search === '' ? [] : url.search.slice(1).split('&');
  const kept = query === null ? own : own.filter((parameter) => !OUR_NAMES.has(nameOf(parameter)));
  url.search = [...kept, ...(query ?? [])].join('&');
  return url.origin + (url.pathname + url.search).replaceAll('|', '%7C');
}

function nameOf(parameter: string): string {
  const [name = ''] = new URLSearchParams(parameter).keys();
  return name;
}
