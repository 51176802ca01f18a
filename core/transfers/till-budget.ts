import type { CurrencyCode } from '../kernel/asset.ts';
import { formatUnits, parseUnits } from '../kernel/decimal.ts';
import { present } from '../kernel/guard.ts';
import { ownAccountNames, ownAccounts } from '../ledger/solvency.ts';
import type { ChainAdapter } from '../ports/chain-adapter.ts';
import type { Storage } from '../ports/storage.ts';
import type { LiveTransfer } from '../ports/transfer-store.ts';
import type { PayingChain } from './payout-deps.ts';
import { isOwnMove } from './transfer.ts';
import type { Transfer } from './transfer.ts';

/** How far `fees:network` may fall below zero, as a plain decimal by the chain's own coin. */
export type FeeBudgets = ReadonlyMap<CurrencyCode, string>;

/** A waiting payment pays at most half of what it may be charged for sweeps; the other half is for its own fee. */
const SWEEP_SHARE = 2n;

const isSigned = ({ status }: LiveTransfer): boolean => status === 'SIGNED' || status === 'BROADCAST';

/**
 * What the till may spend of its own on the network's fees, in units of the chain's coin: sweeps, gas, token payments. It never
 * spends merchants' coins: what the chain holds stays at least what is owed.
 */
export class TillBudget {
  /** What is left of the till's own once everything that is signed has cost the most that it can. */
  #free: bigint;
  /** The same without the part of the float that covers losses; below zero it is what payments have to make good. */
  #fees: bigint;
  /** How much more the network's fees may cost; `null` for no limit but the till's own. */
  #left: bigint | null;
  /** What waiting native payments can pay for sweeps. */
  #allowance: bigint;

  private constructor(free: bigint, fees: bigint, left: bigint | null, allowance: bigint) {
    this.#free = free;
    this.#fees = fees;
    this.#left = left;
    this.#allowance = allowance;
  }

  static async open(
    { code, payments }: Pick<PayingChain, 'code' | 'payments'>,
    { transfers }: Pick<Storage, 'transfers'>,
    budgets: FeeBudgets = new Map(),
  ): Promise<TillBudget> {
    const { currency, decimals } = payments.feeAsset;
    const { balances, inFlight, live } = await transfers.position(code, ownAccountNames(code));
    const { fees, loss, operator, gas } = ownAccounts(code, balances)(currency);
    const native = live.filter((transfer) => transfer.isMerchants && transfer.currency === currency);
    let pending = total(live, (transfer) => transfer.kind === 'gas' && isSigned(transfer), 'units');
    pending -= total(native, isSigned, 'feeUnits');
    // A token's sweep pays with gas that is booked at its address already.
    for (const { sourceAddress, currency: moved, nativeFeeUnits } of inFlight)
      if (sourceAddress === payments.hotAddress || moved === currency) pending += nativeFeeUnits;
    const most = budgets.get(currency);
    return new TillBudget(
      fees + loss + operator + gas - pending,
      fees + gas + (operator + loss > 0n ? operator + loss : 0n) - pending,
      most === undefined ? null : present(parseUnits(most, decimals), 'sweeps.feeBudget') + fees - pending,
      total(native, ({ status }) => status === 'REQUESTED', 'maxFeeUnits') / SWEEP_SHARE,
    );
  }

  /** What is missing before the till can pay this much; 0 when it can. */
  lacking(units: bigint): bigint {
    return units > this.#free ? units - this.#free : 0n;
  }

  /** True when the till has this much of its own and the limit of its fees allows it. */
  covers(units: bigint): boolean {
    return units <= this.#free && (this.#left === null || units <= this.#left);
  }

  /** Counts a cost of the till; negative for a fee that is charged. */
  spend(units: bigint): void {
    this.#free -= units;
    this.#fees -= units;
    if (this.#left !== null) this.#left -= units;
  }

  /** True when the payments that wait can be charged for this sweep beside those before it. */
  canAdvance(units: bigint): boolean {
    return units <= this.#allowance - this.deficit;
  }

  /** Counts a planned sweep that waiting payments will be charged for. */
  advance(units: bigint): void {
    this.#allowance -= units;
  }

  /**
   * What a payment of the chain's coin has to add for sweeps that were made for waiting payments: as much as it was told, and
   * beyond that only what no other one that waits can pay.
   *
   * @param ownFee - the fee of its own transaction
   */
  sweepCharge({ feeUnits, maxFeeUnits }: Transfer, ownFee: bigint): bigint {
    const deficit = this.deficit;
    const told = feeUnits > ownFee ? feeUnits - ownFee : 0n;
    if (deficit <= told) return deficit;
    const others = this.#allowance - maxFeeUnits / SWEEP_SHARE;
    const rest = deficit - told - (others > 0n ? others : 0n);
    return told + (rest > 0n ? rest : 0n);
  }

  /** A waiting payment is signed: it pays for no further sweep. */
  settle({ maxFeeUnits }: Transfer): void {
    this.#allowance -= maxFeeUnits / SWEEP_SHARE;
  }

  /** What sweeps for waiting payments have cost and nobody was charged yet. */
  get deficit(): bigint {
    return this.#fees < 0n ? -this.#fees : 0n;
  }
}

/** What an operator who rejects a payment leaves with the till; see {@link sweptFor}. */
export async function keptOf(
  chain: ChainAdapter | undefined,
  storage: Pick<Storage, 'transfers'>,
  transfer: Transfer,
): Promise<bigint> {
  const payments = chain?.payments;
  if (chain === undefined || payments?.model !== 'account') return 0n;
  const budget = await TillBudget.open({ code: chain.code, payments }, storage);
  return sweptFor(transfer, budget, payments.feeAsset.currency);
}

/**
 * What a payment that is not made after all has caused: sweeps of coins for it, at most the fee that it was told. One that was
 * held before it ever waited for coins has caused none.
 */
export function sweptFor(transfer: Transfer, budget: TillBudget, native: CurrencyCode): bigint {
  const { currency, feeUnits, status, deferredAt } = transfer;
  if (isOwnMove(transfer) || currency !== native || (status === 'HELD' && deferredAt === null)) return 0n;
  const charge = budget.sweepCharge(transfer, 0n);
  return charge < feeUnits ? charge : feeUnits;
}

function total(
  live: readonly LiveTransfer[],
  counts: (transfer: LiveTransfer) => boolean,
  part: 'units' | 'feeUnits' | 'maxFeeUnits',
): bigint {
  return live.reduce((sum, transfer) => (counts(transfer) ? sum + transfer[part] : sum), 0n);
}

/** What a payment waits for when the till cannot pay this much, and what the operator has to do. */
export function floatLacking(
  { payments: { feeAsset, hotAddress } }: Pick<PayingChain, 'payments'>,
  budget: TillBudget,
  units: bigint,
): string {
  const { currency, decimals } = feeAsset;
  const lacking = budget.lacking(units);
  return lacking === 0n
    ? `The network's fees have reached the limit of the setting sweeps.feeBudget.${currency}; the operator has to raise it.`
    : `The till lacks ${currency} of its own for the network's fees; the operator has to send at least ${formatUnits(lacking, decimals)} ${currency} to ${hotAddress}.`;
}
