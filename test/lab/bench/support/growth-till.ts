import { startTestTill } from '../../../support/till.ts';
import type { TestTill } from '../../../support/till.ts';
import { FakeClock } from '../../../support/fakes.ts';
import type { SqlStorage } from '../../../../adapters/storage/knex/index.ts';
import type { SettingsInput } from '../../../../host/index.ts';
import { startReceiver } from '../../../host/merchant.ts';
import type { Answer } from '../../../host/merchant.ts';

/** No merchant of the bench is refused anything. */
const NO_LIMIT = 1_000_000_000;
const HALF_AN_HOUR_MS = 30 * 60_000;

/** What both the till in this process and the one in its own have. */
export const GROWTH_SETTINGS = {
  mode: 'sandbox',
  plugins: [{ use: 'sandbox' }],
  limits: { requestsPerMinute: NO_LIMIT },
  orders: { openPerAccount: NO_LIMIT, addressesPerDay: NO_LIMIT, timeoutSeconds: HALF_AN_HOUR_MS / 1000 },
} as const satisfies SettingsInput;

/** A whole till in this process, whose work is done when it is told to, and a merchant's server. */
export interface GrowthTill {
  readonly till: TestTill;
  /** @returns the id of a new order */
  order(): Promise<string>;
  pay(id: string): Promise<void>;
  detail(id: string): Promise<string>;
  list(page: number, size: number): Promise<void>;
  /** Lets every open order pass its deadline. */
  lapse(): void;
  close(): Promise<void>;
}

/** Starts it on a database that a till with the same master key may have used before. */
export async function startGrowthTill(storage: SqlStorage, masterKey: Uint8Array, name: string): Promise<GrowthTill> {
  const receiver = await startReceiver();
  const clock = new FakeClock(Date.now());
  const till = await startTestTill({ storage }, { settings: GROWTH_SETTINGS, masterKey, clock, merchants: name });
  let orders = 0;
  // Without the checks of the tests' own client, which would be measured too.
  const call = async (method: string, path: string, body?: object): Promise<Readonly<Record<string, unknown>>> => {
    const headers = { 'API-Key': till.merchant.apiKey, 'Content-Type': 'application/json' };
    const reply = await fetch(`${till.url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const { code, data, message } = (await reply.json()) as Answer;
    if (code !== 0) throw new Error(`${method} ${path}: ${message}`);
    return data;
  };
  return {
    till,
    order: async () => {
      const body = {
        chain: 'ETH',
        currency: 'USDT-ERC20',
        vs_currency: 'USD',
        vs_price: 25,
        callback_url: `${receiver.url}/paid`,
        enable_post_callback: true,
        merchant_reference: `${name}-${orders++}`,
      };
      return String((await call('POST', '/api/order/pay-info', body))['order_id']);
    },
    pay: async (id) => {
      await call('POST', '/sandbox/v1/pay', { order_id: id });
    },
    detail: async (id) => String((await call('GET', `/api/v2/order/detail/${id}`))['status']),
    list: async (page, size) => {
      await call('GET', `/api/v2/order/?page=${page}&size=${size}`);
    },
    lapse: () => clock.advance(HALF_AN_HOUR_MS + 1000),
    close: async () => {
      await till.close();
      await receiver.close();
    },
  };
}
