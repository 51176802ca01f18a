/** How the client sends one operation of the payment API. */
export interface Call {
  readonly method: 'GET' | 'POST';
  /** Path template, `/api/v2/order/detail/{order_id}`. */
  readonly path: string;
  /** Creates or moves money: carries an `Idempotency-Key`, so that it may be retried. */
  readonly keyed?: true;
  /** The server accepts each signature once. */
  readonly once?: true;
  /** Sent without credentials. */
  readonly open?: true;
}

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
