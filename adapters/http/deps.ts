import type {
  AssetCatalogue,
  Authenticate,
  ChainRegistry,
  ChoosePayment,
  ClaimPullPayment,
  Clock,
  CreateOrder,
  Digest,
  ExchangeToken,
  LightningService,
  Logger,
  Metrics,
  Order,
  OrderId,
  OrderQueries,
  RequestRefund,
  RequestWithdrawal,
  WalletQueries,
} from '../../core/index.ts';
import type { HeaderMap, HttpResponse } from './messages.ts';
import type { RequestsInProgress } from './requests-in-progress.ts';

/** The settings that the HTTP edge needs. */
export interface HttpSettings {
  /** The last segment of the login's path, which also answers under `service`. */
  readonly serviceName: string;
  /** Offers `/sandbox/v1/…`, which pays orders without credentials. */
  readonly sandbox: boolean;
  /** The largest `size` of a list. */
  readonly pageMax: number;
  /** Requests a minute for each account. */
  readonly requestsPerMinute: number;
  /** Logins a minute for each address, and for each username. */
  readonly loginsPerMinute: number;
  /** Changes that payers with the same address may make to their orders in a minute. */
  readonly payerWritesPerMinute: number;
  /** The number of the operator's proxies in front: that many entries of `X-Forwarded-For` are trusted. */
  readonly trustedHops: number;
  /** Whether callback URLs may name private addresses. */
  readonly allowPrivateNetworks: boolean;
  /** The only hosts that callbacks may go to (`isHostPattern`); any public host when left out. */
  readonly callbackHosts?: readonly string[] | null;
  /** Whether payers use https only; false by default. */
  readonly secureCookies?: boolean;
}

/** A request to be traced; `operation` is its id, or `none`. */
export interface TracedRequest {
  readonly operation: string;
  readonly method: string;
  readonly headers: HeaderMap;
}

/** Answers a request by calling `run`, once, and records it. */
export type TraceRequest = (request: TracedRequest, run: () => Promise<HttpResponse>) => Promise<HttpResponse>;

/** The use cases of the core that operations call. */
export interface HttpDeps {
  readonly settings: HttpSettings;
  readonly authenticate: Pick<Authenticate, 'run' | 'withoutBody'>;
  readonly createOrder: Pick<CreateOrder, 'inCoin' | 'hosted' | 'lightning'>;
  readonly choosePayment: Pick<ChoosePayment, 'choose' | 'setRefundAddress'>;
  readonly claimPullPayment: Pick<ClaimPullPayment, 'page' | 'claim'>;
  readonly orderQueries: Pick<OrderQueries, 'list' | 'detail' | 'transactions' | 'payInfo' | 'payUrl' | 'checkout'>;
  readonly requestRefund: Pick<RequestRefund, 'run' | 'info'>;
  readonly requestWithdrawal: Pick<RequestWithdrawal, 'run'>;
  readonly lightningService: Pick<LightningService, 'orderView' | 'withdraw'>;
  readonly walletQueries: Pick<WalletQueries, 'lightning' | 'list' | 'selfCustody'>;
  readonly exchangeToken: Pick<ExchangeToken, 'run'>;
  readonly orders: { find(id: OrderId): Promise<Order | null> };
  readonly assets: Pick<AssetCatalogue, 'list' | 'find'>;
  readonly chains: ChainRegistry;
  readonly clock: Clock;
  readonly digest: Pick<Digest, 'sha256Hex'>;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** All metrics in the Prometheus text format, with its content type. */
  readonly metricsText: () => Promise<{ readonly contentType: string; readonly text: string }>;
  /**
   * Resolves to the stopped chains, which wait for an operator, and to the chains whose reading lags. The other chains
   * work on.
   * @throws TillgateError `NOT_READY` while the service cannot work (`/readyz`).
   */
  readonly readiness: () => Promise<{
    readonly halted: readonly string[];
    readonly lagging: readonly string[];
    /** Reason why payments cannot be signed; `null` while they can. */
    readonly signer?: string | null;
  } | void>;
  /** A fresh trace id, which cannot be guessed. */
  readonly traceId: () => string;
  /** Left out when requests are not traced. */
  readonly trace?: TraceRequest;
  /** Left out when the server itself waits for its requests before it stops. */
  readonly requests?: RequestsInProgress;
}
