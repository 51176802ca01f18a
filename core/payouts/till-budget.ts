import type { CurrencyCode, Storage } from '../kernel/index.ts';
import { formatUnits, parseUnits, present } from '../kernel/index.ts';
import { ownAccountNames, ownAccounts } from '../ledger/index.ts';
import type { ChainAdapter } from '../chain/index.ts';
import type { LiveTransfer } from './transfer-store.ts';
import type { PayingChain } from './payout-deps.ts';
import { isOwnMove } from './transfer.ts';
import type { Transfer } from './transfer.ts';

/** How far `fees:network` may fall below zero, as a plain decimal by native coin. */
export type FeeBudgets = ReadonlyMap<CurrencyCode, string>;

/** A waiting payment pays for sweeps at most half of what it may be charged; the other half is for its own fee. */
const SWEEP_SHARE = 2n;

const isSigned = ({ status }: LiveTransfer): boolean => status === 'SIGNED' || status === 'BROADCAST';

/**
 * The till's own money that may be spent on the network's fees, in units of the native coin: sweeps, gas, token
 * payments. It never spends merchants' coins: what the chain holds stays at least what is owed.
 */
export class TillBudget {
  /** The till's own coins that are left when everything signed costs its maximum. */
  #free: bigint;
  /** `#free` without the part of the float that covers losses; payments must cover a negative value. */
  #fees: bigint;
  /** The most that further network fees may cost; `null` for no limit but the till's own coins. */
  #left: bigint | null;
  /** The amount that waiting payments in the native coin can pay for sweeps. */
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
    // A token's sweep pays with gas that is already booked at its address.
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

  /** The shortfall for paying this much; 0 for none. */
  lacking(units: bigint): bigint {
    return units > this.#free ? units - this.#free : 0n;
  }

  /** True when the till has this much of its own and the limit of its fees allows it. */
  covers(units: bigint): boolean {
    return units <= this.#free && (this.#left === null || units <= this.#left);
  }

  /** Counts a cost of the till; negative for a charged fee. */
  spend(units: bigint): void {
    this.#free -= units;
    this.#fees -= units;
    if (this.#left !== null) this.#left -= units;
  }

  /** True when the waiting payments can be charged for this sweep besides those before it. */
  canAdvance(units: bigint): boolean {
    return units <= this.#allowance - this.deficit;
  }

  /** Counts a planned sweep that waiting payments will be charged for. */
  advance(units: bigint): void {
    this.#allowance -= units;
  }

  /**
   * The addition to a native payment for sweeps that were made for waiting payments: the part that was quoted to it,
   * and beyond that only what no other waiting payment can pay.
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

  /** Counts a waiting payment as signed: it pays for no further sweep. */
  settle({ maxFeeUnits }: Transfer): void {
    this.#allowance -= maxFeeUnits / SWEEP_SHARE;
  }

  /** The cost of sweeps for waiting payments that was not charged yet. */
  get deficit(): bigint {
    return this.#fees < 0n ? -this.#fees : 0n;
  }
}

/** The amount that the till keeps when an operator rejects a payment; see {@link sweptFor}. */
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
 * The sweeping cost that a payment has caused and that it still owes when it is not made, at most its quoted fee. A
 * payment that was held before it ever waited for coins has caused none.
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

/** The reason of a payment that waits because the till cannot pay this much, and what the operator must do. */
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
