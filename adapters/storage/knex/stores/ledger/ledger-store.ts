import type {
  BookedPosting,
  LedgerBalance,
  LedgerBreach,
  LedgerCheckpoint,
  LedgerClosing,
  LedgerMonth,
  LedgerStore,
  Millis,
  MonthNote,
  PostingSearch,
  CheckpointRequest,
} from '../../../../../core/index.ts';
import type { Database } from '../../database.ts';
import { ledgerBalances, negativeMerchants } from './ledger-balances.ts';
import { driftedBalances, insolventCurrencies, unbalancedEntries } from './ledger-sums.ts';
import { driftedUnassigned, missingCallbacks, mismatchedDeposits } from './ledger-facts.ts';
import { checkpointLedger } from './ledger-checkpoint.ts';
import { closings } from './ledger-closings.ts';
import { closeMonth, openMonths, reopenMonth } from './month-moves.ts';
import { mismatchedTransfers } from './ledger-transfers.ts';
import { bookedPostingOf } from '../../rows/ledger-row.ts';
import { makePostingMonths } from './posting-months.ts';
import { postingSearchSql } from './posting-search.ts';

/** The ledger's cached balances and its invariants. */
export class SqlLedgerStore implements LedgerStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  balances(...prefixes: readonly string[]): Promise<readonly LedgerBalance[]> {
    return ledgerBalances(this.#db.read, this.#db.tables, prefixes);
  }

  async postings(search: PostingSearch): Promise<readonly BookedPosting[]> {
    const { sql, bindings } = postingSearchSql(this.#db.tables, search);
    return (await this.#db.read(sql, bindings)).map(bookedPostingOf);
  }

  checkpoint(request: CheckpointRequest): Promise<LedgerCheckpoint> {
    return checkpointLedger(this.#db, request);
  }

  makePostingMonths(now: Millis): Promise<readonly string[]> {
    return makePostingMonths(this.#db, now);
  }

  closings(): Promise<readonly LedgerClosing[]> {
    return closings(this.#db.read, this.#db);
  }

  openMonths(): Promise<readonly LedgerMonth[]> {
    return openMonths(this.#db);
  }

  closeMonth(month: string, note: MonthNote): Promise<LedgerClosing | null> {
    return closeMonth(this.#db, month, note);
  }

  reopenMonth(month: string, note: MonthNote): Promise<LedgerClosing> {
    return reopenMonth(this.#db, month, note);
  }

  unbalancedEntries(limit: number): Promise<readonly LedgerBreach[]> {
    return this.#db.survey((run) => unbalancedEntries(run, this.#db, limit));
  }

  driftedBalances(limit: number): Promise<readonly LedgerBreach[]> {
    return this.#db.survey((run) => driftedBalances(run, this.#db, limit));
  }

  negativeMerchants(limit: number): Promise<readonly LedgerBreach[]> {
    return negativeMerchants(this.#db.read, this.#db, limit);
  }

  insolventCurrencies(limit: number): Promise<readonly LedgerBreach[]> {
    return this.#db.survey((run) => insolventCurrencies(run, this.#db.tables, limit));
  }

  mismatchedDeposits(limit: number): Promise<readonly LedgerBreach[]> {
    return this.#db.survey((run) => mismatchedDeposits(run, this.#db.tables, limit));
  }

  driftedUnassigned(limit: number): Promise<readonly LedgerBreach[]> {
    return this.#db.survey((run) => driftedUnassigned(run, this.#db.tables, limit));
  }

  mismatchedTransfers(limit: number): Promise<readonly LedgerBreach[]> {
    return this.#db.survey((run) => mismatchedTransfers(run, this.#db.tables, limit));
  }

  missingCallbacks(limit: number): Promise<readonly LedgerBreach[]> {
    return this.#db.survey((run) => missingCallbacks(run, this.#db.tables, limit));
  }
}
