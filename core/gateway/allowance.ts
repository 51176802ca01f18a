import type { AppView } from './admission.ts';
import type { PrepaidBalances } from './prepaid-balances.ts';
import type { Quotas } from './quotas.ts';
import type { Refusal } from './refusal.ts';

/** The units that an App may use: by its quota and, where it is prepaid, by what it bought. */
export class Allowance {
  readonly quotas: Quotas;
  readonly prepaid: PrepaidBalances;
  #reader: (() => Promise<void>) | null = null;

  constructor(quotas: Quotas, prepaid: PrepaidBalances) {
    this.quotas = quotas;
    this.prepaid = prepaid;
  }

  /** @param reader - reads the requested usage; it also resolves when the read failed */
  readBy(reader: () => Promise<void>): void {
    this.#reader = reader;
  }

  /**
   * The read for which the first request of an App on this instance waits; `null` when everything about the App is
   * known. Afterwards {@link check} decides, whether the read succeeded or not.
   */
  learn(app: AppView): Promise<void> | null {
    if (this.isUnlimited(app) || this.#reader === null) return null;
    // Both are evaluated, so that one read covers both.
    const [quota, prepaid] = [this.quotas.isRead(app), this.prepaid.isRead(app)];
    return quota && prepaid ? null : this.#reader();
  }

  /** True for an App that has no quota and is not prepaid. */
  isUnlimited({ quota, prepaid }: AppView): boolean {
    return quota === null && !prepaid;
  }

  /** The refusal of calls that cost this many units; `null` for none. */
  check(app: AppView, units: number): Refusal | null {
    return this.quotas.check(app, units) ?? this.prepaid.check(app, units);
  }

  /** Counts calls that are sent to a node. */
  spend(app: AppView, units: number): void {
    this.quotas.spend(app, units);
    this.prepaid.spend(app, units);
  }
}
