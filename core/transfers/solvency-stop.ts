import { raiseAlert } from '../alerts/raise-alert.ts';
import type { AlertChannels } from '../alerts/raise-alert.ts';
import type { ChainCode } from '../kernel/asset.ts';
import type { Storage } from '../ports/storage.ts';
import { insolvencyReason, isInsolvency } from './solvency.ts';
import type { SolvencyLine, SolvencyScope } from './solvency.ts';

/**
 * Stops the payouts of a chain while less is held than is owed, and lets them go on once enough was sent. A stop of an operator's,
 * or of another check, stays as it is. Where nothing could end the stop, an alert is raised in its place.
 */
export class SolvencyStop {
  readonly #scope: SolvencyScope;
  readonly #deps: AlertChannels & { readonly storage: Pick<Storage, 'transfers'> };
  /** What was last said to be missing where payouts go on, so that it is said once. */
  #said: string | null = null;

  constructor(scope: SolvencyScope, deps: AlertChannels & { readonly storage: Pick<Storage, 'transfers'> }) {
    this.#scope = scope;
    this.#deps = deps;
  }

  /** @returns true when everything that is owed is held */
  async apply(lines: readonly SolvencyLine[]): Promise<boolean> {
    const { code, topUp } = this.#scope;
    const { metrics, storage } = this.#deps;
    for (const { currency, units } of lines)
      metrics.gauge('tillgate_solvency_units', Number(units), { chain: code, currency });
    const reason = insolvencyReason(this.#scope, lines);
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
 * Stops the payouts of a chain until an operator has looked, and raises an alert. A stop that is stored already stays, named
 * behind this one: whoever resumes payouts reads both.
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
