/** A movement of a token out of the paying address, as its contract logged it. */
export interface Movement {
  readonly toKey: string;
  readonly units: bigint;
}

/**
 * The result of comparing a token contract's log with the signed payment. `fee`: exactly the signed amount left the
 * paying address, and the token's own fee was deducted from it (USDT's owner can switch one on), so that the receiver
 * got less. `other`: another amount left it.
 */
export type LoggedPayment = 'exact' | 'fee' | 'other' | 'none';

/** Compares the movements out of the paying address with the payment that was signed. */
export function judgeMovements(movements: readonly Movement[], { toKey, units }: Movement): LoggedPayment {
  if (movements.length === 0) return 'none';
  if (movements.some((one) => one.toKey === toKey && one.units === units)) return 'exact';
  const left = movements.reduce((sum, one) => sum + one.units, 0n);
  return left === units && movements.some((one) => one.toKey === toKey && one.units > 0n) ? 'fee' : 'other';
}

/** True when the payment is made, and the ledger is right with the amount that was signed. */
export function isPaid(logged: LoggedPayment): boolean {
  return logged === 'exact' || logged === 'fee';
}
