import type {
  AccountChanges,
  AccountId,
  AccountStore,
  AlertStore,
  AppStore,
  AuditStore,
  CacheStore,
  CallbackStore,
  ChangeFeed,
  ChainStore,
  ComparisonStore,
  DepositStore,
  DocumentStore,
  EpochStore,
  LeaseStore,
  LedgerStore,
  LightningStore,
  LinkStore,
  ShopOrderStore,
  ManageStore,
  NoticeStore,
  OrderStore,
  OverviewStore,
  RouteStore,
  SealedStore,
  PasskeyStore,
  PayeeStore,
  PayoutBatchStore,
  PrepaidStore,
  PullPaymentStore,
  SessionStore,
  BrandingStore,
  UnconfirmedPaymentStore,
  EventDispatcher,
  RecordedEvent,
  Recorder,
  Storage,
  Transaction,
  TransferStore,
  SharedUseStore,
  ShownBlockStore,
  UsageStore,
  WalletStore,
  WebhookStore,
} from '../../../core/index.ts';
import type { Database } from './database.ts';
import { migrate, refuseNewerSchema } from './migrations/migrate.ts';
import { Dispatching } from './commit-events.ts';
import { ChangePublisher } from './change-publisher.ts';
import { SqlAccountStore, SqlAccountWrites } from './stores/access/account-store.ts';
import { SqlAlertStore, SqlAlertWrites } from './stores/notify/alert-store.ts';
import { SqlAnswerStore } from './stores/gateway/answer-store.ts';
import { SqlAppStore } from './stores/gateway/app-store.ts';
import { SqlAppWrites } from './stores/gateway/app-writes.ts';
import { SqlAuditStore } from './stores/access/audit-store.ts';
import { SqlCallbackStore, SqlCallbackWrites } from './stores/notify/callback-store.ts';
import { SqlChainStore, SqlChainWrites } from './stores/chain/chain-store.ts';
import { SqlComparisonStore, SqlComparisonWrites } from './stores/deposits/comparison-store.ts';
import { SqlChangeFeed } from './stores/gateway/change-feed.ts';
import { SqlDepositStore } from './stores/chain/deposit-store.ts';
import { SqlDepositWrites } from './stores/chain/deposit-writes.ts';
import { SqlDocumentStore, SqlDocumentWrites } from './stores/kernel/document-store.ts';
import { SqlEpochStore, SqlEpochWrites } from './stores/payouts/epoch-store.ts';
import { SqlLeaseStore, SqlLeaseWrites } from './stores/kernel/lease-store.ts';
import { SqlLedgerStore } from './stores/ledger/ledger-store.ts';
import { SqlLedgerWrites } from './stores/ledger/ledger-writes.ts';
import { SqlLightningStore, SqlLightningWrites } from './stores/payouts/lightning-store.ts';
import { SqlManageStore } from './stores/access/manage-store.ts';
import { SqlManageWrites } from './stores/access/manage-writes.ts';
import { SqlNoticeStore, SqlNoticeWrites } from './stores/notify/notice-store.ts';
import { SqlOrderStore } from './stores/orders/order-store.ts';
import { SqlOrderWrites } from './stores/orders/order-writes.ts';
import { SqlRouteStore, SqlRouteWrites } from './stores/gateway/route-store.ts';
import { SqlSealedStore } from './stores/kernel/sealed-store.ts';
import { SqlOverviewStore } from './stores/orders/overview-store.ts';
import { SqlPasskeyStore, SqlPasskeyWrites } from './stores/access/passkey-store.ts';
import { SqlPrepaidStore, SqlPrepaidWrites } from './stores/gateway/prepaid-store.ts';
import { SqlPullPaymentStore, SqlPullPaymentWrites } from './stores/payouts/pull-payment-store.ts';
import { SqlSessionStore, SqlSessionWrites } from './stores/access/session-store.ts';
import { SqlBrandingStore, SqlBrandingWrites } from './stores/orders/branding-store.ts';
import { SqlUnconfirmedPaymentStore, SqlUnconfirmedPaymentWrites } from './stores/chain/unconfirmed-payment-store.ts';
import { SqlPayeeStore, SqlPayeeWrites } from './stores/payouts/payee-store.ts';
import { SqlPayoutBatchStore, SqlPayoutBatchWrites } from './stores/payouts/batch-store.ts';
import { SqlTransferStore } from './stores/payouts/transfer-store.ts';
import { SqlTransferWrites } from './stores/payouts/transfer-writes.ts';
import { SqlSharedUseStore } from './stores/gateway/shared-use-store.ts';
import { SqlShownBlockStore } from './stores/gateway/shown-block-store.ts';
import { SqlUsageStore } from './stores/gateway/usage-store.ts';
import { SqlWalletStore, SqlWalletWrites } from './stores/payouts/wallet-store.ts';
import { SqlLinkStore, SqlLinkWrites } from './stores/orders/link-store.ts';
import { SqlShopOrderStore, SqlShopOrderWrites } from './stores/orders/shop-order-store.ts';
import { SqlWebhookStore, SqlWebhookWrites } from './stores/notify/webhook-store.ts';
import { makeFirstMonths } from './stores/ledger/posting-months.ts';
import type { Session } from './session.ts';

const writesOf = (session: Session, publisher: ChangePublisher, record: Recorder): Transaction => ({
  record,
  orders: new SqlOrderWrites(session),
  deposits: new SqlDepositWrites(session, record),
  unconfirmedPayments: new SqlUnconfirmedPaymentWrites(session),
  ledger: new SqlLedgerWrites(session),
  lightning: new SqlLightningWrites(session),
  links: new SqlLinkWrites(session),
  shopOrders: new SqlShopOrderWrites(session),
  callbacks: new SqlCallbackWrites(session),
  chains: new SqlChainWrites(session),
  comparisons: new SqlComparisonWrites(session),
  documents: new SqlDocumentWrites(session),
  epochs: new SqlEpochWrites(session, record),
  leases: new SqlLeaseWrites(session),
  accounts: new SqlAccountWrites(session, publisher),
  apps: new SqlAppWrites(session, publisher),
  routes: new SqlRouteWrites(session, publisher),
  manage: new SqlManageWrites(session),
  passkeys: new SqlPasskeyWrites(session),
  payees: new SqlPayeeWrites(session),
  batches: new SqlPayoutBatchWrites(session),
  prepaid: new SqlPrepaidWrites(session, publisher),
  pullPayments: new SqlPullPaymentWrites(session, record),
  sessions: new SqlSessionWrites(session),
  transfers: new SqlTransferWrites(session, record),
  wallets: new SqlWalletWrites(session),
  webhooks: new SqlWebhookWrites(session),
  alerts: new SqlAlertWrites(session, record),
  notices: new SqlNoticeWrites(session),
  branding: new SqlBrandingWrites(session),
});

/**
 * The size of a few orders: a disk that is nearly full still has room for a row of a few bytes. PostgreSQL stores it
 * compressed.
 */
const PROBE_ROOM = 'x'.repeat(64 * 1024);

/** The storage of the till in SQLite or PostgreSQL, made by `openStorage`. */
export class SqlStorage implements Storage {
  readonly accounts: AccountStore;
  readonly answers: CacheStore | null;
  readonly apps: AppStore;
  readonly audit: AuditStore;
  readonly callbacks: CallbackStore;
  readonly chains: ChainStore;
  readonly comparisons: ComparisonStore;
  readonly deposits: DepositStore;
  readonly documents: DocumentStore;
  readonly epochs: EpochStore;
  readonly feed: ChangeFeed;
  readonly leases: LeaseStore;
  readonly ledger: LedgerStore;
  readonly lightning: LightningStore;
  readonly links: LinkStore;
  readonly shopOrders: ShopOrderStore;
  readonly manage: ManageStore;
  readonly orders: OrderStore;
  readonly overview: OverviewStore;
  readonly routes: RouteStore;
  readonly sealed: SealedStore;
  readonly passkeys: PasskeyStore;
  readonly payees: PayeeStore;
  readonly batches: PayoutBatchStore;
  readonly prepaid: PrepaidStore;
  readonly pullPayments: PullPaymentStore;
  readonly sessions: SessionStore;
  readonly unconfirmedPayments: UnconfirmedPaymentStore;
  readonly transfers: TransferStore;
  readonly uses: SharedUseStore | null;
  readonly shownBlocks: ShownBlockStore | null;
  readonly usage: UsageStore;
  readonly wallets: WalletStore;
  readonly webhooks: WebhookStore;
  readonly alerts: AlertStore;
  readonly notices: NoticeStore;
  readonly branding: BrandingStore;
  readonly #db: Database;
  readonly #feed: SqlChangeFeed;
  readonly #dispatching = new Dispatching();
  #closing: Promise<void> | null = null;

  constructor(db: Database) {
    this.#db = db;
    const reports = this.#dispatching.reports(() => this);
    this.#feed = new SqlChangeFeed(db);
    this.feed = this.#feed;
    this.accounts = new SqlAccountStore(db, (id, changes) => this.#changeAccount(id, changes));
    this.answers = db.dialect.manyServers ? new SqlAnswerStore(db) : null;
    this.apps = new SqlAppStore(db);
    this.audit = new SqlAuditStore(db);
    this.manage = new SqlManageStore(db);
    this.sealed = new SqlSealedStore(db);
    this.passkeys = new SqlPasskeyStore(db);
    this.payees = new SqlPayeeStore(db);
    this.batches = new SqlPayoutBatchStore(db);
    this.prepaid = new SqlPrepaidStore(db);
    this.pullPayments = new SqlPullPaymentStore(db);
    this.sessions = new SqlSessionStore(db);
    this.routes = new SqlRouteStore(db);
    this.callbacks = new SqlCallbackStore(db);
    this.chains = new SqlChainStore(db);
    this.comparisons = new SqlComparisonStore(db);
    this.deposits = new SqlDepositStore(db);
    this.documents = new SqlDocumentStore(db);
    this.epochs = new SqlEpochStore(db);
    this.leases = new SqlLeaseStore(db);
    this.ledger = new SqlLedgerStore(db);
    this.lightning = new SqlLightningStore(db);
    this.links = new SqlLinkStore(db);
    this.shopOrders = new SqlShopOrderStore(db);
    this.orders = new SqlOrderStore(db, reports);
    this.overview = new SqlOverviewStore(db);
    this.unconfirmedPayments = new SqlUnconfirmedPaymentStore(db);
    this.transfers = new SqlTransferStore(db, reports);
    this.uses = db.dialect.manyServers ? new SqlSharedUseStore(db) : null;
    this.shownBlocks = db.dialect.manyServers ? new SqlShownBlockStore(db) : null;
    this.usage = new SqlUsageStore(db);
    this.wallets = new SqlWalletStore(db);
    this.webhooks = new SqlWebhookStore(db);
    this.alerts = new SqlAlertStore(db);
    this.notices = new SqlNoticeStore(db);
    this.branding = new SqlBrandingStore(db);
  }

  dispatchTo(dispatcher: EventDispatcher): void {
    this.#dispatching.set(dispatcher);
  }

  /** A transaction writes its audit rows and its gateway changes last: each kind has one row that all instances lock. */
  async transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const { result, rows, published } = await this.#db.transaction(async (session) => {
      const publisher = new ChangePublisher(session);
      const events: RecordedEvent[] = [];
      const tx = writesOf(session, publisher, (event) => void events.push(event));
      const done = await work(tx);
      const written = await this.#dispatching.write(session, tx, events);
      return { result: done, rows: written, published: await publisher.write() };
    });
    if (published) this.#feed.notify();
    if (rows !== null) this.#dispatching.get().announce(rows);
    return result;
  }

  async migrate(): Promise<void> {
    await migrate(this.#db);
    await makeFirstMonths(this.#db);
  }

  checkSchema(): Promise<void> {
    return refuseNewerSchema(this.#db);
  }

  async ping(): Promise<void> {
    await this.#db.read('SELECT 1 AS alive');
  }

  async probeWrite(): Promise<void> {
    const { tables, dialect } = this.#db;
    await this.#db.write(
      `INSERT INTO ${tables.writeProbes} (name, written_at, room) VALUES ('readiness', ${dialect.nowMs}, ?)
       ON CONFLICT (name) DO UPDATE SET written_at = excluded.written_at, room = excluded.room`,
      [PROBE_ROOM],
    );
  }

  /** Damage found in the database file, for the operator; reads the whole file. Empty for none, and on PostgreSQL. */
  integrity(): Promise<readonly string[]> {
    return this.#db.survey((run) => this.#db.dialect.integrity(run));
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#feed.close().then(() => this.#db.close()));
  }

  /** Returns only when every gateway has applied a change of the account's status. */
  async #changeAccount(id: AccountId, changes: AccountChanges): Promise<boolean> {
    const changed = await this.transaction((tx) => tx.accounts.update(id, changes));
    if (changed) await this.feed.settled();
    return changed;
  }
}
