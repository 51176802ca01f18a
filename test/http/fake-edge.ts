import assert from 'node:assert/strict';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { AssetCatalogue, SPECIFIED_ASSETS, TillgateError, withDefaults } from '../../core/index.ts';
import type { AccountId, CheckoutView, IdempotencyClaim, LightningOrderInput, LightningOrderRecord, LightningPaymentInput, Order, OrderId, PayInfoInput, PayUrlInput, Principal, RefundRecord, WithdrawalInput, WithdrawalRecord } from '../../core/index.ts';
import { fetchBinding } from '../../adapters/http/fetch/index.ts';
import { createHttpServer, createOperations, expressBinding, HttpApi, randomTraceId } from '../../adapters/http/index.ts';
import type { HttpDeps, HttpSettings, Operation, ServerTimeouts } from '../../adapters/http/index.ts';
import { FakeClock, MemoryLogger, MemoryMetrics, PlainDigest, START } from '../support/fakes.ts';
import { createFetchServer, rawFacts } from '../support/fetch-server.ts';
import { HttpClient } from '../support/http.ts';

export const ACCOUNT = '1530217733410816000' as AccountId;
export const ORDER_ID = '1530217733414232064' as OrderId;
export const TOKEN = '8f14e45fceea167a5a36dedd4bea2543';
export const ADDRESS = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';

/** An order that the fakes give out. */
export const ORDER: Order = {
  id: ORDER_ID,
  accountId: ACCOUNT,
  number: 1,
  credentialId: null,
  type: 'ORDER',
  platform: 'API',
  status: 'PENDING',
  vsCurrency: 'USD',
  vsPrice: 2500n,
  payment: {
    chain: 'ETH',
    currency: 'USDT-ERC20',
    units: 25_000_000n,
    address: ADDRESS,
    rate: { at: START, coin: { symbol: 'USDT', usd: '1', sources: [] }, fiat: { symbol: 'USD', usd: '1', sources: [] }, fixed: false },
    chosenAt: START,
  },
  received: 0n,
  remark: '',
  ...withDefaults({}),
  checkoutToken: TOKEN,
  toleranceBps: 0,
  createdAt: START,
  updatedAt: START,
  expiresAt: START + 1_800_000,
  watchUntil: START + 88_200_000,
  reorgedAt: null,
  refundAddress: null,
};

const VIEW: CheckoutView = {
  order: ORDER,
  chainName: 'Ethereum',
  amount: '25',
  received: '0',
  arrived: '0',
  remaining: '25',
  contractAddr: '0xdac1',
  paymentUri: 'ethereum:0xdac1',
  confirmations: 0,
  confirmationsRequired: 12,
  refundAddress: null,
  seen: false,
};

/** The refund that the fake knows, with more digits than a JSON number tells. */
export const REFUND: RefundRecord = {
  order_id: ORDER_ID,
  chain: 'ETH',
  currency: 'ETH',
  amount: '1.123456789123456789',
  network_fee: '0.000000009',
  obtained: '1.123456780123456789',
  from_addr: ADDRESS,
  to_addr: ADDRESS,
  refund_et: 0,
  refund_status: 'PENDING',
  refund_amount: '1.123456789123456789',
  refund_date: null,
};

/** The withdrawal that the fake makes of anything. */
export const WITHDRAWAL: WithdrawalRecord = {
  user_id: ACCOUNT,
  tx_id: '1530219844911046656',
  type: 'WITHDRAW',
  status: 'PENDING',
  chain: 'ETH',
  currency: 'USDT-ERC20',
  amount: '100.5',
  fee: '0.42',
  obtained: '100.08',
  balance: '899.5',
  to_addr: ADDRESS,
  tx_hash: null,
  update_time: '2026-03-01T12:00:00',
};

export const LIGHTNING_ORDER: LightningOrderRecord = {
  order_id: ORDER_ID,
  status: 'PENDING',
  currency: 'BTC-LN',
  amount: '0.00012345678',
  create_time: '2026-03-01T12:00:00',
  payment_request: 'lnbcrt123450n1fake',
  payment_addr: 'ab'.repeat(32),
  pay_url: `https://till.example/checkout/${TOKEN}`,
};

/** The withdrawal that the fake makes of any invoice. */
export const LIGHTNING_WITHDRAWAL: WithdrawalRecord = {
  ...WITHDRAWAL,
  status: 'SUCCESS',
  chain: 'BLN',
  currency: 'BTC-LN',
  amount: '0.00012345688',
  fee: '0.0000000001',
  obtained: '0.00012345678',
  balance: '0.5',
  to_addr: 'lnbcrt123450n1fake',
};

/** What the fake use cases were asked. */
export interface Asked {
  readonly payInfo: { input: PayInfoInput; idempotency: IdempotencyClaim | null }[];
  readonly payUrl: { input: PayUrlInput; idempotency: IdempotencyClaim | null }[];
  readonly refunds: { orderId: string; idempotency: IdempotencyClaim | null }[];
  readonly withdrawals: { input: WithdrawalInput; idempotency: IdempotencyClaim | null }[];
  readonly lightning: { input: LightningOrderInput; idempotency: IdempotencyClaim | null }[];
  readonly invoices: { input: LightningPaymentInput; idempotency: IdempotencyClaim | null }[];
  readonly chosen: string[];
  readonly authenticated: { target: string; method: string; body: string; headers: ReadonlyMap<string, readonly string[]> }[];
}

/** A server over fake use cases. */
export interface FakeEdge {
  readonly url: string;
  readonly port: number;
  readonly client: HttpClient;
  readonly deps: HttpDeps;
  readonly asked: Asked;
  readonly logger: MemoryLogger;
  readonly metrics: MemoryMetrics;
  close(): Promise<void>;
}

/** What of a {@link FakeEdge} differs from the ordinary. */
export interface FakeEdgeOptions {
  readonly settings?: Partial<HttpSettings>;
  readonly deps?: Partial<HttpDeps>;
  readonly timeouts?: ServerTimeouts;
  readonly extra?: readonly Operation[];
  readonly app?: (app: express.Express) => void;
  /** Mounts the table under this path. */
  readonly mount?: string;
}

/** API keys that the fake knows, and what they lead to. */
const KEYS: Readonly<Record<string, () => Principal>> = {
  good: () => ({ accountId: ACCOUNT, credentialId: null, via: 'api-key' }),
  other: () => ({ accountId: '1530217733410816999' as AccountId, credentialId: null, via: 'api-key' }),
  secured: () => refuse('SIGNATURE_REQUIRED'),
  disabled: () => refuse('ACCOUNT_INACTIVE'),
};

function refuse(code: 'SIGNATURE_REQUIRED' | 'ACCOUNT_INACTIVE' | 'NO_CREDENTIALS' | 'CREDENTIAL_INVALID'): never {
  throw new TillgateError(code, 'refused by the fake');
}

function fakeDeps(options: FakeEdgeOptions, asked: Asked, logger: MemoryLogger, metrics: MemoryMetrics): HttpDeps {
  const settings: HttpSettings = {
    serviceName: 'till',
    sandbox: true,
    pageMax: 100,
    requestsPerMinute: 1_000_000,
    loginsPerMinute: 1_000_000,
    trustedHops: 0,
    allowPrivateNetworks: false,
    ...options.settings,
  };
  const page = <T>(items: readonly T[]) => ({ page: 1, size: 10, total: items.length, maxPage: items.length === 0 ? 0 : 1, items });
  return {
    settings,
    authenticate: {
      async run({ target, method, body, headers }) {
        asked.authenticated.push({ target, method, headers, body: Buffer.from(body).toString() });
        const key = headers.get('api-key')?.[0];
        if (key === undefined) return refuse('NO_CREDENTIALS');
        return (KEYS[key] ?? (() => refuse('CREDENTIAL_INVALID')))();
      },
    },
    createOrder: {
      async payInfo(_principal, input, idempotency) {
        asked.payInfo.push({ input, idempotency });
        return ORDER;
      },
      async payUrl(_principal, input, idempotency) {
        asked.payUrl.push({ input, idempotency });
        return ORDER;
      },
      async lightning(_principal, input, idempotency) {
        asked.lightning.push({ input, idempotency });
        return ORDER;
      },
    },
    lightningDesk: {
      orderRecord: async () => LIGHTNING_ORDER,
      async withdraw(_principal, input, idempotency) {
        asked.invoices.push({ input, idempotency });
        return LIGHTNING_WITHDRAWAL;
      },
    },
    choosePayment: {
      async choose(_token, chain, currency) {
        asked.chosen.push(`${chain}/${currency}`);
        return ORDER;
      },
      async setRefundAddress() {},
    },
    orderQueries: {
      list: async () => page([]),
      async detail() {
        throw new TillgateError('NOT_FOUND', 'There is no such order.');
      },
      transactions: async () => page([]),
      payInfo: () => ({
        order_id: ORDER_ID,
        status: 'PENDING',
        amount: '0.00000001',
        create_time: '2026-03-01T12:00:00',
        vs_currency: 'USD',
        vs_price: '25',
        address: ADDRESS,
        contract_addr: '',
        pay_url: `https://till.example/checkout/${TOKEN}`,
      }),
      payUrl: (order) => `https://till.example/checkout/${order.checkoutToken}`,
      async checkout(token) {
        if (token !== TOKEN) throw new TillgateError('NOT_FOUND', 'There is no such order.');
        return VIEW;
      },
    },
    requestRefund: {
      async run(_principal, orderId, idempotency) {
        asked.refunds.push({ orderId, idempotency });
        return REFUND;
      },
      async info(_accountId, orderId) {
        if (orderId !== ORDER_ID) throw new TillgateError('NOT_FOUND', 'There is no such order.');
        return REFUND;
      },
    },
    requestWithdrawal: {
      async run(_principal, input, idempotency) {
        asked.withdrawals.push({ input, idempotency });
        return WITHDRAWAL;
      },
    },
    walletQueries: {
      lightning: async () => ({ chain: 'BLN', currency: 'BTC-LN', available: '0.00000000001', pending: '0', locked: '0', total: '0.00000000001' }),
      list: async () => [{ chain: 'ETH', currency: 'ETH', available: '1.000000000000000001', pending: '0', locked: '0', total: '1.000000000000000001' }],
      selfCustody: async () => [
        { chain: 'ETH', currency: 'ETH', amount: '0.999999999999999999' },
        { chain: 'ETH', currency: 'SHIB-ERC20', amount: '589735030408323.123456789' },
      ],
    },
    exchangeToken: {
      async run(_username, password) {
        if (password !== 'right') throw new TillgateError('LOGIN_FAILED', 'wrong');
        return { accessToken: 'a.b.c', expireSeconds: 3600 };
      },
    },
    orders: { find: async (id) => (id === ORDER_ID ? ORDER : null) },
    assets: new AssetCatalogue(SPECIFIED_ASSETS.filter(({ chain }) => chain === 'ETH')),
    chains: new Map(),
    clock: new FakeClock(),
    digest: new PlainDigest(),
    logger,
    metrics,
    metricsText: async () => ({ contentType: 'text/plain; version=0.0.4; charset=utf-8', text: '# HELP x\n' }),
    readiness: async () => {},
    traceId: randomTraceId,
    ...options.deps,
  };
}

let binding: 'express' | 'fetch' = 'express';

/** What stands between the server and the table of every {@link FakeEdge} of this process from now on. */
export function useBinding(name: 'express' | 'fetch'): void {
  binding = name;
}

function serverOf(api: HttpApi, options: FakeEdgeOptions): Server {
  if (binding === 'fetch') return createFetchServer(fetchBinding(api, { facts: rawFacts, mount: options.mount ?? '' }));
  const app = express();
  options.app?.(app);
  if (options.mount === undefined) app.use(expressBinding(api));
  else app.use(options.mount, expressBinding(api));
  return createHttpServer(app, api, options.timeouts === undefined ? {} : { timeouts: options.timeouts });
}

/** Starts a server over fake use cases on a free port. */
export async function startFakeEdge(options: FakeEdgeOptions = {}): Promise<FakeEdge> {
  const asked: Asked = { payInfo: [], payUrl: [], refunds: [], withdrawals: [], lightning: [], invoices: [], chosen: [], authenticated: [] };
  const [logger, metrics] = [new MemoryLogger(), new MemoryMetrics()];
  const deps = fakeDeps(options, asked, logger, metrics);
  const api = new HttpApi(createOperations(deps.settings, options.extra), deps);
  const server = serverOf(api, options);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const client = new HttpClient(`http://127.0.0.1:${port}`, { 'API-Key': 'good' });
  return {
    url: client.url.href,
    port,
    client,
    deps,
    asked,
    logger,
    metrics,
    async close() {
      client.close();
      const closed = new Promise<void>((resolve, reject) => server.close((error) => (error === undefined ? resolve() : reject(error))));
      server.closeAllConnections();
      await closed;
      assert.equal(server.listening, false);
    },
  };
}
