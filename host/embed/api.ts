// Written by `npm run generate` from the operations of the HTTP edge; do not change it by hand.
import type {
  AdmissionLimits,
  Alert,
  App,
  AppList,
  AppListParams,
  AppUsage,
  AppUsageParams,
  Callback,
  CallbackDetail,
  CallbackList,
  CallbackListParams,
  Chain,
  Claim,
  ClaimApproveParams,
  ClaimList,
  ClaimListParams,
  ClaimRejectParams,
  Deposit,
  LedgerListParams,
  LinkCreateParams,
  LinkListParams,
  ListedApp,
  ListedPayout,
  Order,
  OrderCreateParams,
  OrderDetail,
  OrderHistory,
  OrderList,
  OrderListParams,
  Payee,
  PayeeList,
  PayeeListParams,
  PaymentLink,
  PaymentLinkList,
  Payout,
  PayoutAddress,
  PayoutAddressList,
  PayoutAddressListParams,
  PayoutBatch,
  PayoutBatchApproveParams,
  PayoutBatchCreateParams,
  PayoutBatchDetail,
  PayoutBatchList,
  PayoutBatchListParams,
  PayoutBatchRowList,
  PayoutBatchRowsParams,
  PayoutCreateParams,
  PayoutDetail,
  PayoutList,
  PayoutListParams,
  Posting,
  PostingList,
  PullPayment,
  PullPaymentCreateParams,
  PullPaymentList,
  PullPaymentListParams,
  RateList,
  RateListParams,
  RefundCreateParams,
  Service,
  Transaction,
  TransactionList,
  TransactionListParams,
  WalletList,
  WalletListParams,
  WatchAddress,
  WatchAddressList,
  WatchAddressListParams,
  Webhook,
  WebhookList,
  WebhookListParams,
} from '../../adapters/client/index.ts';
import type { InProcessOptions } from '../../adapters/http/index.ts';

export type {
  AdmissionLimits,
  Alert,
  App,
  AppList,
  AppListParams,
  AppUsage,
  AppUsageParams,
  Callback,
  CallbackDetail,
  CallbackList,
  CallbackListParams,
  Chain,
  Claim,
  ClaimApproveParams,
  ClaimList,
  ClaimListParams,
  ClaimRejectParams,
  Deposit,
  EventData,
  FiatCurrency,
  LedgerListParams,
  LinkCreateParams,
  LinkListParams,
  ListedApp,
  ListedPayout,
  Order,
  OrderCreateParams,
  OrderDetail,
  OrderEvent,
  OrderHistory,
  OrderList,
  OrderListParams,
  Payee,
  PayeeList,
  PayeeListParams,
  PaymentLink,
  PaymentLinkList,
  Payout,
  PayoutAddress,
  PayoutAddressList,
  PayoutAddressListParams,
  PayoutBatch,
  PayoutBatchApproveParams,
  PayoutBatchCreateParams,
  PayoutBatchDetail,
  PayoutBatchList,
  PayoutBatchListParams,
  PayoutBatchRow,
  PayoutBatchRowList,
  PayoutBatchRowsParams,
  PayoutCreateParams,
  PayoutDetail,
  PayoutList,
  PayoutListParams,
  Posting,
  PostingList,
  PullPayment,
  PullPaymentCreateParams,
  PullPaymentList,
  PullPaymentListParams,
  Rate,
  RateList,
  RateListParams,
  RefundCreateParams,
  SecurityEvent,
  Service,
  TestEvent,
  Transaction,
  TransactionList,
  TransactionListParams,
  Wallet,
  WalletList,
  WalletListParams,
  WatchAddress,
  WatchAddressList,
  WatchAddressListParams,
  Webhook,
  WebhookList,
  WebhookListParams,
} from '../../adapters/client/index.ts';

export interface AccountArchiveResult {
  /** Number of accounts. */
  readonly total: number;
  readonly items: readonly AccountBase[];
}

export interface AccountBase {
  /** ID of the account. */
  readonly id: string;
  readonly email: string;
  readonly role: AccountRole;
  readonly status: AccountStatus;
  /** Always true: accounts need no separate activation. */
  readonly activated: boolean;
  readonly roleLabel: string;
  readonly statusLabel: string;
  readonly name: string | null;
  readonly avatarUrl: string | null;
  /** Time of creation. */
  readonly createdAt: string | null;
  /** Time of the last change. */
  readonly updatedAt: string | null;
}

export interface AccountDetail {
  /** ID of the account. */
  readonly id: string;
  readonly email: string;
  readonly role: AccountRole;
  readonly status: AccountStatus;
  /** Always true: accounts need no separate activation. */
  readonly activated: boolean;
  readonly roleLabel: string;
  readonly statusLabel: string;
  readonly name: string | null;
  readonly avatarUrl: string | null;
  /** Time of creation. */
  readonly createdAt: string | null;
  /** Time of the last change. */
  readonly updatedAt: string | null;
  /** Number of Apps of the account. */
  readonly appCount: number;
  /** Number of enabled gateways that the enabled Apps of the account can use. */
  readonly gatewayCount: number;
  /** Time of the first login. */
  readonly firstLoginAt: string | null;
  /** Time of the last login. */
  readonly lastLoginAt: string | null;
  readonly lastLoginIp: string | null;
  readonly lastLoginUserAgent: string | null;
  /** Codes of the coins covered by business verification; * for all. */
  readonly verifiedCoins: readonly string[];
}

export interface AccountList {
  readonly items: readonly AccountBase[];
  /** Value of `cursor` for the next page; null on the last page. */
  readonly nextCursor: string | null;
}

export type AccountRole = 'admin' | 'user';

export type AccountStatus = 'active' | 'disabled' | 'archived';

export type AdmissionMode = 'disabled' | 'shadow' | 'enforce';

export interface AlertList {
  readonly items: readonly Alert[];
  /** Value of `cursor` for the next page; null on the last page. */
  readonly nextCursor: string | null;
}

export interface AppKey {
  /** ID of the key. */
  readonly id: string;
  /** The key itself when it is created or revealed to the owner of its App; otherwise only its first and last characters. */
  readonly apiKey: string;
  readonly state: AppKeyState;
  /** Methods that the key may call, by name or `prefix*`, among those of the gateway; HTTP methods on gateways of the protocol http; empty for all. */
  readonly methods: readonly string[];
  /** Networks in CIDR notation from which the key is accepted; empty for any. */
  readonly networks: readonly string[];
  /** Origins of web pages with which the key is accepted; requests without one are refused; empty for any request. */
  readonly origins: readonly string[];
  /** Units that the calls of the key may cost in a minute, on all gateways together; null for no limit. */
  readonly unitsPerMinute: number | null;
  /** Time from which the key is refused: its own end, or that of its grace period if that is earlier. */
  readonly expiresAt: string | null;
  /** Time of revocation. */
  readonly revokedAt: string | null;
  /** Time of creation. */
  readonly createdAt: string;
  /** Time of the last use. */
  readonly lastUsedAt: string | null;
}

export interface AppKeyList {
  /** Number of keys. */
  readonly total: number;
  readonly items: readonly AppKey[];
}

export type AppKeyState = 'active' | 'grace' | 'revoked' | 'expired';

export interface AuditList {
  readonly items: readonly AuditRow[];
  /** Value of `cursor` for the next page; null on the last page. */
  readonly nextCursor: string | null;
}

export interface AuditRow {
  /** ID of the entry. */
  readonly id: string;
  /** Time of the action. */
  readonly createdAt: string;
  /** Null for an operator at the command line. */
  readonly actor: string | null;
  readonly action: string;
  readonly subjectType: string;
  /** ID of the record that was changed. */
  readonly subject: string;
  readonly changes: Readonly<
    Record<
      string,
      {
        readonly from?: unknown;
        readonly to?: unknown;
      }
    >
  >;
  readonly ip: string | null;
  readonly traceId: string | null;
}

export interface Branding {
  /** ID of the account. */
  readonly account: string;
  /** Name shown to payers: visible characters only, and not the name of another account. */
  readonly name: string | null;
  /** Colour of buttons and links as #rrggbb; adjusted where text would be unreadable. */
  readonly colour: string | null;
  /** Contact for payers: an email address or an https URL. */
  readonly support: string | null;
  readonly logo: {
    readonly type: 'image/png' | 'image/jpeg' | 'image/webp';
    /** Path of the logo below the base URL. */
    readonly path: string;
  } | null;
  /** Version of the record; send it in If-Match to change the record. */
  readonly version: number;
  /** Time of the last change. */
  readonly updatedAt: string | null;
}

export interface CallbackSecrets {
  /** ID of the account. */
  readonly account: string;
  readonly callbackKey?: string | undefined;
  readonly callbackToken?: string | undefined;
  readonly callbackSecret?: string | undefined;
  /** Time until which callbacks are also signed with the previous secret. */
  readonly previousSecretExpiresAt: string;
}

export interface CreatedCredential {
  /** ID of the credential. */
  readonly id: string;
  /** ID of the account. */
  readonly account: string;
  readonly name: string;
  readonly status: 'active' | 'revoked';
  /** Permissions: read, create orders, move money. */
  readonly scopes: readonly ('read' | 'create' | 'move')[];
  /** Permissions of a shop plugin's key, by the names that plugins know; null for any other key. */
  readonly permissions: readonly string[] | null;
  /** Time of expiry. */
  readonly expiresAt: string | null;
  /** Time of creation. */
  readonly createdAt: string;
  /** Time of revocation. */
  readonly revokedAt: string | null;
  readonly apiKey: string;
  readonly apiToken: string;
  readonly signingSecret?: string | undefined;
  readonly callbackKey?: string | undefined;
  readonly callbackToken?: string | undefined;
  readonly callbackSecret?: string | undefined;
}

export interface Credential {
  /** ID of the credential. */
  readonly id: string;
  /** ID of the account. */
  readonly account: string;
  readonly name: string;
  readonly status: 'active' | 'revoked';
  /** Permissions: read, create orders, move money. */
  readonly scopes: readonly ('read' | 'create' | 'move')[];
  /** Permissions of a shop plugin's key, by the names that plugins know; null for any other key. */
  readonly permissions: readonly string[] | null;
  /** Time of expiry. */
  readonly expiresAt: string | null;
  /** Time of creation. */
  readonly createdAt: string;
  /** Time of revocation. */
  readonly revokedAt: string | null;
  readonly apiKey: string;
  readonly apiToken: string;
}

export interface CredentialList {
  readonly items: readonly Credential[];
  /** Value of `cursor` for the next page; null on the last page. */
  readonly nextCursor: string | null;
}

export interface DepositList {
  readonly items: readonly Deposit[];
  /** Value of `cursor` for the next page; null on the last page. */
  readonly nextCursor: string | null;
}

export interface Gateway {
  readonly id: string;
  readonly host: string;
  readonly chain: string;
  readonly network: string;
  readonly protocol: 'jsonrpc' | 'http' | 'websocket';
  readonly upstreams: readonly {
    /** ID of the upstream; it follows from the URL, so equal URLs have the same one. */
    readonly id: string;
    /** Scheme and host; … replaces a path, query or login, which are not shown. */
    readonly url: string;
    /** Names of the headers that are sent; their values are not shown. */
    readonly headerNames: readonly string[];
    /** Whether an admin has taken it out of use; it gets no new requests. */
    readonly cordoned: boolean;
  }[];
  /** Upstreams in order, as the answering instance sees them; null for an upstream that it does not use. */
  readonly upstreamHealth: readonly UpstreamHealth[];
  readonly admission: AdmissionMode;
  readonly enabled: boolean;
  readonly methods: {
    readonly allow: readonly string[];
    readonly deny: readonly string[];
  };
  readonly limits: GatewayLimits;
  readonly timeouts: {
    /** Milliseconds. */
    readonly connectMs: number;
    /** Milliseconds. */
    readonly firstByteMs: number;
    /** Milliseconds. */
    readonly idleMs: number;
  };
  /** Origins of web pages that may use the gateway; `*` for any. */
  readonly cors: {
    readonly origins: readonly string[];
  };
  /** Units charged for a call of each method; `*` sets every other method and defaults to 1. */
  readonly units: Readonly<Record<string, number>>;
  readonly reads: ReadRules;
  /** Bytes. */
  readonly maxBodyBytes: number;
  /** Elements. */
  readonly maxBatch: number;
  /** Plans of gateway.sales; the smallest is sold over x402 to clients that have no key or no units left. */
  readonly plans: readonly string[];
  /** Gateways with the source `config` can be changed only in the configuration. */
  readonly source: 'config' | 'managed';
  /** Time of creation. */
  readonly createdAt: string | null;
  /** Time of the last change. */
  readonly updatedAt: string | null;
}

export interface GatewayLimits {
  readonly requestsPerSecond: number | null;
  readonly burst: number | null;
  readonly concurrency: number | null;
  /** Rates of calls for each App by method or `prefix*`, HTTP methods on gateways of the protocol http; a call counts for its name, or else for its longest prefix. */
  readonly methods: Readonly<
    Record<
      string,
      {
        /** Maximum calls per second for each App. */
        readonly requestsPerSecond: number;
        readonly burst: number | null;
      }
    >
  >;
}

export interface GatewayList {
  readonly items: readonly Gateway[];
  /** Value of `cursor` for the next page; null on the last page. */
  readonly nextCursor: string | null;
}

export interface NewApp {
  /** ID of the App. */
  readonly id: string;
  /** ID of the account that owns the App. */
  readonly account: string;
  readonly name: string;
  readonly enabled: boolean;
  /** Version of the record; send it in If-Match to change the record. */
  readonly version: number;
  readonly chains: readonly Chain[];
  /** Admission mode that is applied if it is stricter than the mode of the gateway; null for the mode of the gateway. */
  readonly admissionMode: 'disabled' | 'shadow' | 'enforce' | null;
  readonly limits: AdmissionLimits;
  /** Units that the App may use of all gateways together; null for no limit. */
  readonly quota: {
    readonly units: number;
    /** Calendar period in UTC. */
    readonly window: 'day' | 'month';
  } | null;
  /** Whether the App can use only units that were bought for it. */
  readonly prepaid: boolean;
  /** Time of creation. */
  readonly createdAt: string;
  /** Time of the last change. */
  readonly updatedAt: string;
  readonly providerId: string | null;
  readonly key: AppKey;
}

export interface ReadRules {
  /** Maximum number of blocks that a node may be behind the most advanced node for requests of the newest block; null for the default of the chain. */
  readonly headLagBlocks: number | null;
  /** Whether the reads of the newest block of an App stay with one node, so that none is answered from an older block than a former one. */
  readonly monotonic: boolean;
  /** How many blocks calls of eth_getLogs may read; null for no limit. */
  readonly logs: {
    /** Maximum number of blocks that one call to a node may read. */
    readonly maxRange: number;
    /** Maximum number of parts that a call over more blocks is split into; 1 refuses it. */
    readonly splitInto: number;
    /** Maximum number of logs in an answer that is joined from parts. */
    readonly maxResults: number;
  } | null;
  /** Milliseconds without an answer after which a second node is asked; null for never. */
  readonly hedgeAfterMs: number | null;
  /** Whether identical concurrent reads are sent to a node only once. */
  readonly dedupe: boolean;
  /** Whether answers about final blocks are cached in memory. */
  readonly cache: boolean;
  /** How a WebSocket gateway of an Ethereum-like chain serves eth_subscribe: `shared` by one subscription at a node for all clients, which continues at another node; `bridge` by one at a node for each client, which ends with the node. */
  readonly subscriptions: 'shared' | 'bridge';
}

export interface RemovedWebhook {
  /** ID of the endpoint. */
  readonly id: string;
  readonly removed: 'true';
}

export interface RevealedWebhook {
  /** ID of the endpoint. */
  readonly id: string;
  /** ID of the account. */
  readonly account: string;
  readonly url: string;
  /** Event types, or groups such as order.*; in another format its own types, or * for all. */
  readonly events: readonly string[];
  /** Form of the events: standard is the till's own; greenfield that of plugins of shop systems. */
  readonly format: 'standard' | 'greenfield';
  readonly enabled: boolean;
  /** Time until which events are also signed with the previous secret. */
  readonly previousSecretExpiresAt: string | null;
  /** Time of creation. */
  readonly createdAt: string;
  /** Time of the last change. */
  readonly updatedAt: string;
  readonly secret?: string | undefined;
}

export interface RotatedKey {
  readonly key: AppKey;
  readonly replaced: AppKey;
}

export interface UpstreamHealth {
  /** State of the circuit breaker: `down` is open; `trial` lets one request through, and closes it if the request succeeds. */
  readonly state: 'up' | 'down' | 'trial';
  /** Height of its newest block. */
  readonly head: number | null;
  /** Blocks that it is behind the most advanced upstream of this gateway. */
  readonly lagBlocks: number | null;
  /** Milliseconds until it starts to answer; a moving average of recent requests. */
  readonly latencyMs: number | null;
  /** Share of recent requests, from 0 to 1, that the node did not answer through a fault of its own. */
  readonly errorRate: number | null;
  /** Methods that it said in the last hour it does not have; they are asked of other upstreams. */
  readonly missingMethods: readonly string[];
  /** Oldest block whose state it may have, by its answers of the last hour. */
  readonly oldestState: number | null;
}

/** The fields of `accounts.list`. */
export interface AccountListParams {
  /** Only accounts with this text in their email address or name, regardless of case. */
  readonly q?: string | undefined;
  /** Maximum number of records on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page. */
  readonly cursor?: string | undefined;
}

/** The fields of `accounts.create`. */
export interface AccountCreateParams {
  /** Email address, unique regardless of case. */
  readonly email: string;
  /** At least 12 characters, and not a common password; if omitted, nobody can log in to the account. */
  readonly password?: string | undefined;
  /** Display name. */
  readonly name?: string | null | undefined;
  /** Role of the account. */
  readonly role?: 'admin' | 'user' | undefined;
  /** Codes of the coins covered by business verification; * for all. */
  readonly verifiedCoins?: readonly string[] | undefined;
}

/** The fields of `accounts.archive`. */
export interface AccountArchiveParams {
  readonly ids: readonly string[];
}

/** The fields of `accounts.update`. */
export interface AccountUpdateParams {
  /** Display name. */
  readonly name?: string | null | undefined;
  /** Role of the account. */
  readonly role?: 'admin' | 'user' | undefined;
  /** New status. */
  readonly status?: 'active' | 'disabled' | 'archived' | undefined;
  /** URL of a picture (http or https). */
  readonly avatarUrl?: string | null | undefined;
  /** Codes of the coins covered by business verification; * for all. */
  readonly verifiedCoins?: readonly string[] | undefined;
}

/** The fields of `apps.create`. */
export interface AppCreateParams {
  /** ID of the account; defaults to your own. */
  readonly account?: string | undefined;
  /** Display name. */
  readonly name: string;
  /** Chains whose gateways the App may use. */
  readonly chains: readonly string[];
  /** Your own reference. */
  readonly providerId?: string | null | undefined;
  /** Whether the App can use only units that were bought for it. */
  readonly prepaid?: boolean | undefined;
}

/** The fields of `apps.update`. */
export interface AppUpdateParams {
  /** Display name. */
  readonly name?: string | undefined;
  /** Whether the keys of the App are accepted. */
  readonly enabled?: boolean | undefined;
  /** Chains whose gateways the App may use. */
  readonly chains?: readonly string[] | undefined;
  /** Admission mode; null for the mode of each gateway. */
  readonly admissionMode?: 'disabled' | 'shadow' | 'enforce' | null | undefined;
  readonly limits?:
    | {
        /** Maximum requests per second; null for no limit. */
        readonly requestsPerSecond?: number | undefined;
        /** Maximum number of requests in a burst; null for no limit. */
        readonly burst?: number | undefined;
        /** Maximum number of concurrent requests; null for no limit. */
        readonly concurrency?: number | undefined;
      }
    | null
    | undefined;
  readonly quota?:
    | {
        /** Units that the App may use in each window. */
        readonly units: number;
        /** Calendar period in UTC. */
        readonly window: 'day' | 'month';
      }
    | null
    | undefined;
  /** Whether the App can use only units that were bought for it. */
  readonly prepaid?: boolean | undefined;
  /** Version of the record that you change, as you read it. */
  readonly version: number;
}

/** The fields of `appKeys.create`. */
export interface AppKeyCreateParams {
  /** Methods that the key may call, by name or `prefix*`, among those of the gateway; HTTP methods on gateways of the protocol http; empty for all. */
  readonly methods?: readonly string[] | undefined;
  /** Networks in CIDR notation from which the key is accepted; empty for any. */
  readonly networks?: readonly string[] | undefined;
  /** Origins of web pages with which the key is accepted; requests without one are refused; empty for any request. */
  readonly origins?: readonly string[] | undefined;
  /** Units that the calls of the key may cost in a minute, on all gateways together; null for no limit. */
  readonly unitsPerMinute?: number | undefined;
  /** Time from which the key is refused; null for none. */
  readonly expiresAt?: string | Date | null | undefined;
}

/** The fields of `appKeys.rotate`. */
export interface AppKeyRotateParams {
  /** Grace period in seconds, from 0 to 7 days. */
  readonly graceSeconds?: number | undefined;
  /** Time from which the key is refused; null for none. */
  readonly expiresAt?: string | Date | null | undefined;
}

/** The fields of `appKeys.update`. */
export interface AppKeyUpdateParams {
  /** Methods that the key may call, by name or `prefix*`, among those of the gateway; HTTP methods on gateways of the protocol http; empty for all. */
  readonly methods?: readonly string[] | undefined;
  /** Networks in CIDR notation from which the key is accepted; empty for any. */
  readonly networks?: readonly string[] | undefined;
  /** Origins of web pages with which the key is accepted; requests without one are refused; empty for any request. */
  readonly origins?: readonly string[] | undefined;
  /** Units that the calls of the key may cost in a minute, on all gateways together; null for no limit. */
  readonly unitsPerMinute?: number | undefined;
  /** Time from which the key is refused; null for none. */
  readonly expiresAt?: string | Date | null | undefined;
}

/** The fields of `gateways.list`. */
export interface GatewayListParams {
  /** Maximum number of records on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page. */
  readonly cursor?: string | undefined;
}

/** The fields of `credentials.list`. */
export interface CredentialListParams {
  /** Only this account; admins see all accounts by default. */
  readonly account?: string | undefined;
  /** Maximum number of records on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page. */
  readonly cursor?: string | undefined;
}

/** The fields of `credentials.create`. */
export interface CredentialCreateParams {
  /** ID of the account; defaults to your own. */
  readonly account?: string | undefined;
  /** Display name. */
  readonly name?: string | undefined;
  /** Permissions: read, create orders, move money; defaults to all. */
  readonly scopes?: readonly ('read' | 'create' | 'move')[] | undefined;
  /** Permissions of a shop plugin's key, in place of `scopes`, which follow from them. */
  readonly permissions?:
    | readonly (
        | 'btcpay.store.canviewinvoices'
        | 'btcpay.store.cancreateinvoice'
        | 'btcpay.store.canmodifyinvoices'
        | 'btcpay.store.canviewstoresettings'
        | 'btcpay.store.webhooks.canmodifywebhooks'
        | 'btcpay.store.canviewpullpayments'
        | 'btcpay.store.canviewpayouts'
        | 'btcpay.store.cancreatenonapprovedpullpayments'
        | 'btcpay.store.cancreatepullpayments'
        | 'btcpay.store.canarchivepullpayments'
        | 'btcpay.store.canmanagepayouts'
        | 'btcpay.store.canmanagepullpayments'
        | 'btcpay.store.canmodifystoresettings'
        | 'btcpay.user.canviewprofile'
        | 'unrestricted'
      )[]
    | undefined;
  /** Time of expiry; defaults to never. */
  readonly expiresAt?: string | Date | undefined;
}

/** The fields of `credentials.rotateCallbackSecrets`. */
export interface CredentialRotateCallbackSecretsParams {
  /** ID of the account; defaults to your own. */
  readonly account?: string | undefined;
}

/** The fields of `webhooks.create`. */
export interface WebhookCreateParams {
  /** ID of the account; defaults to your own. */
  readonly account?: string | undefined;
  /** URL to which events are sent by POST. */
  readonly url: string;
  /** What is sent: types, or groups such as order.*. One of order.*, refund.*, withdrawal.*, payout.*, claim.*, deposit.*, security.*, alert.*, order.created, order.succeeded, order.timeout, order.terminated, order.refunded, refund.requested, refund.succeeded, refund.failed, withdrawal.requested, withdrawal.held, withdrawal.succeeded, withdrawal.failed, payout.requested, payout.held, payout.succeeded, payout.failed, claim.requested, claim.approved, claim.rejected, deposit.seen, deposit.credited, deposit.spendable, deposit.orphaned, deposit.unassigned, security.changed, security.pending, alert.raised. For an endpoint of another format, its own types. */
  readonly events: readonly string[];
  /** Whether events are sent. Events that are waiting when it is disabled are given up. */
  readonly enabled?: boolean | undefined;
}

/** The fields of `webhooks.update`. */
export interface WebhookUpdateParams {
  /** URL to which events are sent by POST. */
  readonly url?: string | undefined;
  /** What is sent: types, or groups such as order.*. One of order.*, refund.*, withdrawal.*, payout.*, claim.*, deposit.*, security.*, alert.*, order.created, order.succeeded, order.timeout, order.terminated, order.refunded, refund.requested, refund.succeeded, refund.failed, withdrawal.requested, withdrawal.held, withdrawal.succeeded, withdrawal.failed, payout.requested, payout.held, payout.succeeded, payout.failed, claim.requested, claim.approved, claim.rejected, deposit.seen, deposit.credited, deposit.spendable, deposit.orphaned, deposit.unassigned, security.changed, security.pending, alert.raised. For an endpoint of another format, its own types. */
  readonly events?: readonly string[] | undefined;
  /** Whether events are sent. Events that are waiting when it is disabled are given up. */
  readonly enabled?: boolean | undefined;
}

/** The fields of `links.update`. */
export interface LinkUpdateParams {
  /** Text below the title of its page. */
  readonly description?: string | undefined;
  /** Price of each order; if omitted or null, the payer chooses the amount. */
  readonly price?: string | undefined;
  /** Minimum amount that the payer can choose. */
  readonly minPrice?: string | undefined;
  /** Maximum amount that the payer can choose. */
  readonly maxPrice?: string | undefined;
  /** What is sold, in place of a price; replaces all items. */
  readonly items?:
    | readonly {
        /** ID of the item; a new one by default. */
        readonly id?: string | undefined;
        /** Name of the item. */
        readonly name: string;
        /** Price of one. */
        readonly price: string;
      }[]
    | undefined;
  /** Tips that are offered, in percent, ascending; the payer may also give none, or an own amount. */
  readonly tips?: readonly number[] | undefined;
  /** Codes of the coins that are offered; null for all. */
  readonly coins?: readonly string[] | null | undefined;
  /** Maximum number of sales; null for no limit. */
  readonly maxSales?: number | undefined;
  /** Time of expiry; null for none. */
  readonly expiresAt?: string | Date | null | undefined;
  /** Whether it creates orders. */
  readonly active?: boolean | undefined;
  /** URL to which the payer is redirected after the payment. */
  readonly returnUrl?: string | null | undefined;
  /** URL called when one of its orders is paid. */
  readonly callbackUrl?: string | null | undefined;
  /** URL called when one of its orders expires. */
  readonly timeoutCallback?: string | null | undefined;
  /** Sends callbacks as POST requests with the order in the body. */
  readonly enablePostCallback?: boolean | undefined;
  /** Values stablecoins at exactly 1 USD. */
  readonly fixedEncryptPrice?: boolean | undefined;
  /** Prefix of the merchant_reference of each order, followed by the order ID. */
  readonly referencePrefix?: string | null | undefined;
  /** Your own key-value pairs, stored with the order: an object of at most 20 texts, names of 1 to 40 printable characters, values of at most 500 characters without control characters, as JSON at most 2048 bytes. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** Title of its page. */
  readonly title?: string | undefined;
  /** Version of the record that you change, as you read it. */
  readonly version: number;
}

/** The fields of `alerts.list`. */
export interface AlertListParams {
  /** Only records with this status. */
  readonly status?: 'OPEN' | 'ACKNOWLEDGED' | undefined;
  /** Maximum number of records on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page. */
  readonly cursor?: string | undefined;
}

/** The fields of `branding.get`. */
export interface BrandingGetParams {
  /** ID of the account; defaults to your own. */
  readonly account?: string | undefined;
}

/** The fields of `branding.update`. */
export interface BrandingUpdateParams {
  /** Name shown to payers: visible characters only, and not the name of another account. */
  readonly name?: string | null | undefined;
  /** Colour of buttons and links as #rrggbb; adjusted where text would be unreadable. */
  readonly colour?: string | null | undefined;
  /** Contact for payers: an email address or an https URL. */
  readonly support?: string | null | undefined;
  /** PNG, JPEG or WebP image of at most 32768 bytes, as base64. */
  readonly logo?: string | null | undefined;
  /** ID of the account; defaults to your own. */
  readonly account?: string | undefined;
  /** Version of the record that you change, as you read it. */
  readonly version: number;
}

/** The fields of `payees.create`. */
export interface PayeeCreateParams {
  /** Chain code, such as ETH, BTC or TRX. */
  readonly chain: string;
  /** An address on the chain. */
  readonly address: string;
  /** Name of the receiver. */
  readonly label?: string | undefined;
  /** ID of the account; defaults to your own. */
  readonly account?: string | undefined;
}

/** The fields of `deposits.list`. */
export interface DepositListParams {
  /** Always `unassigned`: other deposits cannot be listed. */
  readonly status: 'unassigned';
  /** Maximum number of records on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page. */
  readonly cursor?: string | undefined;
}

/** The fields of `audit.list`. */
export interface AuditListParams {
  /** Only this account; admins see all accounts by default. */
  readonly account?: string | undefined;
  /** Maximum number of records on a page. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the previous page. */
  readonly cursor?: string | undefined;
}

/** The account that a new record is for, or whose record is meant. */
export interface OfAccount {
  readonly account: string;
}

/** The calls of service. */
export interface ServiceCalls {
  /** Retrieve the installation. Returns the supported coins, fiat currencies and events, and whether money is simulated. */
  get(): Promise<Service>;
}

/** The calls of accounts. */
export interface AccountsCalls {
  /** List accounts. Returns accounts, newest first. A user sees only its own account. To read the next page, send `nextCursor` with the same filters. */
  list(params?: AccountListParams): Promise<AccountList>;
  /** Iterates over the whole list and reads it page by page: `for await (const item of …)`. */
  all(params?: AccountListParams): AsyncGenerator<AccountBase, void, undefined>;

  /**
   * Create an account. Creates an active account. Its password is temporary: it expires, and must be changed at the first login. Admins only.
   *
   * @throws TillgateError `STATE_CONFLICT`.
   */
  create(params: AccountCreateParams): Promise<AccountDetail>;

  /**
   * Archive accounts. Archives all of the accounts or none: disables their Apps, revokes their keys and ends their sessions. Refused for an account that has a balance or an open order. An admin can restore an account within 30 days (PATCH with `status: "active"`), or later while it has a balance; its Apps stay disabled and its keys revoked. Archiving an archived account changes nothing. Admins only; requires a step-up.
   *
   * @throws TillgateError `NOT_FOUND`, `STATE_CONFLICT`.
   */
  archive(params: AccountArchiveParams): Promise<AccountArchiveResult>;

  /**
   * Retrieve an account. Returns an account. An account that you may not see is reported as not found.
   *
   * @throws TillgateError `NOT_FOUND`.
   */
  get(id: string): Promise<AccountDetail>;

  /**
   * Update an account. Users can change their own name and picture; admins can change everything. An active account can be disabled and enabled again; both can be archived, and restored within 30 days. Requires a step-up, except to change the name or picture or to disable an account.
   *
   * @throws TillgateError `NOT_FOUND`, `STATE_CONFLICT`.
   */
  update(id: string, params?: AccountUpdateParams): Promise<AccountDetail>;
}

/** The calls of apps. */
export interface AppsCalls {
  /**
   * List Apps. Returns the account's Apps, newest first. Admins see all Apps. To read the next page, send `nextCursor` with the same filters.
   *
   * @throws TillgateError `NOT_FOUND`.
   */
  list(params?: AppListParams): Promise<AppList>;
  /** Iterates over the whole list and reads it page by page: `for await (const item of …)`. */
  all(params?: AppListParams): AsyncGenerator<ListedApp, void, undefined>;

  /**
   * Create an App. Creates an App with its first key. Only admins can create one for another account. If plans are sold, new Apps are prepaid, unless an admin or the setting `gateway.sales.newAppsPrepaid` says otherwise.
   *
   * @throws TillgateError `NOT_FOUND`, `UNSUPPORTED`, `STATE_CONFLICT`, `FORBIDDEN`.
   */
  create(params: AppCreateParams & OfAccount): Promise<NewApp>;

  /**
   * Retrieve an App. Returns an App. An App of another account is reported as not found.
   *
   * @throws TillgateError `NOT_FOUND`.
   */
  get(id: string): Promise<App>;

  /**
   * Update an App. Requires the version of the record in If-Match: 428 if it is missing, 412 if it is out of date. Mode and limits can only be stricter than those of the gateway. The account can lower its quota; only admins can raise or remove it, change its window, or end prepaid mode.
   *
   * @throws TillgateError `NOT_FOUND`, `UNSUPPORTED`, `STATE_CONFLICT`, `VERSION_MISMATCH`, `PRECONDITION_REQUIRED`.
   */
  update(id: string, params: AppUpdateParams): Promise<App>;

  /**
   * Retrieve usage of an App. Returns usage, summed over the hours (UTC) that start at or after `from` and before `to`. Defaults to the last 30 days, or the last 24 hours with `by=hour`; the maximum is 400 days, or 31 days with `by=hour`. Calls are included one second after they were made. Rows without usage are omitted. Use `format=csv` or `Accept: text/csv` for CSV.
   *
   * @throws TillgateError `NOT_FOUND`.
   */
  usage(id: string, params?: AppUsageParams): Promise<AppUsage>;
}

/** The calls of app keys. */
export interface AppKeysCalls {
  /**
   * List keys of an App. Returns the keys of an App, newest first and masked.
   *
   * @throws TillgateError `NOT_FOUND`.
   */
  list(id: string): Promise<AppKeyList>;

  /**
   * Create a key. Creates a key if the App has no active one, or one that has expired. Owner of the App only; requires a step-up.
   *
   * @throws TillgateError `NOT_FOUND`, `STATE_CONFLICT`.
   */
  create(id: string, params?: AppKeyCreateParams): Promise<AppKey>;

  /**
   * Rotate a key. Creates a new key with the limits of the replaced one, which stays valid for the grace period. Owner of the App only; requires a step-up.
   *
   * @throws TillgateError `NOT_FOUND`, `STATE_CONFLICT`.
   */
  rotate(id: string, params?: AppKeyRotateParams): Promise<RotatedKey>;

  /**
   * Update a key. Changes what a key may do and its end; omitted fields stay unchanged. The reply is sent once every instance applies the change. A replaced key can only be made to end earlier. The owner of the App or an admin; requires a step-up.
   *
   * @throws TillgateError `NOT_FOUND`, `STATE_CONFLICT`.
   */
  update(id: string, key: string, params?: AppKeyUpdateParams): Promise<AppKey>;

  /**
   * Revoke a key. Revokes a key at once and permanently. The reply is sent once every instance refuses the key. Revoking a revoked key changes nothing. The owner of the App or an admin; requires a step-up.
   *
   * @throws TillgateError `NOT_FOUND`.
   */
  revoke(id: string, key: string): Promise<AppKey>;
}

/** The calls of gateways. */
export interface GatewaysCalls {
  /** List gateways. Returns gateways, newest first, then those of the configuration by host. Admins only. To read the next page, send `nextCursor` with the same filters. */
  list(params?: GatewayListParams): Promise<GatewayList>;
  /** Iterates over the whole list and reads it page by page: `for await (const item of …)`. */
  all(params?: GatewayListParams): AsyncGenerator<Gateway, void, undefined>;
}

/** The calls of credentials. */
export interface CredentialsCalls {
  /**
   * List credentials. Returns the credentials of the payment API, newest first. Keys and tokens are masked. To read the next page, send `nextCursor` with the same filters.
   *
   * @throws TillgateError `NOT_FOUND`.
   */
  list(params?: CredentialListParams): Promise<CredentialList>;
  /** Iterates over the whole list and reads it page by page: `for await (const item of …)`. */
  all(params?: CredentialListParams): AsyncGenerator<Credential, void, undefined>;

  /**
   * Create a credential. Creates an API key and a signing pair, and returns them with the callback secrets. Only admins can create one for another account; they receive no secrets, which the owner of the account can reveal.
   *
   * @throws TillgateError `NOT_FOUND`, `STATE_CONFLICT`.
   */
  create(params: CredentialCreateParams & OfAccount): Promise<CreatedCredential>;

  /**
   * Revoke a credential. Revokes a credential at once and permanently. Revoking a revoked credential changes nothing.
   *
   * @throws TillgateError `NOT_FOUND`.
   */
  revoke(id: string): Promise<Credential>;

  /**
   * Rotate the callback secrets. Creates a new key, token and secret for the callbacks of an account. For 24 hours callbacks are also signed with the previous secret. Admins do not receive the secrets of other accounts.
   *
   * @throws TillgateError `NOT_FOUND`, `STATE_CONFLICT`.
   */
  rotateCallbackSecrets(params: CredentialRotateCallbackSecretsParams & OfAccount): Promise<CallbackSecrets>;
}

/** The calls of callbacks. */
export interface CallbacksCalls {
  /**
   * List callbacks. Returns callbacks of orders and events of webhook endpoints, newest first. To read the next page, send `nextCursor` with the same filters.
   *
   * @throws TillgateError `NOT_FOUND`.
   */
  list(params?: CallbackListParams): Promise<CallbackList>;
  /** Iterates over the whole list and reads it page by page: `for await (const item of …)`. */
  all(params?: CallbackListParams): AsyncGenerator<Callback, void, undefined>;

  /**
   * Retrieve a callback. Returns a callback with the result of each attempt.
   *
   * @throws TillgateError `NOT_FOUND`.
   */
  get(id: string): Promise<CallbackDetail>;

  /**
   * Retry a callback. Sends a delivered or dead callback again, with a new schedule of attempts. An event goes to the current URL of its webhook endpoint, which must be enabled.
   *
   * @throws TillgateError `NOT_FOUND`, `STATE_CONFLICT`.
   */
  redeliver(id: string): Promise<CallbackDetail>;
}

/** The calls of webhooks. */
export interface WebhooksCalls {
  /**
   * List webhook endpoints. Returns webhook endpoints, newest first. List their deliveries with `callbacks?webhook=…`. To read the next page, send `nextCursor` with the same filters.
   *
   * @throws TillgateError `NOT_FOUND`.
   */
  list(params?: WebhookListParams): Promise<WebhookList>;
  /** Iterates over the whole list and reads it page by page: `for await (const item of …)`. */
  all(params?: WebhookListParams): AsyncGenerator<Webhook, void, undefined>;

  /**
   * Create a webhook endpoint. Creates a webhook endpoint and returns the secret that signs its events as Standard Webhooks specifies. The secret is shown only once. alert.raised is sent to admins only. An account can have at most 16.
   *
   * @throws TillgateError `NOT_FOUND`, `STATE_CONFLICT`.
   */
  create(params: WebhookCreateParams & OfAccount): Promise<RevealedWebhook>;

  /**
   * Retrieve a webhook endpoint. Returns a webhook endpoint without its secret.
   *
   * @throws TillgateError `NOT_FOUND`.
   */
  get(id: string): Promise<Webhook>;

  /**
   * Update a webhook endpoint. Waiting events go to the new URL. Disabling the endpoint gives up waiting events, which can be sent again later.
   *
   * @throws TillgateError `NOT_FOUND`, `STATE_CONFLICT`.
   */
  update(id: string, params?: WebhookUpdateParams): Promise<Webhook>;

  /**
   * Delete a webhook endpoint. Deletes the endpoint. Its waiting events are not sent.
   *
   * @throws TillgateError `NOT_FOUND`, `STATE_CONFLICT`.
   */
  remove(id: string): Promise<RemovedWebhook>;

  /**
   * Rotate the secret. Returns a new secret. For 24 hours events are also signed with the previous secret.
   *
   * @throws TillgateError `NOT_FOUND`, `STATE_CONFLICT`.
   */
  rotate(id: string): Promise<RevealedWebhook>;

  /**
   * Send a test event. Sends `webhook.test`, whether or not the endpoint subscribes to it. See `callbacks?webhook=…` for the result.
   *
   * @throws TillgateError `NOT_FOUND`, `STATE_CONFLICT`.
   */
  test(id: string): Promise<Webhook>;
}

/** The calls of links. */
export interface LinksCalls {
  /**
   * List payment links. Returns payment links, newest first. List their orders with `orders?link=…`. To read the next page, send `nextCursor` with the same filters.
   *
   * @throws TillgateError `NOT_FOUND`.
   */
  list(params?: LinkListParams): Promise<PaymentLinkList>;
  /** Iterates over the whole list and reads it page by page: `for await (const item of …)`. */
  all(params?: LinkListParams): AsyncGenerator<PaymentLink, void, undefined>;

  /**
   * Create a payment link. Creates a page that creates an order for each visitor, at a fixed price or for an amount that the payer chooses, optionally limited in sales or time. With the face POINT_OF_SALE it is a point of sale: an amount pad for paired devices. An account can have at most 1000.
   *
   * @throws TillgateError `NOT_FOUND`, `UNSUPPORTED`, `STATE_CONFLICT`.
   */
  create(params: LinkCreateParams & OfAccount): Promise<PaymentLink>;

  /**
   * Retrieve a payment link. Returns a payment link with its number of sales.
   *
   * @throws TillgateError `NOT_FOUND`.
   */
  get(id: string): Promise<PaymentLink>;

  /**
   * Update a payment link. Requires the version of the record in If-Match: 428 if it is missing, 412 if it is out of date. Existing orders stay unchanged, but removed coins can no longer be chosen for them. The fiat currency and the face cannot be changed.
   *
   * @throws TillgateError `NOT_FOUND`, `UNSUPPORTED`, `STATE_CONFLICT`, `VERSION_MISMATCH`, `PRECONDITION_REQUIRED`.
   */
  update(id: string, params: LinkUpdateParams): Promise<PaymentLink>;

  /**
   * Deactivate a payment link. Stops the link from creating orders, whatever its version. Open orders can still be paid.
   *
   * @throws TillgateError `NOT_FOUND`.
   */
  deactivate(id: string): Promise<PaymentLink>;
}

/** The calls of alerts. */
export interface AlertsCalls {
  /** List alerts. Returns the alerts that need an operator's attention, newest first. An alert that is raised again while it is open increases its count. Admins only. To read the next page, send `nextCursor` with the same filters. */
  list(params?: AlertListParams): Promise<AlertList>;
  /** Iterates over the whole list and reads it page by page: `for await (const item of …)`. */
  all(params?: AlertListParams): AsyncGenerator<Alert, void, undefined>;
}

/** The calls of branding. */
export interface BrandingCalls {
  /**
   * Retrieve branding. Returns the name, colour, contact and logo of the checkout page. Defaults to your own account; admins can name another.
   *
   * @throws TillgateError `NOT_FOUND`.
   */
  get(params: BrandingGetParams & OfAccount): Promise<Branding>;

  /**
   * Update branding. Changes the branding of the checkout page and notifies the owner of the account. Requires a step-up, because payers trust this page, and the version of the record in If-Match: 428 if it is missing, 412 if it is out of date. Omitted fields stay unchanged; null removes a value.
   *
   * @throws TillgateError `NOT_FOUND`, `STATE_CONFLICT`, `VERSION_MISMATCH`, `PRECONDITION_REQUIRED`.
   */
  update(params: BrandingUpdateParams & OfAccount): Promise<Branding>;
}

/** The calls of orders. */
export interface OrdersCalls {
  /**
   * List orders. Returns orders, newest first. Orders created while pages are read do not shift them. To read the next page, send `nextCursor` with the same filters.
   *
   * @throws TillgateError `NOT_FOUND`.
   */
  list(params?: OrderListParams): Promise<OrderList>;
  /** Iterates over the whole list and reads it page by page: `for await (const item of …)`. */
  all(params?: OrderListParams): AsyncGenerator<Order, void, undefined>;

  /**
   * Create an order. Creates an order in a given coin, or in the coin that the payer chooses at `payUrl`. Only admins can create one for another account. Its callbacks carry the account's callback key instead of an API key.
   *
   * @throws TillgateError `NOT_FOUND`, `UNSUPPORTED`, `AMOUNT_OUT_OF_RANGE`, `STATE_CONFLICT`, `IDEMPOTENCY_MISMATCH`, `IDEMPOTENCY_RUNNING`, `NODE_FAILED`, `NOT_READY`.
   */
  create(params: OrderCreateParams & OfAccount, options?: InProcessOptions): Promise<Order>;

  /**
   * Retrieve an order. Returns an order with its payments, callbacks and refunds.
   *
   * @throws TillgateError `NOT_FOUND`.
   */
  get(id: string): Promise<OrderDetail>;

  /**
   * Cancel an order. Cancels an order for which no payment has been seen.
   *
   * @throws TillgateError `NOT_FOUND`, `STATE_CONFLICT`.
   */
  cancel(id: string): Promise<Order>;

  /**
   * Accept an order. Accepts an OVERDUE or PARTIAL order as paid.
   *
   * @throws TillgateError `NOT_FOUND`, `STATE_CONFLICT`.
   */
  resolve(id: string): Promise<Order>;

  /**
   * Explain the status of an order. Returns each change of status, starting with the creation, with the rule that decided it, the facts on which it decided, and the rate.
   *
   * @throws TillgateError `NOT_FOUND`.
   */
  history(id: string): Promise<OrderHistory>;
}

/** The calls of rates. */
export interface RatesCalls {
  /**
   * List rates. Returns the present price of each coin in which orders can be created. An order is converted at the prices of its creation, and with the spread of the operator, if there is one.
   *
   * @throws TillgateError `UNSUPPORTED`.
   */
  list(params: RateListParams): Promise<RateList>;
}

/** The calls of transactions. */
export interface TransactionsCalls {
  /**
   * List transactions. Returns credited payments, withdrawals and refunds, newest first. To read the next page, send `nextCursor` with the same filters.
   *
   * @throws TillgateError `NOT_FOUND`.
   */
  list(params?: TransactionListParams): Promise<TransactionList>;
  /** Iterates over the whole list and reads it page by page: `for await (const item of …)`. */
  all(params?: TransactionListParams): AsyncGenerator<Transaction, void, undefined>;
}

/** The calls of ledger. */
export interface LedgerCalls {
  /**
   * List postings. Returns the postings of the account, newest first. Their sum is the balance; the sum of postings before a given time is the balance at that time. Without `account`, admins also see the till's own ledger accounts, and all postings sum to zero. Months that an operator has closed are omitted (`tillgate ledger close`). To read the next page, send `nextCursor` with the same filters.
   *
   * @throws TillgateError `NOT_FOUND`.
   */
  list(params?: LedgerListParams): Promise<PostingList>;
  /** Iterates over the whole list and reads it page by page: `for await (const item of …)`. */
  all(params?: LedgerListParams): AsyncGenerator<Posting, void, undefined>;
}

/** The calls of wallets. */
export interface WalletsCalls {
  /**
   * List balances. Returns the balance in each enabled coin, and in any other coin in which the account has a balance. Defaults to your own account; admins can name another.
   *
   * @throws TillgateError `NOT_FOUND`.
   */
  list(params: WalletListParams & OfAccount): Promise<WalletList>;
}

/** The calls of payout addresses. */
export interface PayoutAddressesCalls {
  /**
   * List payout addresses. Returns, for each chain, the registered address and the address that is active now, by chain and then by account. To read the next page, send `nextCursor` with the same filters.
   *
   * @throws TillgateError `NOT_FOUND`.
   */
  list(params?: PayoutAddressListParams): Promise<PayoutAddressList>;
  /** Iterates over the whole list and reads it page by page: `for await (const item of …)`. */
  all(params?: PayoutAddressListParams): AsyncGenerator<PayoutAddress, void, undefined>;
}

/** The calls of watch addresses. */
export interface WatchAddressesCalls {
  /**
   * List watched addresses. Returns the addresses whose balances `GET /api/contract/balance` returns, newest first. To read the next page, send `nextCursor` with the same filters.
   *
   * @throws TillgateError `NOT_FOUND`.
   */
  list(params?: WatchAddressListParams): Promise<WatchAddressList>;
  /** Iterates over the whole list and reads it page by page: `for await (const item of …)`. */
  all(params?: WatchAddressListParams): AsyncGenerator<WatchAddress, void, undefined>;
}

/** The calls of payouts. */
export interface PayoutsCalls {
  /**
   * List payouts. Returns the account's withdrawals and refunds, newest first. Admins see those of all accounts and the till's own payouts. Use `status=HELD` for those that wait for approval; `reason` says why. To read the next page, send `nextCursor` with the same filters.
   *
   * @throws TillgateError `NOT_FOUND`.
   */
  list(params?: PayoutListParams): Promise<PayoutList>;
  /** Iterates over the whole list and reads it page by page: `for await (const item of …)`. */
  all(params?: PayoutListParams): AsyncGenerator<ListedPayout, void, undefined>;

  /**
   * Create a payout. Pays from the balance to the registered address of the chain, or, on BLN (Lightning), to the invoice. The network fee is deducted from the amount. A session needs a step-up.
   *
   * @throws TillgateError `NOT_FOUND`, `UNSUPPORTED`, `AMOUNT_OUT_OF_RANGE`, `VERIFICATION_REQUIRED`, `INVOICE_INVALID`, `VERIFY_CODE_INVALID`, `STATE_CONFLICT`, `IDEMPOTENCY_MISMATCH`, `IDEMPOTENCY_RUNNING`, `INSUFFICIENT_BALANCE`, `NODE_FAILED`, `NO_WITHDRAWAL_ADDRESS`, `DESTINATION_UNPAYABLE`, `NOT_READY`.
   */
  create(params: PayoutCreateParams & OfAccount, options?: InProcessOptions): Promise<Payout>;

  /**
   * Retrieve a payout. Returns a payout with every transaction that was signed for it. Users see their own withdrawals and refunds, without the names of those who approve.
   *
   * @throws TillgateError `NOT_FOUND`.
   */
  get(id: string): Promise<PayoutDetail>;
}

/** The calls of payout batches. */
export interface PayoutBatchesCalls {
  /**
   * Create a payout batch. Checks at most 10000 rows and stores them as a draft, for which nothing is set aside. If any row is invalid, nothing is stored, and `errors` lists the problems with their lines. The rows can be sent as CSV with a header line of the row's field names; `name` and `account` are then in the query. The network fee is deducted from each amount; the fees of the draft are estimates.
   *
   * @throws TillgateError `NOT_FOUND`, `STATE_CONFLICT`, `IDEMPOTENCY_MISMATCH`, `IDEMPOTENCY_RUNNING`, `INSUFFICIENT_BALANCE`, `NODE_FAILED`, `NOT_READY`.
   */
  create(params: PayoutBatchCreateParams & OfAccount, options?: InProcessOptions): Promise<PayoutBatchDetail>;

  /**
   * List payout batches. Returns payout batches, newest first. To read the next page, send `nextCursor` with the same filters.
   *
   * @throws TillgateError `NOT_FOUND`.
   */
  list(params?: PayoutBatchListParams): Promise<PayoutBatchList>;
  /** Iterates over the whole list and reads it page by page: `for await (const item of …)`. */
  all(params?: PayoutBatchListParams): AsyncGenerator<PayoutBatch, void, undefined>;

  /**
   * Retrieve a payout batch. Returns a payout batch with the number of its rows in each state.
   *
   * @throws TillgateError `NOT_FOUND`.
   */
  get(id: string): Promise<PayoutBatchDetail>;

  /**
   * List the rows of a payout batch. Returns the rows in the order of their lines, each with its state. To read the next page, send `nextCursor`.
   *
   * @throws TillgateError `NOT_FOUND`.
   */
  rows(id: string, params?: PayoutBatchRowsParams): Promise<PayoutBatchRowList>;

  /**
   * Approve a payout batch. Sets the amounts aside and pays the rows. If a recipient is not listed as a payee of the account, another person must approve: as many admins as `withdrawals.approvals` demands, neither the owner of the account nor who created it. Otherwise the owner can; a credential then needs a code. Rows above `withdrawals.approveAbove` or beyond a limit become payouts that are held.
   *
   * @throws TillgateError `NOT_FOUND`, `VERIFY_CODE_INVALID`, `STATE_CONFLICT`, `INSUFFICIENT_BALANCE`.
   */
  approve(id: string, params?: PayoutBatchApproveParams): Promise<PayoutBatchDetail>;

  /**
   * Cancel a payout batch. Cancels a draft, or the rows of an approved batch that are not payouts yet; what was set aside for them is released. Rows that are payouts continue.
   *
   * @throws TillgateError `NOT_FOUND`, `STATE_CONFLICT`.
   */
  cancel(id: string): Promise<PayoutBatchDetail>;
}

/** The calls of payees. */
export interface PayeesCalls {
  /**
   * List payees. Returns the addresses that the account lists, newest first. The owner of the account may approve a payout batch whose rows all go to listed addresses. To read the next page, send `nextCursor` with the same filters.
   *
   * @throws TillgateError `NOT_FOUND`.
   */
  list(params?: PayeeListParams): Promise<PayeeList>;
  /** Iterates over the whole list and reads it page by page: `for await (const item of …)`. */
  all(params?: PayeeListParams): AsyncGenerator<Payee, void, undefined>;

  /**
   * Create a payee. Lists an address, which counts after the hold of a payout address. Only admins can list one for another account.
   *
   * @throws TillgateError `NOT_FOUND`, `UNSUPPORTED`, `STATE_CONFLICT`, `DESTINATION_UNPAYABLE`.
   */
  create(params: PayeeCreateParams & OfAccount): Promise<Payee>;

  /**
   * Remove a payee. Removes an address from the list. Payouts to it that were approved because it was listed, and are not signed yet, are held.
   *
   * @throws TillgateError `NOT_FOUND`.
   */
  remove(id: string): Promise<Payee>;
}

/** The calls of refunds. */
export interface RefundsCalls {
  /**
   * Refund an order. Refunds all that is left of the amount received, or a part of it: `amount`, `fiatAmount` or `surplus`. The network fee is taken from the refund. It goes to the address that the payer entered. With `to: "sender"` it goes to the single sender of the payment, if the payer entered no address. Do not use it for payments from an exchange: the sender is then an address of the exchange, and the payer receives nothing. An order can have several refunds, one after another, together never more than it received; it is REFUNDED once the refund that takes all that is left is final. A refund that needs approval is HELD until another person approves it.
   *
   * @throws TillgateError `NOT_FOUND`, `DESTINATION_UNPAYABLE`, `VERIFY_CODE_INVALID`, `STATE_CONFLICT`, `IDEMPOTENCY_MISMATCH`, `IDEMPOTENCY_RUNNING`, `INSUFFICIENT_BALANCE`, `NODE_FAILED`, `NOT_READY`.
   */
  create(params: RefundCreateParams, options?: InProcessOptions): Promise<Payout>;
}

/** The calls of pull payments. */
export interface PullPaymentsCalls {
  /**
   * List pull payments. Returns amounts that were promised, newest first. To read the next page, send `nextCursor` with the same filters.
   *
   * @throws TillgateError `NOT_FOUND`.
   */
  list(params?: PullPaymentListParams): Promise<PullPaymentList>;
  /** Iterates over the whole list and reads it page by page: `for await (const item of …)`. */
  all(params?: PullPaymentListParams): AsyncGenerator<PullPayment, void, undefined>;

  /**
   * Create a pull payment. Promises an amount to whoever has the URL of its claim page, who chooses the coin and the address. An amount in a coin is set aside from the balance now; an amount in a fiat currency is converted and set aside when it is claimed. With `order` it refunds a part of what an order received. An account can have at most 1000 that can still be claimed. A session needs a step-up.
   *
   * @throws TillgateError `NOT_FOUND`, `UNSUPPORTED`, `VERIFICATION_REQUIRED`, `VERIFY_CODE_INVALID`, `STATE_CONFLICT`, `INSUFFICIENT_BALANCE`, `IDEMPOTENCY_MISMATCH`, `IDEMPOTENCY_RUNNING`, `NOT_READY`.
   */
  create(params: PullPaymentCreateParams & OfAccount, options?: InProcessOptions): Promise<PullPayment>;

  /**
   * Retrieve a pull payment. Returns a pull payment. List what was claimed of it with `claims?pull_payment=…`.
   *
   * @throws TillgateError `NOT_FOUND`.
   */
  get(id: string): Promise<PullPayment>;

  /**
   * Reveal the claim page of a pull payment. Returns a pull payment with the URL of its claim page. Only its own account; a session needs a step-up.
   *
   * @throws TillgateError `NOT_FOUND`.
   */
  reveal(id: string): Promise<PullPayment>;

  /**
   * Archive a pull payment. Ends a pull payment: nothing more can be claimed, claims that wait for approval are rejected, and what is left returns to the balance. Payments under way go on.
   *
   * @throws TillgateError `NOT_FOUND`.
   */
  archive(id: string): Promise<PullPayment>;
}

/** The calls of claims. */
export interface ClaimsCalls {
  /**
   * List claims. Returns what payees have claimed of pull payments, newest first. Use `status=AWAITING_APPROVAL` for those that you have to decide about. To read the next page, send `nextCursor` with the same filters.
   *
   * @throws TillgateError `NOT_FOUND`.
   */
  list(params?: ClaimListParams): Promise<ClaimList>;
  /** Iterates over the whole list and reads it page by page: `for await (const item of …)`. */
  all(params?: ClaimListParams): AsyncGenerator<Claim, void, undefined>;

  /**
   * Retrieve a claim. Returns a claim with the state of its payment.
   *
   * @throws TillgateError `NOT_FOUND`.
   */
  get(id: string): Promise<Claim>;

  /**
   * Approve a claim. Pays a claim. Its address is not registered, so a claim that only its account has approved is paid after the delay of a new address; another admin, or as many as `withdrawals.approvals` demands, can approve it as well, and it is paid at once. A session needs a step-up, an API key a code of the second factor.
   *
   * @throws TillgateError `NOT_FOUND`, `STATE_CONFLICT`, `VERIFY_CODE_INVALID`, `AMOUNT_OUT_OF_RANGE`, `DESTINATION_UNPAYABLE`, `NOT_READY`, `NODE_FAILED`.
   */
  approve(id: string, params?: ClaimApproveParams): Promise<Claim>;

  /**
   * Reject a claim. Rejects a claim that waits for approval, or whose payment waits for `notBefore`. Its amount can be claimed again while the pull payment is active.
   *
   * @throws TillgateError `NOT_FOUND`, `STATE_CONFLICT`.
   */
  reject(id: string, params: ClaimRejectParams): Promise<Claim>;
}

/** The calls of deposits. */
export interface DepositsCalls {
  /** List unassigned deposits. Returns deposits that belong to no order, newest first. They wait until an operator assigns or returns them. Admins only. To read the next page, send `nextCursor` with the same filters. */
  list(params: DepositListParams): Promise<DepositList>;
  /** Iterates over the whole list and reads it page by page: `for await (const item of …)`. */
  all(params: DepositListParams): AsyncGenerator<Deposit, void, undefined>;
}

/** The calls of audit. */
export interface AuditCalls {
  /**
   * List audit log entries. Returns the actions on the account's records, newest first. Admins see all entries. To read the next page, send `nextCursor` with the same filters.
   *
   * @throws TillgateError `NOT_FOUND`.
   */
  list(params?: AuditListParams): Promise<AuditList>;
  /** Iterates over the whole list and reads it page by page: `for await (const item of …)`. */
  all(params?: AuditListParams): AsyncGenerator<AuditRow, void, undefined>;
}

/** What an application can call in process, for all accounts. */
export interface TillCalls {
  readonly service: ServiceCalls;
  readonly accounts: AccountsCalls;
  readonly apps: AppsCalls;
  readonly appKeys: AppKeysCalls;
  readonly gateways: GatewaysCalls;
  readonly credentials: CredentialsCalls;
  readonly callbacks: CallbacksCalls;
  readonly webhooks: WebhooksCalls;
  readonly links: LinksCalls;
  readonly alerts: AlertsCalls;
  readonly branding: BrandingCalls;
  readonly orders: OrdersCalls;
  readonly rates: RatesCalls;
  readonly transactions: TransactionsCalls;
  readonly ledger: LedgerCalls;
  readonly wallets: WalletsCalls;
  readonly payoutAddresses: PayoutAddressesCalls;
  readonly watchAddresses: WatchAddressesCalls;
  readonly payouts: PayoutsCalls;
  readonly payoutBatches: PayoutBatchesCalls;
  readonly payees: PayeesCalls;
  readonly refunds: RefundsCalls;
  readonly pullPayments: PullPaymentsCalls;
  readonly claims: ClaimsCalls;
  readonly deposits: DepositsCalls;
  readonly audit: AuditCalls;
}
