import type { Decimal } from '../kernel/decimal.ts';
import type { AccountId } from '../kernel/ids.ts';

/** Units for a price: what an App's owner buys. */
export interface Plan {
  readonly name: string;
  readonly units: number;
  readonly vsCurrency: string;
  readonly vsPrice: Decimal;
}

/** Lower-case letters, digits and hyphens, at most 64. */
export const PLAN_NAME = /^[a-z0-9][a-z0-9-]{0,63}$/;

/** What an operator sells, and to whose balance the payments go. */
export interface PlanSales {
  readonly accountId: AccountId;
  /** Owns the Apps of those who pay at the gate without a key. */
  readonly agentsId: AccountId;
  readonly plans: readonly Plan[];
  /** Whether new Apps are prepaid. */
  readonly newAppsPrepaid: boolean;
}

/** A plan has no more: what an App bought in all stays a whole number that is exact. */
export const MAX_PLAN_UNITS = 1_000_000_000_000;
