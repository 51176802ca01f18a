import type { Decimal } from '../kernel/decimal.ts';
import type { AccountId } from '../kernel/ids.ts';

/** Units for a price: what an App's owner buys. */
export interface Plan {
  readonly name: string;
  readonly units: number;
  readonly vsCurrency: string;
  readonly vsPrice: Decimal;
}

/** What an operator sells, and to whose balance the payments go. */
export interface PlanSales {
  readonly accountId: AccountId;
  readonly plans: readonly Plan[];
  /** Whether new Apps are prepaid. */
  readonly newAppsPrepaid: boolean;
}

/** A plan has no more: what an App bought in all stays a whole number that is exact. */
export const MAX_PLAN_UNITS = 1_000_000_000_000;
