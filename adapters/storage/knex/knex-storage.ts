import type {
  AccountChanges,
  AccountId,
  AccountStore,
  AlertStore,
  AppStore,
  AuditStore,
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
  ManageStore,
  NoticeStore,
  OrderStore,
  OverviewStore,
  RouteStore,
  SealedStore,
  PasskeyStore,
  PrepaidStore,
  SessionStore,
  BrandingStore,
  UnconfirmedPaymentStore,
  Storage,
  Transaction,
  TransferStore,
  SharedUseStore,
  UsageStore,
  WalletStore,
  WebhookStore,
} from '../../../core/index.ts';
import type { Database } from './database.ts';
import { migrate, refuseNewerSchema } from './migrations/migrate.ts';
import { ChangePublisher } from './change-publisher.ts';
import { KnexAccountStore, KnexAccountWrites } from './stores/account-store.ts';
import { KnexAlertStore, KnexAlertWrites } from './stores/alert-store.ts';
import { KnexAppStore } from './stores/app-store.ts';
import { KnexAppWrites } from './stores/app-writes.ts';
import { KnexAuditStore, KnexAuditWrites } from './stores/audit-store.ts';
import { KnexCallbackStore, KnexCallbackWrites } from './stores/callback-store.ts';
import { KnexChainStore, KnexChainWrites } from './stores/chain-store.ts';
import { KnexComparisonStore, KnexComparisonWrites } from './stores/comparison-store.ts';
import { KnexChangeFeed } from './stores/change-feed.ts';
import { KnexDepositStore } from './stores/deposit-store.ts';
import { KnexDepositWrites } from './stores/deposit-writes.ts';
import { KnexDocumentStore } from './stores/document-store.ts';
import { KnexEpochStore, KnexEpochWrites } from './stores/epoch-store.ts';
import { KnexLeaseStore, KnexLeaseWrites } from './stores/lease-store.ts';
import { KnexLedgerStore } from './stores/ledger-store.ts';
import { KnexLedgerWrites } from './stores/ledger-writes.ts';
import { KnexLightningStore, KnexLightningWrites } from './stores/lightning-store.ts';
import { KnexManageStore } from './stores/manage-store.ts';
import { KnexManageWrites } from './stores/manage-writes.ts';
import { KnexNoticeStore, KnexNoticeWrites } from './stores/notice-store.ts';
import { KnexOrderStore } from './stores/order-store.ts';
import { KnexOrderWrites } from './stores/order-writes.ts';
import { KnexRouteStore, KnexRouteWrites } from './stores/route-store.ts';
import { KnexSealedStore } from './stores/sealed-store.ts';
import { KnexOverviewStore } from './stores/overview-store.ts';
import { KnexPasskeyStore, KnexPasskeyWrites } from './stores/passkey-store.ts';
import { KnexPrepaidStore, KnexPrepaidWrites } from './stores/prepaid-store.ts';
import { KnexSessionStore, KnexSessionWrites } from './stores/session-store.ts';
import { KnexBrandingStore, KnexBrandingWrites } from './stores/branding-store.ts';
import { KnexUnconfirmedPaymentStore, KnexUnconfirmedPaymentWrites } from './stores/unconfirmed-payment-store.ts';
import { KnexTransferStore } from './stores/transfer-store.ts';
import { KnexTransferWrites } from './stores/transfer-writes.ts';
import { KnexSharedUseStore } from './stores/shared-use-store.ts';
import { KnexUsageStore } from './stores/usage-store.ts';
import { KnexWalletStore, KnexWalletWrites } from './stores/wallet-store.ts';
import { KnexLinkStore, KnexLinkWrites } from './stores/link-store.ts';
import { KnexWebhookStore, KnexWebhookWrites } from './stores/webhook-store.ts';
import { makeFirstMonths } from './stores/posting-months.ts';
import type { Session } from './session.ts';

const writesOf = (session: Session, publisher: ChangePublisher, audit: KnexAuditWrites): Transaction => ({
  orders: new KnexOrderWrites(session),
  deposits: new KnexDepositWrites(session),
  unconfirmedPayments: new KnexUnconfirmedPaymentWrites(session),
  ledger: new KnexLedgerWrites(session),
  lightning: new KnexLightningWrites(session),
  links: new KnexLinkWrites(session),
  callbacks: new KnexCallbackWrites(session),
  chains: new KnexChainWrites(session),
  comparisons: new KnexComparisonWrites(session),
  epochs: new KnexEpochWrites(session),
  leases: new KnexLeaseWrites(session),
  accounts: new KnexAccountWrites(session, publisher),
  apps: new KnexAppWrites(session, publisher),
  routes: new KnexRouteWrites(session, publisher),
  audit,
  manage: new KnexManageWrites(session),
  passkeys: new KnexPasskeyWrites(session),
  prepaid: new KnexPrepaidWrites(session, publisher),
  sessions: new KnexSessionWrites(session),
  transfers: new KnexTransferWrites(session),
  wallets: new KnexWalletWrites(session),
  webhooks: new KnexWebhookWrites(session),
  alerts: new KnexAlertWrites(session),
  notices: new KnexNoticeWrites(session),
  branding: new KnexBrandingWrites(session),
});

/**
 * The size of a few orders: a disk that is nearly full still has room for a row of a few bytes. PostgreSQL stores it
 * compressed.
 */
const PROBE_ROOM = 'x'.repeat(64 * 1024);

/** The storage of the till in SQLite or PostgreSQL, made by `openStorage`. */
export class KnexStorage implements Storage {
  readonly accounts: AccountStore;
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
  readonly manage: ManageStore;
  readonly orders: OrderStore;
  readonly overview: OverviewStore;
  readonly routes: RouteStore;
  readonly sealed: SealedStore;
  readonly passkeys: PasskeyStore;
  readonly prepaid: PrepaidStore;
  readonly sessions: SessionStore;
  readonly unconfirmedPayments: UnconfirmedPaymentStore;
  readonly transfers: TransferStore;
  readonly uses: SharedUseStore | null;
  readonly usage: UsageStore;
  readonly wallets: WalletStore;
  readonly webhooks: WebhookStore;
  readonly alerts: AlertStore;
  readonly notices: NoticeStore;
  readonly branding: BrandingStore;
  readonly #db: Database;
  readonly #feed: KnexChangeFeed;
  #closing: Promise<void> | null = null;

  constructor(db: Database) {
    this.#db = db;
    this.#feed = new KnexChangeFeed(db);
    this.feed = this.#feed;
    this.accounts = new KnexAccountStore(db, (id, changes) => this.#changeAccount(id, changes));
    this.apps = new KnexAppStore(db);
    this.audit = new KnexAuditStore(db);
    this.manage = new KnexManageStore(db);
    this.sealed = new KnexSealedStore(db);
    this.passkeys = new KnexPasskeyStore(db);
    this.prepaid = new KnexPrepaidStore(db);
    this.sessions = new KnexSessionStore(db);
    this.routes = new KnexRouteStore(db);
    this.callbacks = new KnexCallbackStore(db);
    this.chains = new KnexChainStore(db);
    this.comparisons = new KnexComparisonStore(db);
    this.deposits = new KnexDepositStore(db);
    this.documents = new KnexDocumentStore(db);
    this.epochs = new KnexEpochStore(db);
    this.leases = new KnexLeaseStore(db);
    this.ledger = new KnexLedgerStore(db);
    this.lightning = new KnexLightningStore(db);
    this.links = new KnexLinkStore(db);
    this.orders = new KnexOrderStore(db);
    this.overview = new KnexOverviewStore(db);
    this.unconfirmedPayments = new KnexUnconfirmedPaymentStore(db);
    this.transfers = new KnexTransferStore(db);
    this.uses = db.dialect.manyServers ? new KnexSharedUseStore(db) : null;
    this.usage = new KnexUsageStore(db);
    this.wallets = new KnexWalletStore(db);
    this.webhooks = new KnexWebhookStore(db);
    this.alerts = new KnexAlertStore(db);
    this.notices = new KnexNoticeStore(db);
    this.branding = new KnexBrandingStore(db);
  }

  /** A transaction writes its audit rows and its gateway changes last: each kind has one row that all instances lock. */
  async transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const { result, published } = await this.#db.transaction(async (session) => {
      const [publisher, audit] = [new ChangePublisher(session), new KnexAuditWrites(session)];
      const done = await work(writesOf(session, publisher, audit));
      await audit.write();
      return { result: done, published: await publisher.write() };
    });
    if (published) this.#feed.notify();
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
