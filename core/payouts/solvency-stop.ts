import { raiseAlert } from '../notify/index.ts';
import type { AlertChannels } from '../notify/index.ts';
import type { ChainCode, CurrencyCode, Storage } from '../kernel/index.ts';
import { insolvencyReason, isInsolvency } from './solvency.ts';
import type { SolvencyLine, SolvencyScope } from './solvency.ts';

/**
 * Stops the payouts of a chain while less is held than is owed, and resumes them once enough was sent. A stop by an
 * operator, or by another check, is left unchanged. Where nothing could end the stop, an alert is raised instead.
 */
export class SolvencyStop {
  readonly #scope: SolvencyScope;
  readonly #deps: AlertChannels & { readonly storage: Pick<Storage, 'transfers'> };
  /** The last reported shortfall where payouts continue, so that each is reported once. */
  #said: string | null = null;

  constructor(scope: SolvencyScope, deps: AlertChannels & { readonly storage: Pick<Storage, 'transfers'> }) {
    this.#scope = scope;
    this.#deps = deps;
  }

  /**
   * @param stops - the currencies that stop the whole chain; all by default
   * @returns true when everything that is owed in them is held
   */
  async apply(
    lines: readonly SolvencyLine[],
    stops: (currency: CurrencyCode) => boolean = () => true,
  ): Promise<boolean> {
    const { code, topUp } = this.#scope;
    const { metrics, storage } = this.#deps;
    for (const { currency, units } of lines)
      metrics.gauge('tillgate_solvency_units', Number(units), { chain: code, currency });
    const reason = insolvencyReason(
      this.#scope,
      lines.filter(({ currency }) => stops(currency)),
    );
    if (reason !== null && topUp === null) this.#alert(reason);
    else if (reason !== null) await this.#stop(reason);
    else {
      const stop = await storage.transfers.payoutStop(code);
      if (stop !== null && isInsolvency(stop)) await storage.transfers.replacePayoutStop(code, stop, null);
    }
    return reason === null;
  }

  async #stop(reason: string): Promise<void> {
    const { code } = this.#scope;
    if (await this.#deps.storage.transfers.replacePayoutStop(code, null, reason))
      raiseAlert(this.#deps, 'payouts-stopped', `chain ${code}`, reason);
  }

  #alert(reason: string): void {
    if (reason !== this.#said) raiseAlert(this.#deps, 'loss', `chain ${this.#scope.code}`, reason);
    this.#said = reason;
  }
}

/**
 * Stops the payouts of a chain until an operator has checked, and raises an alert. An earlier stop is kept, and its
 * reason appended to this one, so that the operator who resumes payouts reads both.
 */
export async function stopPayouts(
  deps: AlertChannels & { readonly storage: Pick<Storage, 'transfers'> },
  code: ChainCode,
  reason: string,
): Promise<void> {
  const { transfers } = deps.storage;
  for (;;) {
    const former = await transfers.payoutStop(code);
    if (await transfers.replacePayoutStop(code, former, former === null ? reason : `${reason} ${former}`)) break;
  }
  raiseAlert(deps, 'payouts-stopped', `chain ${code}`, reason);
}
