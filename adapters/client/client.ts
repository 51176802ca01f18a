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
  RefundInput,
  SelfCustodyBalance,
  Transaction,
  Wallet,
  WithdrawInput,
  Withdrawal,
} from './records.ts';
import { Transport } from './transport.ts';
import type { Call, CallOptions, CallParts, ClientOptions, WriteOptions } from './transport.ts';

/** The client's operations. The keys are the ids of the operations table of the HTTP edge. */
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
 * A merchant's client of the payment API. It signs requests or sends the API key, retries what is safe to retry, and
 * returns data or throws {@link TillgateApiError}, {@link TillgateConnectionError} or {@link TillgateReplyError}. It
 * needs `fetch` and Web Crypto. Do not use it in browsers, where its secrets would be public.
 */
export class TillgateClient {
  readonly #transport: Transport;

  /** @throws TypeError for a `baseUrl` that is not an http or https URL */
  constructor(options: ClientOptions) {
    this.#transport = new Transport(options);
  }

  /** Creates an order with a hosted checkout page, where the payer chooses the coin. */
  createPayUrl(body: PayUrlInput, options?: WriteOptions): Promise<PayUrl> {
    return this.#send('createPayUrl', { body }, options);
  }

  /** Creates an order in a given coin and returns its deposit address and amount. */
  createPayInfo(body: PayInfoInput, options?: WriteOptions): Promise<PayInfo> {
    return this.#send('createPayInfo', { body }, options);
  }

  /** Returns one page of the account's orders, newest first. */
  listOrders(query: PageQuery = {}, options?: CallOptions): Promise<ListPage<OrderItem>> {
    return this.#send('listOrders', { query: { ...query } }, options);
  }

  /**
   * Iterates over the account's orders, newest first, and loads them page by page: `for await (const order of
   * client.orders())`.
   */
  orders({ page = 1, size }: PageQuery = {}, options?: CallOptions): AsyncGenerator<OrderItem, void, undefined> {
    return eachItem(
      page,
      (at) => this.listOrders(sized(at, size), options),
      ({ order_id }) => order_id,
    );
  }

  /** Returns an order. @throws TillgateApiError `NOT_FOUND` also for an order of another account */
  order(orderId: string, options?: CallOptions): Promise<OrderDetail> {
    return this.#send('getOrderDetail', { params: { order_id: orderId } }, options);
  }

  /** Returns the refund of an order. @throws TillgateApiError `NOT_FOUND` when none was requested */
  refundInfo(orderId: string, options?: CallOptions): Promise<Refund> {
    return this.#send('getRefundInfo', { params: { order_id: orderId } }, options);
  }

  /**
   * Refunds the amount received, less the network fee, to the address that the payer entered. An order can be refunded
   * once.
   * @throws TillgateApiError `STATE_CONFLICT` while the payer has entered no address, or its hold has not ended
   */
  refund(orderId: string, body: RefundInput = {}, options?: WriteOptions): Promise<Refund> {
    const parts = { params: { order_id: orderId } };
    return this.#send('refundOrder', Object.keys(body).length === 0 ? parts : { ...parts, body }, options);
  }

  /** Returns one page of the account's transactions, newest first. */
  listTransactions(query: PageQuery = {}, options?: CallOptions): Promise<ListPage<Transaction>> {
    return this.#send('listTransactions', { query: { ...query } }, options);
  }

  /** Iterates over the account's transactions, newest first, and loads them page by page. */
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

  /** Returns every supported pair of chain and coin, and whether orders can currently be created in it. */
  cryptoCurrencies(options?: CallOptions): Promise<readonly CryptoCurrency[]> {
    return this.#send('listCryptoCurrencies', {}, options);
  }

  /** Returns the fiat currencies in which orders can be priced. */
  fiatCurrencies(options?: CallOptions): Promise<readonly FiatCurrency[]> {
    return this.#send('listFiatCurrencies', {}, options);
  }

  /** Returns the on-chain balances of the addresses that the account registered as its own. */
  contractBalance(options?: CallOptions): Promise<readonly SelfCustodyBalance[]> {
    return this.#send('listSelfCustodyBalances', {}, options);
  }

  /** Pays from the account's balance to the withdrawal address that is registered for the chain. */
  withdraw(body: WithdrawInput, options?: WriteOptions): Promise<Withdrawal> {
    return this.#send('withdraw', { body }, options);
  }

  /** Returns the account's balances. */
  wallets(options?: CallOptions): Promise<readonly Wallet[]> {
    return this.#send('listWallets', {}, options);
  }

  /** Creates an order that is paid over Lightning. */
  createLightningOrder(body: LightningOrderInput, options?: WriteOptions): Promise<LightningOrder> {
    return this.#send('createLightningOrder', { body }, options);
  }

  /** Pays an invoice from the BTC-LN balance; each invoice is paid at most once. */
  withdrawLightning(body: LightningWithdrawInput, options?: WriteOptions): Promise<LightningWithdrawal> {
    return this.#send('withdrawLightning', { body }, options);
  }

  /** Returns the account's balance in BTC-LN. */
  lightningBalance(options?: CallOptions): Promise<Wallet> {
    return this.#send('getLightningBalance', {}, options);
  }

  /** Exchanges a username and password for an access token, which is used as `apiKey`. It is never retried. */
  exchangeToken(body: LoginInput, options?: CallOptions): Promise<AccessToken> {
    return this.#send('exchangeToken', { body }, options);
  }

  /** The type of the data is that of the operation's schema, by its name in `records.ts`. */
  async #send<T>(operation: keyof typeof CALLS, parts: CallParts, options?: WriteOptions): Promise<T> {
    return (await this.#transport.send(operation, CALLS[operation], parts, options)) as T;
  }
}

function sized(page: number, size: number | undefined): PageQuery {
  return size === undefined ? { page } : { page, size };
}
