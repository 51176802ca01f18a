import { owedUnits } from './deposit.ts';
import type { Deposit } from './deposit.ts';
import type { EntryId, Millis } from '../kernel/index.ts';
import { custodyAccount, LOSS_ACCOUNT, merchantAccount, unassignedAccount } from '../ledger/index.ts';
import type { LedgerEntry, MerchantBalance } from '../ledger/index.ts';

/**
 * Books a confirmed deposit that belongs to no order: the till owes it to its payer. An earlier loss of the deposit is
 * repaid first.
 */
export function unassignedCreditEntry(id: EntryId, at: Millis, deposit: Deposit, credit: number): LedgerEntry {
  const { chain, currency, units, lossUnits } = deposit;
  return {
    id,
    at,
    kind: 'deposit-credited',
    reference: `deposit:${deposit.id}:credit:${credit}`,
    postings: [
      { account: custodyAccount(chain), currency, units: -units },
      { account: LOSS_ACCOUNT, currency, units: lossUnits },
      { account: unassignedAccount(chain), currency, units: units - lossUnits },
    ],
  };
}

/**
 * The amount that a reversal of an unassigned deposit costs the loss account: the cost of failed returns, and the whole
 * deposit once a return cannot be stopped any more.
 */
export function unassignedLoss({ assignment, units, returnCostUnits }: Deposit): bigint {
  return assignment === 'UNASSIGNED' ? returnCostUnits : units;
}

/** Reverses the credit of an unassigned deposit because its block was removed by a reorganisation. */
export function unassignedReverseEntry(id: EntryId, at: Millis, deposit: Deposit, lossUnits: bigint): LedgerEntry {
  const { chain, currency, units } = deposit;
  return {
    id,
    at,
    kind: 'deposit-reversed',
    reference: `deposit:${deposit.id}:reverse:${deposit.credits}`,
    postings: [
      { account: custodyAccount(chain), currency, units },
      { account: LOSS_ACCOUNT, currency, units: -lossUnits },
      { account: unassignedAccount(chain), currency, units: lossUnits - units },
    ],
  };
}

/** Moves the owed part of a credited deposit to the balance of the merchant whose order it is assigned to. */
export function assignEntry(id: EntryId, at: Millis, deposit: Deposit, to: MerchantBalance): LedgerEntry {
  const { chain, currency, accountId } = deposit;
  const units = owedUnits(deposit);
  return {
    id,
    at,
    kind: 'deposit-assigned',
    reference: `deposit:${deposit.id}:assigned`,
    postings: [
      { account: unassignedAccount(chain), currency, units: -units },
      { account: merchantAccount(accountId, to), currency, units },
    ],
  };
}

/**
 * Settles the loss of a deposit that a reorganisation removed while it was being returned, because the return failed:
 * the till no longer owes it.
 */
export function keptEntry(id: EntryId, at: Millis, deposit: Deposit, transferId: string): LedgerEntry {
  const { chain, currency } = deposit;
  const units = owedUnits(deposit);
  return {
    id,
    at,
    kind: 'deposit-kept',
    reference: `deposit:${deposit.id}:kept:${transferId}`,
    postings: [
      { account: unassignedAccount(chain), currency, units: -units },
      { account: LOSS_ACCOUNT, currency, units },
    ],
  };
}
