import { owedUnits } from './deposit.ts';
import type { Deposit } from './deposit.ts';
import { assert } from '../kernel/index.ts';
import type { EntryId, Millis } from '../kernel/index.ts';
import { custodyAccount, LOSS_ACCOUNT, merchantAccount } from '../ledger/index.ts';
import type { LedgerEntry, MerchantBalance } from '../ledger/index.ts';

/**
 * Credits a confirmed deposit: the chain holds it for the till, and the till owes it to the merchant. A loss from an
 * earlier reversal of this deposit is repaid first.
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
 * Makes a deposit spendable: moves it from pending to available. `null` when its whole credit repaid the loss account,
 * so that nothing is pending.
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

/** The merchant's balance that contains a credited deposit. */
export function balanceOf(deposit: Deposit): MerchantBalance {
  assert(deposit.status === 'CREDITED' || deposit.status === 'SPENDABLE', `deposit ${deposit.id} is ${deposit.status}`);
  return deposit.status === 'CREDITED' ? 'pending' : 'available';
}

/**
 * The amount that a reversal costs the loss account. A pending credit can be reversed in full, a spendable one only as
 * far as the merchant's available balance covers it. The loss account also bears what was spent of the deposit before
 * it was assigned, because the merchant never got that.
 */
export function reversalLoss(deposit: Deposit, available: bigint): bigint {
  if (deposit.status === 'CREDITED') return deposit.lossUnits;
  return available >= owedUnits(deposit) ? deposit.returnCostUnits : deposit.units - available;
}

/**
 * Reverses a credit because the deposit's block was removed by a reorganisation. The merchant's balance pays what it
 * can, the loss account the rest.
 *
 * @param lossUnits - this deposit's loss after the reversal
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
