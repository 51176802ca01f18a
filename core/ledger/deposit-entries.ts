import type { Deposit } from '../deposits/deposit.ts';
import { assert } from '../kernel/guard.ts';
import type { Millis } from '../kernel/time.ts';
import type { EntryId } from '../kernel/ids.ts';
import { custodyAccount, LOSS_ACCOUNT, merchantAccount } from './entry.ts';
import type { LedgerEntry, MerchantBalance } from './entry.ts';

/**
 * A confirmed deposit: the chain holds it for the till, the merchant is owed it. What an earlier reversal cost the loss
 * account is made good first.
 */
export function creditEntry(id: EntryId, at: Millis, deposit: Deposit, credit: number): LedgerEntry {
  const { currency, units, lossUnits } = deposit;
  return {
    id,
    at,
    kind: 'deposit-credited',
    reference: `deposit:${deposit.id}:credit:${credit}`,
    postings: [
      { account: custodyAccount(deposit.chain), currency, units: -units },
      { account: LOSS_ACCOUNT, currency, units: lossUnits },
      { account: merchantAccount(deposit.accountId, 'pending'), currency, units: units - lossUnits },
    ],
  };
}

/**
 * A deposit deep enough to be spent: from pending to available. `null` when its credit went to the loss account
 * altogether, so that nothing of it is pending.
 */
export function spendableEntry(id: EntryId, at: Millis, deposit: Deposit): LedgerEntry | null {
  const { currency, accountId } = deposit;
  const units = deposit.units - deposit.lossUnits;
  if (units === 0n) return null;
  return {
    id,
    at,
    kind: 'deposit-matured',
    reference: `deposit:${deposit.id}:mature:${deposit.credits}`,
    postings: [
      { account: merchantAccount(accountId, 'pending'), currency, units: -units },
      { account: merchantAccount(accountId, 'available'), currency, units },
    ],
  };
}

/** Which part of the merchant's balance holds a credited deposit. */
export function balanceOf(deposit: Deposit): MerchantBalance {
  assert(deposit.status === 'CREDITED' || deposit.status === 'SPENDABLE', `deposit ${deposit.id} is ${deposit.status}`);
  return deposit.status === 'CREDITED' ? 'pending' : 'available';
}

/**
 * What a reversal costs the loss account: a pending credit is still there as it was booked; of a spendable one the
 * merchant gives back what is available.
 */
export function reversalLoss(deposit: Deposit, available: bigint): bigint {
  if (deposit.status === 'CREDITED') return deposit.lossUnits;
  return available >= deposit.units ? 0n : deposit.units - available;
}

/**
 * A credit taken back because the deposit's block is gone. The merchant gives back what it still has; the loss account
 * bears the rest.
 *
 * @param lossUnits - what the loss account bears of this deposit after the reversal
 */
export function reverseEntry(id: EntryId, at: Millis, deposit: Deposit, lossUnits: bigint): LedgerEntry {
  const { currency, accountId, units } = deposit;
  return {
    id,
    at,
    kind: 'deposit-reversed',
    reference: `deposit:${deposit.id}:reverse:${deposit.credits}`,
    postings: [
      { account: custodyAccount(deposit.chain), currency, units },
      { account: LOSS_ACCOUNT, currency, units: -lossUnits },
      { account: merchantAccount(accountId, balanceOf(deposit)), currency, units: lossUnits - units },
    ],
  };
}
