import type { Account } from '../access/index.ts';
import { raiseAlert } from '../notify/index.ts';
import type { AlertChannels } from '../notify/index.ts';
import type { Asset, CurrencyCode, Storage, TransferId } from '../kernel/index.ts';
import { parseUnits, present, TillgateError } from '../kernel/index.ts';
import { merchantAccount } from '../ledger/index.ts';
import type { Transfer } from './transfer.ts';
import type { WithdrawalSettings } from './withdrawal-settings.ts';
import type { WithdrawalView } from './withdrawal-view.ts';

/** @throws TillgateError `AMOUNT_OUT_OF_RANGE` */
export function checkLimits({ min, max }: WithdrawalSettings, { currency, decimals }: Asset, units: bigint): void {
  const [least, most] = [min.get(currency), max.get(currency)];
  const below = least !== undefined && units < present(parseUnits(least, decimals), `withdrawals.min of ${currency}`);
  const above = most !== undefined && units > present(parseUnits(most, decimals), `withdrawals.max of ${currency}`);
  if (!below && !above) return;
  const bounds = [least === undefined ? '' : `at least ${least}`, most === undefined ? '' : `at most ${most}`].filter(
    (bound) => bound !== '',
  );
  throw new TillgateError('AMOUNT_OUT_OF_RANGE', `A withdrawal of ${currency} must be ${bounds.join(' and ')}.`);
}

/**
 * The requested transfer, HELD above the amount that an operator must approve.
 *
 * @param former - what counts with it, so that one payment in parts needs the approval of the whole
 */
export function heldAbove<T extends Transfer>(
  { approveAbove }: Pick<WithdrawalSettings, 'approveAbove'>,
  { currency, decimals }: Asset,
  transfer: T,
  former = 0n,
): T {
  const threshold = approveAbove.get(currency);
  const held =
    threshold !== undefined &&
    transfer.units + former > present(parseUnits(threshold, decimals), `withdrawals.approveAbove of ${currency}`);
  return held ? { ...transfer, status: 'HELD', reason: 'Waits for an operator to approve it.' } : transfer;
}

/** Raises the alert about a held transfer, on which operators decide. */
export function alertHeld(channels: AlertChannels, { id, kind, reason }: Transfer): void {
  raiseAlert(channels, 'approval', `${kind} ${id}`, `A ${kind} is held until an operator approves it. ${reason ?? ''}`);
}

/** True when the account has passed business verification for a currency. */
export function isVerified({ verifiedCurrencies }: Account, currency: CurrencyCode): boolean {
  return verifiedCurrencies.some((covered) => covered === '*' || covered === currency);
}

/** @throws TillgateError `VERIFICATION_REQUIRED` */
export function requireVerified(account: Account, currency: CurrencyCode): void {
  if (isVerified(account, currency)) return;
  throw new TillgateError(
    'VERIFICATION_REQUIRED',
    `The account must pass business verification before ${currency} can be withdrawn.`,
  );
}

/** The error of a withdrawal that exceeds the balance. */
export function lacking({ currency }: Pick<Transfer, 'currency'>): TillgateError {
  return new TillgateError('INSUFFICIENT_BALANCE', `The available balance of ${currency} is less than the amount.`);
}

/** A stored withdrawal, and the remaining balance of its account. */
export async function readWithdrawal(
  { transfers, ledger }: Pick<Storage, 'transfers' | 'ledger'>,
  id: TransferId,
): Promise<{ readonly transfer: Transfer; readonly balance: bigint }> {
  const transfer = present(await transfers.find(id), `transfer ${id}`);
  const account = merchantAccount(present(transfer.accountId, `account of transfer ${id}`), 'available');
  const balance = (await ledger.balances(account)).find(({ currency }) => currency === transfer.currency)?.units ?? 0n;
  return { transfer, balance };
}

/** A withdrawal with what its merchant reads of it. */
export function withdrawalView(
  withdrawal: Transfer,
  asset: Asset,
  balance: bigint,
  txHash: string | null,
): WithdrawalView {
  return {
    withdrawal,
    accountId: present(withdrawal.accountId, `account of transfer ${withdrawal.id}`),
    asset,
    balance,
    txHash,
  };
}
