import { eachItem } from './pages.ts';
import type {
  AccessToken,
  CryptoCurrency,
  FiatCurrency,
  LightningOrder,
  LightningOrderInput,
  LightningWithdrawInput,
  LightningWithdrawal,
  ListPage,
  LoginInput,
  OrderDetail,
  OrderItem,
  PageQuery,
  PayInfo,
  PayInfoInput,
  PayUrl,
  PayUrlInput,
  Refund,
  SelfCustodyBalance,
  Transaction,
  Wallet,
  WithdrawInput,
  Withdrawal,
} from './records.ts';
import { Transport } from './transport.ts';
import type { Call, CallOptions, CallParts, ClientOptions, WriteOptions } from './transport.ts';

/** The client's operations, by their names in the operations table of the HTTP edge. */
export const CALLS = {
  createPayUrl: { method: 'POST', path: '/api/order/pay-url', keyed: true },
  createPayInfo: { method: 'POST', path: '/api/order/pay-info', keyed: true },
  listOrders: { method: 'GET', path: '/api/v2/order/' },
  getOrderDetail: { method: 'GET', path: '/api/v2/order/detail/{order_id}' },
  getRefundInfo: { method: 'GET', path: '/api/v2/order/refund-info/{order_id}' },
  refundOrder: { method: 'POST', path: '/api/v2/order/refund/{order_id}', keyed: true, once: true },
  listTransactions: { method: 'GET', path: '/api/v2/tx' },
  listCryptoCurrencies: { method: 'GET', path: '/api/order/pay/crypto-currency' },
  listFiatCurrencies: { method: 'GET', path: '/api/order/pay/real-currency' },
  listWallets: { method: 'GET', path: '/api/wallets' },
  listSelfCustodyBalances: { method: 'GET', path: '/api/contract/balance' },
  withdraw: { method: 'POST', path: '/api/withdraw', keyed: true, once: true },
  createLightningOrder: { method: 'POST', path: '/api/bln/order', keyed: true },
  withdrawLightning: { method: 'POST', path: '/api/bln/withdraw', keyed: true, once: true },
  getLightningBalance: { method: 'GET', path: '/api/bln/balance' },
  exchangeToken: { method: 'POST', path: '/api/plugin/key/service', open: true },
} as const satisfies Readonly<Record<string, Call>>;

/**
 * A merchant's client of the payment API: signs requests or sends the key, retries what is safe to retry, and returns data or
 * throws {@link TillgateApiError}, {@link TillgateConnectionError} or {@link TillgateReplyError}. Needs `fetch` and Web Crypto.
 * Not for browsers, where its secrets would be public.
 */
export class TillgateClient {
  readonly #transport: Transport;

  /** @throws TypeError for a `baseUrl` that is not an http or https URL */
  constructor(options: ClientOptions) {
    this.#transport = new Transport(options);
  }

  /** Creates an order with a checkout link; the payer chooses the coin there (endpoint 1). */
  createPayUrl(body: PayUrlInput, options?: WriteOptions): Promise<PayUrl> {
    return this.#send('createPayUrl', { body }, options);
  }

  /** Creates an order in a given coin, with its address and amount (endpoint 2). */
  createPayInfo(body: PayInfoInput, options?: WriteOptions): Promise<PayInfo> {
    return this.#send('createPayInfo', { body }, options);
  }

  /** One page of the account's orders, newest first (endpoint 3). */
  listOrders(query: PageQuery = {}, options?: CallOptions): Promise<ListPage<OrderItem>> {
    return this.#send('listOrders', { query: { ...query } }, options);
  }

  /** All of the account's orders, newest first, loaded page by page: `for await (const order of client.orders())`. */
  orders({ page = 1, size }: PageQuery = {}, options?: CallOptions): AsyncGenerator<OrderItem, void, undefined> {
    return eachItem(
      page,
      (at) => this.listOrders(sized(at, size), options),
      ({ order_id }) => order_id,
    );
  }

  /** One order; another account's is `NOT_FOUND` (endpoint 4). */
  order(orderId: string, options?: CallOptions): Promise<OrderDetail> {
    return this.#send('getOrderDetail', { params: { order_id: orderId } }, options);
  }

  /** An order's refund; `NOT_FOUND` before one was asked for (endpoint 5). */
  refundInfo(orderId: string, options?: CallOptions): Promise<Refund> {
    return this.#send('getRefundInfo', { params: { order_id: orderId } }, options);
  }

  /** Refunds what was received, less the network's fee, once for each order (endpoint 6). */
  refund(orderId: string, options?: WriteOptions): Promise<Refund> {
    return this.#send('refundOrder', { params: { order_id: orderId } }, options);
  }

  /** One page of the account's transactions, newest first (endpoint 7). */
  listTransactions(query: PageQuery = {}, options?: CallOptions): Promise<ListPage<Transaction>> {
    return this.#send('listTransactions', { query: { ...query } }, options);
  }

  /** All of the account's transactions, newest first, loaded page by page. */
  transactions(
    { page = 1, size }: PageQuery = {},
    options?: CallOptions,
  ): AsyncGenerator<Transaction, void, undefined> {
    return eachItem(
      page,
      (at) => this.listTransactions(sized(at, size), options),
      ({ tx_type, tx_id }) => `${tx_type} ${tx_id}`,
    );
  }

  /** Every known pair of chain and coin, and whether orders in it are possible now (endpoint 8). */
  cryptoCurrencies(options?: CallOptions): Promise<readonly CryptoCurrency[]> {
    return this.#send('listCryptoCurrencies', {}, options);
  }

  /** The fiat codes that orders can be priced in (endpoint 9). */
  fiatCurrencies(options?: CallOptions): Promise<readonly FiatCurrency[]> {
    return this.#send('listFiatCurrencies', {}, options);
  }

  /** The on-chain balances of the addresses that the account registered as its own (endpoint 10). */
  contractBalance(options?: CallOptions): Promise<readonly SelfCustodyBalance[]> {
    return this.#send('listSelfCustodyBalances', {}, options);
  }

  /** Pays from the account's balance to the address registered for the chain (endpoint 11). */
  withdraw(body: WithdrawInput, options?: WriteOptions): Promise<Withdrawal> {
    return this.#send('withdraw', { body }, options);
  }

  /** The account's balances (Get Wallets List). */
  wallets(options?: CallOptions): Promise<readonly Wallet[]> {
    return this.#send('listWallets', {}, options);
  }

  /** Creates an order that is paid over Lightning (endpoint 12). */
  createLightningOrder(body: LightningOrderInput, options?: WriteOptions): Promise<LightningOrder> {
    return this.#send('createLightningOrder', { body }, options);
  }

  /** Pays an invoice from the balance in BTC-LN, once (endpoint 13). */
  withdrawLightning(body: LightningWithdrawInput, options?: WriteOptions): Promise<LightningWithdrawal> {
    return this.#send('withdrawLightning', { body }, options);
  }

  /** The account's balance in BTC-LN (Get BLN Balance). */
  lightningBalance(options?: CallOptions): Promise<Wallet> {
    return this.#send('getLightningBalance', {}, options);
  }

  /** Exchanges username and password for an access token, to be used as `apiKey`; never sent twice (endpoint 14). */
  exchangeToken(body: LoginInput, options?: CallOptions): Promise<AccessToken> {
    return this.#send('exchangeToken', { body }, options);
  }

  /** The types of data are those of the operation's schema, by the names of `records.ts`. */
  async #send<T>(operation: keyof typeof CALLS, parts: CallParts, options?: WriteOptions): Promise<T> {
    return (await this.#transport.send(operation, CALLS[operation], parts, options)) as T;
  }
}

function sized(page: number, size: number | undefined): PageQuery {
  return size === undefined ? { page } : { page, size };
}
