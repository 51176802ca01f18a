import type { AccountId, Decimal } from '../kernel/index.ts';

/** A number of units and its price, which an App's owner can buy. */
export interface Plan {
  readonly name: string;
  readonly units: number;
  readonly vsCurrency: string;
  readonly vsPrice: Decimal;
}

/** Lower-case letters, digits and hyphens, at most 64. */
export const PLAN_NAME = /^[a-z0-9][a-z0-9-]{0,63}$/;

/** The plans that an operator sells, and the account that receives the payments. */
export interface PlanSales {
  readonly accountId: AccountId;
  /** The account that owns the Apps of payers at the gate without a key. */
  readonly agentsId: AccountId;
  readonly plans: readonly Plan[];
  readonly newAppsPrepaid: boolean;
}

/** The most units of a plan; it keeps an App's total of bought units an exact integer. */
export const MAX_PLAN_UNITS = 1_000_000_000_000;
