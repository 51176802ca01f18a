import type { AppView } from './admission.ts';
import type { PrepaidBalances } from './prepaid-balances.ts';
import type { Quotas } from './quotas.ts';
import type { Refusal } from './refusal.ts';

/** How many units an App may use: by its quota, and by what it bought where it is prepaid. */
export class Allowance {
  readonly quotas: Quotas;
  readonly prepaid: PrepaidBalances;

  constructor(quotas: Quotas, prepaid: PrepaidBalances) {
    this.quotas = quotas;
    this.prepaid = prepaid;
  }

  /** True for an App without either. */
  isUnlimited({ quota, prepaid }: AppView): boolean {
    return quota === null && !prepaid;
  }

  /** The refusal of calls that cost so many units. */
  check(app: AppView, units: number): Refusal | null {
    return this.quotas.check(app, units) ?? this.prepaid.check(app, units);
  }

  /** Calls that go to a node. */
  spend(app: AppView, units: number): void {
    this.quotas.spend(app, units);
    this.prepaid.spend(app, units);
  }
}
