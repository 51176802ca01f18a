import type {
  AccountId,
  AssetCatalogue,
  ChainRegistry,
  Clock,
  Digest,
  IdempotencyClaim,
  Logger,
  Metrics,
  Order,
  OrderId,
  Page,
  PageRequest,
} from '../../core/index.ts';
import type {
  AuthRule,
  CheckoutView,
  LightningOrderInput,
  LightningOrderRecord,
  LightningPaymentInput,
  OrderDetailRecord,
  OrderRecord,
  PayInfoInput,
  PayInfoRecord,
  PayUrlInput,
  Principal,
  RefundRecord,
  SelfCustodyRecord,
  SignedRequest,
  TransactionRecord,
  WalletRecord,
  WithdrawalInput,
  WithdrawalRecord,
} from '../../core/index.ts';

/** The settings that the HTTP edge needs. */
export interface HttpSettings {
  /** The last segment of endpoint 14 besides `service`. */
  readonly serviceName: string;
  /** Offers `/sandbox/v1/…`, which pays orders without credentials. */
  readonly sandbox: boolean;
  /** The largest `size` of a list. */
  readonly pageMax: number;
  /** Requests a minute for each account. */
  readonly requestsPerMinute: number;
  /** Logins a minute for each address, and for each username. */
  readonly loginsPerMinute: number;
  /** How many proxies of one's own stand in front: that many entries of `X-Forwarded-For` are believed. */
  readonly trustedHops: number;
  /** Callback URLs may name private addresses. */
  readonly allowPrivateNetworks: boolean;
}

/** What the operations call: the use cases of the core, as far as they are used here. */
export interface HttpDeps {
  readonly settings: HttpSettings;
  readonly authenticate: { run(request: SignedRequest, rule: AuthRule): Promise<Principal> };
  readonly createOrder: {
    payInfo(principal: Principal, input: PayInfoInput, idempotency: IdempotencyClaim | null): Promise<Order>;
    payUrl(principal: Principal, input: PayUrlInput, idempotency: IdempotencyClaim | null): Promise<Order>;
    lightning(principal: Principal, input: LightningOrderInput, idempotency: IdempotencyClaim | null): Promise<Order>;
  };
  readonly choosePayment: {
    choose(checkoutToken: string, chain: string, currency: string): Promise<Order>;
    setRefundAddress(checkoutToken: string, address: string): Promise<void>;
  };
  readonly orderQueries: {
    list(accountId: AccountId, page: PageRequest): Promise<Page<OrderRecord>>;
    detail(accountId: AccountId, orderId: string): Promise<OrderDetailRecord>;
    transactions(accountId: AccountId, page: PageRequest): Promise<Page<TransactionRecord>>;
    payInfo(order: Order): PayInfoRecord;
    payUrl(order: Order): string;
    checkout(token: string): Promise<CheckoutView>;
  };
  readonly requestRefund: {
    run(principal: Principal, orderId: string, idempotency: IdempotencyClaim | null): Promise<RefundRecord>;
    info(accountId: AccountId, orderId: string): Promise<RefundRecord>;
  };
  readonly requestWithdrawal: { run(principal: Principal, input: WithdrawalInput, idempotency: IdempotencyClaim | null): Promise<WithdrawalRecord> };
  readonly lightningDesk: {
    orderRecord(order: Order): Promise<LightningOrderRecord>;
    withdraw(principal: Principal, input: LightningPaymentInput, idempotency: IdempotencyClaim | null): Promise<WithdrawalRecord>;
  };
  readonly walletQueries: {
    lightning(accountId: AccountId): Promise<WalletRecord>;
    list(accountId: AccountId): Promise<readonly WalletRecord[]>;
    selfCustody(accountId: AccountId): Promise<readonly SelfCustodyRecord[]>;
  };
  readonly exchangeToken: { run(username: string, password: string): Promise<{ accessToken: string; expireSeconds: number }> };
  readonly orders: { find(id: OrderId): Promise<Order | null> };
  readonly assets: Pick<AssetCatalogue, 'list' | 'find'>;
  readonly chains: ChainRegistry;
  readonly clock: Clock;
  readonly digest: Pick<Digest, 'sha256Hex'>;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** All metrics in the text format of Prometheus, with its content type. */
  readonly metricsText: () => Promise<{ readonly contentType: string; readonly text: string }>;
  /**
   * Resolves to the chains that are stopped and wait for an operator, when it is known: the others go on.
   * @throws TillgateError `NOT_READY` while the service cannot work (`/readyz`).
   */
  readonly readiness: () => Promise<readonly string[] | void>;
  /** A fresh trace id, which cannot be guessed. */
  readonly traceId: () => string;
}
