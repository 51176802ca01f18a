import type { LedgerBreach, LedgerCheckpoint } from './ledger-store.ts';
import type { Storage } from '../kernel/index.ts';

/** At most this many breaches of one invariant are reported. */
const LIMIT = 100;

/**
 * Checks what was written since the last checkpoint, and writes the next one (core/decisions/ledger-checks.md): {@link checkLedger} of a
 * part, which takes seconds however much was checked before. With `full`, everything is read again, and what was
 * checked before is compared with its checkpoint.
 */
export function checkpointLedger(
  { ledger }: Pick<Storage, 'ledger'>,
  { full }: { readonly full: boolean },
): Promise<LedgerCheckpoint> {
  return ledger.checkpoint({ full, limit: LIMIT });
}

/**
 * Checks every invariant of the ledger: entries sum to zero, cached balances are the sums of their postings, no
 * merchant balance is negative, each chain holds what is owed, each credited deposit has exactly one live credit,
 * unassigned deposits are owed in full, each transfer has the entries of its status, each reserve is the sum of its
 * transfers, what is set aside is the sum of what is promised, each reference of a batch is paid once, each terminal
 * event has one callback row.
 *
 * @returns the breaches; empty when every invariant holds
 */
export async function checkLedger({ ledger }: Pick<Storage, 'ledger'>): Promise<readonly LedgerBreach[]> {
  const checks = [
    await ledger.unbalancedEntries(LIMIT),
    await ledger.driftedBalances(LIMIT),
    await ledger.negativeMerchants(LIMIT),
    await ledger.insolventCurrencies(LIMIT),
    await ledger.mismatchedDeposits(LIMIT),
    await ledger.driftedUnassigned(LIMIT),
    await ledger.mismatchedTransfers(LIMIT),
    await ledger.missingCallbacks(LIMIT),
  ];
  return checks.flat();
}
