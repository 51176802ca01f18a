import type { AccountStore, AccountWrites } from './account-store.ts';
import type { AlertStore, AlertWrites } from './alert-store.ts';
import type { AppStore, AppWrites } from './app-store.ts';
import type { AuditStore, AuditWrites } from './audit-store.ts';
import type { BrandingStore, BrandingWrites } from './branding-store.ts';
import type { CallbackStore, CallbackWrites } from './callback-store.ts';
import type { ChainStore, ChainWrites } from './chain-store.ts';
import type { ChangeFeed } from './change-feed.ts';
import type { EpochStore, EpochWrites } from './epoch-store.ts';
import type { ComparisonStore, ComparisonWrites } from './comparison-store.ts';
import type { DepositStore, DepositWrites } from './deposit-store.ts';
import type { LeaseStore, LeaseWrites } from './lease-store.ts';
import type { LightningStore, LightningWrites } from './lightning-store.ts';
import type { LinkStore, LinkWrites } from './link-store.ts';
import type { LedgerStore, LedgerWrites } from './ledger-store.ts';
import type { ManageStore, ManageWrites } from './manage-store.ts';
import type { NoticeStore, NoticeWrites } from './notice-store.ts';
import type { OrderStore, OrderWrites } from './order-store.ts';
import type { OverviewStore } from './overview-store.ts';
import type { PasskeyStore, PasskeyWrites } from './passkey-store.ts';
import type { PrepaidStore, PrepaidWrites } from './prepaid-store.ts';
import type { RouteStore, RouteWrites } from './route-store.ts';
import type { SealedStore } from './sealed-store.ts';
import type { SessionStore, SessionWrites } from './session-store.ts';
import type { UnconfirmedPaymentStore, UnconfirmedPaymentWrites } from './unconfirmed-payment-store.ts';
import { token } from './token.ts';
import type { TransferStore, TransferWrites } from './transfer-store.ts';
import type { SharedUseStore } from './shared-use-store.ts';
import type { UsageStore } from './usage-store.ts';
import type { WalletStore, WalletWrites } from './wallet-store.ts';
import type { WebhookStore, WebhookWrites } from './webhook-store.ts';

/** Everything that a transaction can write. */
export interface Transaction {
  readonly orders: OrderWrites;
  readonly comparisons: ComparisonWrites;
  readonly deposits: DepositWrites;
  readonly unconfirmedPayments: UnconfirmedPaymentWrites;
  readonly ledger: LedgerWrites;
  readonly callbacks: CallbackWrites;
  readonly chains: ChainWrites;
  readonly epochs: EpochWrites;
  readonly leases: LeaseWrites;
  readonly accounts: AccountWrites;
  readonly apps: AppWrites;
  readonly routes: RouteWrites;
  readonly audit: AuditWrites;
  readonly manage: ManageWrites;
  readonly passkeys: PasskeyWrites;
  readonly prepaid: PrepaidWrites;
  readonly sessions: SessionWrites;
  readonly transfers: TransferWrites;
  readonly lightning: LightningWrites;
  readonly links: LinkWrites;
  readonly wallets: WalletWrites;
  readonly webhooks: WebhookWrites;
  readonly alerts: AlertWrites;
  readonly notices: NoticeWrites;
  readonly branding: BrandingWrites;
}

/** Further writes of the same transaction, for the audit log. */
export type AlsoWrite<Result> = (tx: Transaction, result: Result) => Promise<void>;

/** A small versioned document of a plugin or of the host, by key. */
export interface DocumentStore {
  read(key: string): Promise<{ readonly value: string; readonly version: number } | null>;
  /** Writes the document if the stored version is `expectedVersion` (0 for none); false when it is not. */
  write(key: string, value: string, expectedVersion: number): Promise<boolean>;
}

/**
 * The only place where state is stored.
 *
 * Every method may throw TillgateError `NOT_READY` when the database is unavailable, full or shutting down; nothing was
 * written then.
 */
export interface Storage {
  readonly accounts: AccountStore;
  readonly apps: AppStore;
  readonly audit: AuditStore;
  readonly callbacks: CallbackStore;
  readonly chains: ChainStore;
  /** Comparisons of the balances of deposit addresses with the ledger. */
  readonly comparisons: ComparisonStore;
  readonly deposits: DepositStore;
  readonly documents: DocumentStore;
  /** Epochs of the database: a restored backup begins another one. */
  readonly epochs: EpochStore;
  /** Changes of the data that gateways keep in memory; every such write publishes here. */
  readonly feed: ChangeFeed;
  readonly leases: LeaseStore;
  readonly ledger: LedgerStore;
  readonly lightning: LightningStore;
  readonly links: LinkStore;
  /** Account data that only the management API uses. */
  readonly manage: ManageStore;
  readonly orders: OrderStore;
  readonly overview: OverviewStore;
  readonly passkeys: PasskeyStore;
  /** Purchases of gateway units by Apps. */
  readonly prepaid: PrepaidStore;
  readonly routes: RouteStore;
  /** Every secret that is stored encrypted. */
  readonly sealed: SealedStore;
  readonly sessions: SessionStore;
  readonly unconfirmedPayments: UnconfirmedPaymentStore;
  readonly transfers: TransferStore;
  /** Usage that instances share for the limits of Apps; `null` where only one instance may run. */
  readonly uses: SharedUseStore | null;
  /** Usage of the gateway by Apps. */
  readonly usage: UsageStore;
  readonly wallets: WalletStore;
  readonly webhooks: WebhookStore;
  readonly alerts: AlertStore;
  readonly notices: NoticeStore;
  /** How accounts are presented to payers. */
  readonly branding: BrandingStore;
  /**
   * Runs `work` in one serialised, durable transaction and commits it; an error rolls all of it back. A serialisation
   * failure or deadlock is retried from the start, so `work` must have no effect other than its writes.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** Migrates the schema; safe to call from several instances at once. */
  migrate(): Promise<void>;
  /** @throws TillgateError `NOT_READY` when the database does not answer. */
  ping(): Promise<void>;
  /**
   * Writes one row, always the same, about as large as a few orders. @throws TillgateError `NOT_READY` when the
   * database accepts no writes, such as on a full disk
   */
  probeWrite(): Promise<void>;
  /**
   * Checks that this release supports the database's schema; absent where the schema cannot change while it runs.
   *
   * @throws TillgateError `CONFIG_INVALID` when a newer release has migrated it
   */
  checkSchema?(): Promise<void>;
  close(): Promise<void>;
}

export const STORAGE = token<Storage>('Storage');
