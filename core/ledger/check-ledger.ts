import type { LedgerBreach } from '../ports/ledger-store.ts';
import type { Storage } from '../ports/storage.ts';

/** The most breaches of one invariant that a check reports. */
const LIMIT = 100;

/**
 * Checks every invariant of the books: entries sum to zero, cached balances are the sums of their postings, no merchant
 * is below zero, each credited deposit has exactly one live credit, each transfer exactly the entries of its end and each
 * reserve its transfers, each terminal event its one callback row.
 *
 * @returns what is broken; empty when all holds
 */
export async function checkLedger({ ledger }: Pick<Storage, 'ledger'>): Promise<readonly LedgerBreach[]> {
  const checks = [
    await ledger.unbalancedEntries(LIMIT),
    await ledger.driftedBalances(LIMIT),
    await ledger.negativeMerchants(LIMIT),
    await ledger.mismatchedDeposits(LIMIT),
    await ledger.mismatchedTransfers(LIMIT),
    await ledger.missingCallbacks(LIMIT),
  ];
  return checks.flat();
}
