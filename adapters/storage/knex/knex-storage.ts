import type {
  AccountStore,
  CallbackStore,
  ChainStore,
  DepositStore,
  DocumentStore,
  LeaseStore,
  LedgerStore,
  OrderStore,
  Storage,
  Transaction,
} from '../../../core/index.ts';
import type { Database } from './database.ts';
import { migrate } from './migrations/migrate.ts';
import { KnexAccountStore } from './stores/account-store.ts';
import { KnexCallbackStore, KnexCallbackWrites } from './stores/callback-store.ts';
import { KnexChainStore, KnexChainWrites } from './stores/chain-store.ts';
import { KnexDepositStore } from './stores/deposit-store.ts';
import { KnexDepositWrites } from './stores/deposit-writes.ts';
import { KnexDocumentStore } from './stores/document-store.ts';
import { KnexLeaseStore, KnexLeaseWrites } from './stores/lease-store.ts';
import { KnexLedgerStore } from './stores/ledger-store.ts';
import { KnexLedgerWrites } from './stores/ledger-writes.ts';
import { KnexOrderStore } from './stores/order-store.ts';
import { KnexOrderWrites } from './stores/order-writes.ts';
import type { Session } from './session.ts';

const writesOf = (session: Session): Transaction => ({
  orders: new KnexOrderWrites(session),
  deposits: new KnexDepositWrites(session),
  ledger: new KnexLedgerWrites(session),
  callbacks: new KnexCallbackWrites(session),
  chains: new KnexChainWrites(session),
  leases: new KnexLeaseWrites(session),
});

/** The storage of the till in SQLite or PostgreSQL, made by `openStorage`. */
export class KnexStorage implements Storage {
  readonly accounts: AccountStore;
  readonly callbacks: CallbackStore;
  readonly chains: ChainStore;
  readonly deposits: DepositStore;
  readonly documents: DocumentStore;
  readonly leases: LeaseStore;
  readonly ledger: LedgerStore;
  readonly orders: OrderStore;
  readonly #db: Database;
  #closing: Promise<void> | null = null;

  constructor(db: Database) {
    this.#db = db;
    this.accounts = new KnexAccountStore(db);
    this.callbacks = new KnexCallbackStore(db);
    this.chains = new KnexChainStore(db);
    this.deposits = new KnexDepositStore(db);
    this.documents = new KnexDocumentStore(db);
    this.leases = new KnexLeaseStore(db);
    this.ledger = new KnexLedgerStore(db);
    this.orders = new KnexOrderStore(db);
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#db.transaction((session) => work(writesOf(session)));
  }

  async migrate(): Promise<void> {
    await migrate(this.#db);
  }

  async ping(): Promise<void> {
    await this.#db.read('SELECT 1 AS alive');
  }

  /** Words of damage in the database's file, for the operator; reads all of it. Empty for none, and on PostgreSQL. */
  integrity(): Promise<readonly string[]> {
    return this.#db.snapshot((run) => this.#db.dialect.integrity(run));
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#db.close());
  }
}
