import assert from 'node:assert/strict';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { claim, pullPayment } from '../contract/storage/claim-fixtures.ts';
import {
  requireFiat,
  AssetCatalogue,
  LIGHTNING_ASSET,
  newTransfer,
  present,
  BUILT_IN_ASSETS,
  TillgateError,
  withDefaults,
} from '../../core/index.ts';
import type {
  ClaimInput,
  AccountId,
  Asset,
  CheckoutView,
  IdempotencyClaim,
  LightningOrderInput,
  LightningPaymentInput,
  Order,
  OrderId,
  OrderPayment,
  CoinOrderInput,
  HostedOrderInput,
  Principal,
  Transfer,
  TransferId,
  WithdrawalInput,
  WithdrawalView,
} from '../../core/index.ts';
import { fetchBinding } from '../../adapters/http/fetch/index.ts';
import {
  createHttpServer,
  createOperations,
  expressBinding,
  HttpApi,
  randomTraceId,
} from '../../adapters/http/index.ts';
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
  hosted: false,
  status: 'PENDING',
  vsCurrency: 'USD',
  vsPrice: 2500n,
  payment: {
    chain: 'ETH',
    currency: 'USDT-ERC20',
    units: 25_000_000n,
    address: ADDRESS,
    rate: {
      at: START,
      coin: { symbol: 'USDT', usd: '1', sources: [] },
      fiat: { symbol: 'USD', usd: '1', sources: [] },
      fixed: false,
    },
    chosenAt: START,
  },
  received: 0n,
  ...withDefaults({}),
  checkoutToken: TOKEN,
  toleranceBps: 0,
  createdAt: START,
  updatedAt: START,
  expiresAt: START + 1_800_000,
  watchUntil: START + 88_200_000,
  reorgedAt: null,
  refundAddress: null,
  refundBrowser: null,
  refundAddressAt: null,
};

const VIEW: CheckoutView = {
  order: ORDER,
  chainName: 'Ethereum',
  symbol: 'USDT',
  blockSeconds: 12,
  amount: '25',
  received: '0',
  arrived: '0',
  remaining: '25',
  surplus: '0',
  rate: '1',
  contractAddr: '0xdac1',
  addressUrl: null,
  paymentUri: 'ethereum:0xdac1',
  invoice: null,
  confirmations: 0,
  confirmationsRequired: 12,
  refundAddress: null,
  seen: false,
  parts: [],
  vanished: false,
};

const assetOf = (currency: string): Asset =>
  present(
    BUILT_IN_ASSETS.find((asset) => asset.currency === currency),
    currency,
  );
const PAYMENT = present(ORDER.payment, 'payment');

function transferOf(changes: Partial<Transfer>): Transfer {
  const request = {
    kind: 'withdrawal',
    accountId: ACCOUNT,
    orderId: null,
    chain: 'ETH',
    maxFeeUnits: 0n,
    sourceAddress: ADDRESS,
    sourceIndex: null,
    toAddress: ADDRESS,
  } as const;
  return {
    ...newTransfer(
      { ...request, id: '1530219844911046656' as TransferId, currency: 'ETH', units: 0n, feeUnits: 0n },
      START,
    ),
    ...changes,
  };
}

/** The refund that the fake knows, with more digits than a JSON number has. */
const REFUND = {
  refund: transferOf({
    kind: 'refund',
    orderId: ORDER_ID,
    units: 1_123_456_789_123_456_789n,
    feeUnits: 9_000_000_000n,
  }),
  orderId: ORDER_ID,
  asset: assetOf('ETH'),
};

const withdrawal: WithdrawalView = {
  withdrawal: transferOf({ currency: 'USDT-ERC20', units: 100_500_000n, feeUnits: 420_000n }),
  accountId: ACCOUNT,
  asset: assetOf('USDT-ERC20'),
  balance: 899_500_000n,
  txHash: null,
};

/** The answer to the withdrawal that the fake makes of anything. */
export const WITHDRAWAL = {
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

const INVOICE: OrderPayment = {
  ...PAYMENT,
  chain: 'BLN',
  currency: 'BTC-LN',
  units: 12_345_678n,
  address: 'lnbcrt123450n1fake',
};

/** The answer to the Lightning order that the fake makes of anything. */
export const LIGHTNING_ORDER = {
  order_id: ORDER_ID,
  status: 'PENDING',
  currency: 'BTC-LN',
  amount: '0.00012345678',
  create_time: '2026-03-01T12:00:00',
  payment_request: INVOICE.address,
  payment_addr: 'ab'.repeat(32),
  pay_url: `https://till.example/checkout/${TOKEN}`,
};

const lightningWithdrawal: WithdrawalView = {
  withdrawal: transferOf({
    status: 'CONFIRMED',
    chain: 'BLN',
    currency: 'BTC-LN',
    units: 12_345_688n,
    feeUnits: 10n,
    toAddress: INVOICE.address,
  }),
  accountId: ACCOUNT,
  asset: LIGHTNING_ASSET,
  balance: 50_000_000_000n,
  txHash: null,
};

/** The answer to the withdrawal that the fake makes of any invoice. */
export const LIGHTNING_WITHDRAWAL = {
  user_id: ACCOUNT,
  tx_id: '1530219844911046656',
  type: 'WITHDRAW',
  status: 'SUCCESS',
  chain: 'BLN',
  currency: 'BTC-LN',
  amount: '0.00012345678',
  fee: '0.0000000001',
  balance: '0.5',
  update_time: '2026-03-01T12:00:00',
};

/** What the fake use cases were asked. */
export interface Asked {
  readonly inCoin: { input: CoinOrderInput; idempotency: IdempotencyClaim | null }[];
  readonly hosted: { input: HostedOrderInput; idempotency: IdempotencyClaim | null }[];
  readonly refunds: { orderId: string; idempotency: IdempotencyClaim | null }[];
  readonly withdrawals: { input: WithdrawalInput; idempotency: IdempotencyClaim | null }[];
  readonly lightning: { input: LightningOrderInput; idempotency: IdempotencyClaim | null }[];
  readonly invoices: { input: LightningPaymentInput; idempotency: IdempotencyClaim | null }[];
  readonly claims: ClaimInput[];
  readonly chosen: string[];
  readonly authenticated: {
    target: string;
    method: string;
    body: string;
    headers: ReadonlyMap<string, readonly string[]>;
  }[];
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
    payerWritesPerMinute: 1_000_000,
    trustedHops: 0,
    allowPrivateNetworks: false,
    ...options.settings,
  };
  const page = <T>(items: readonly T[]) => ({
    page: 1,
    size: 10,
    total: items.length,
    maxPage: items.length === 0 ? 0 : 1,
    items,
  });
  return {
    settings,
    authenticate: {
      withoutBody: async () => undefined,
      async run({ target, method, body, headers }) {
        asked.authenticated.push({ target, method, headers, body: Buffer.from(body).toString() });
        const key = headers.get('api-key')?.[0];
        if (key === undefined) return refuse('NO_CREDENTIALS');
        return (KEYS[key] ?? (() => refuse('CREDENTIAL_INVALID')))();
      },
    },
    createOrder: {
      async inCoin(_principal, input, idempotency = null) {
        asked.inCoin.push({ input, idempotency });
        return ORDER;
      },
      async hosted(_principal, input, idempotency = null) {
        asked.hosted.push({ input, idempotency });
        return ORDER;
      },
      async lightning(_principal, input, idempotency = null) {
        asked.lightning.push({ input, idempotency });
        return ORDER;
      },
    },
    lightningService: {
      orderView: async () => ({
        order: ORDER,
        payment: INVOICE,
        paymentAddr: LIGHTNING_ORDER.payment_addr,
        payUrl: LIGHTNING_ORDER.pay_url,
      }),
      async withdraw(_principal, input, idempotency = null) {
        asked.invoices.push({ input, idempotency });
        return lightningWithdrawal;
      },
    },
    claimPullPayment: {
      page: async () => {
        const pull = pullPayment(ACCOUNT);
        const currency = { code: pull.currency, decimals: 2, fiat: requireFiat(pull.currency) };
        const claims = [{ claim: claim(pull), transfer: null, txHash: null }];
        return { pull, state: 'active', currency, left: pull.amount, coins: [], claims };
      },
      claim: async (_token, input) => {
        asked.claims.push(input);
        return { claim: claim(pullPayment(ACCOUNT)), transfer: null, txHash: null };
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
        order: ORDER,
        payment: { ...PAYMENT, units: 1n },
        asset: { ...assetOf('USDT-ERC20'), decimals: 8 },
        contract: '',
        payUrl: `https://till.example/checkout/${TOKEN}`,
      }),
      payUrl: (order) => `https://till.example/checkout/${order.checkoutToken}`,
      async checkout(token) {
        if (token !== TOKEN) throw new TillgateError('NOT_FOUND', 'There is no such order.');
        return VIEW;
      },
    },
    requestRefund: {
      async run(_principal, orderId, idempotency = null) {
        asked.refunds.push({ orderId, idempotency });
        return REFUND;
      },
      async info(_accountId, orderId) {
        if (orderId !== ORDER_ID) throw new TillgateError('NOT_FOUND', 'There is no such order.');
        return REFUND;
      },
    },
    requestWithdrawal: {
      async run(_principal, input, idempotency = null) {
        asked.withdrawals.push({ input, idempotency });
        return withdrawal;
      },
    },
    walletQueries: {
      lightning: async () => ({
        asset: LIGHTNING_ASSET,
        available: 1n,
        pending: 0n,
        claims: 0n,
        reserved: 0n,
        frozen: 0n,
      }),
      list: async () => [
        { asset: assetOf('ETH'), available: 10n ** 18n + 1n, pending: 0n, claims: 0n, reserved: 0n, frozen: 0n },
      ],
      selfCustody: async () => [
        { asset: assetOf('ETH'), units: 999_999_999_999_999_999n },
        { asset: { ...assetOf('ETH'), currency: 'SHIB-ERC20', decimals: 9 }, units: 589_735_030_408_323_123_456_789n },
      ],
    },
    exchangeToken: {
      async run(_username, password) {
        if (password !== 'right') throw new TillgateError('LOGIN_FAILED', 'wrong');
        return { accessToken: 'a.b.c', expireSeconds: 3600 };
      },
    },
    orders: { find: async (id) => (id === ORDER_ID ? ORDER : null) },
    assets: new AssetCatalogue(BUILT_IN_ASSETS.filter(({ chain }) => chain === 'ETH')),
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
  const asked: Asked = {
    inCoin: [],
    hosted: [],
    refunds: [],
    withdrawals: [],
    lightning: [],
    invoices: [],
    claims: [],
    chosen: [],
    authenticated: [],
  };
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
      const closed = new Promise<void>((resolve, reject) =>
        server.close((error) => (error === undefined ? resolve() : reject(error))),
      );
      server.closeAllConnections();
      await closed;
      assert.equal(server.listening, false);
    },
  };
}
