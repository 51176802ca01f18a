import { raiseAlert } from '../notify/index.ts';
import type { CurrencyCode } from '../kernel/index.ts';
import type { CurrencyStop, CurrencyStopCause } from './transfer-store.ts';
import { isContractRefusal } from './contract-refusal.ts';
import type { PayingChain, PayoutDeps } from './payout-deps.ts';
import type { Transfer } from './transfer.ts';

type Deps = Pick<PayoutDeps, 'storage' | 'clock' | 'logger' | 'events' | 'metrics'>;

/**
 * The currencies of a chain in which nothing is paid, each with its reason; payments in the others continue. Each cause
 * has a check of its own, which sets and clears it.
 */
export class CurrencyStops {
  readonly #chain: PayingChain;
  readonly #deps: Deps;
  /** Reasons that were found once and must be confirmed before they are stored. */
  readonly #suspected = new Map<CurrencyCode, string>();
  #stored: readonly CurrencyStop[] = [];

  constructor(chain: PayingChain, deps: Deps) {
    this.#chain = chain;
    this.#deps = deps;
  }

  /** Reads the stored stops. @returns why nothing is paid on the whole chain; `null` while payouts run */
  async refresh(): Promise<string | null> {
    const { all, currencies } = await this.#deps.storage.transfers.stops(this.#chain.code);
    this.#stored = currencies;
    return all;
  }

  /** Why a transfer from the hot wallet must not be signed now; `null` when its currency is not stopped. */
  against({ currency, sourceIndex, kind }: Pick<Transfer, 'currency' | 'sourceIndex' | 'kind'>): string | null {
    if (sourceIndex !== null || kind === 'charge') return null;
    const reason = this.reasonOf(currency);
    return reason === null ? null : `Payments of ${currency} are stopped: ${reason}`;
  }

  reasonOf(currency: CurrencyCode): string | null {
    const stop = this.#stored.find((each) => each.currency === currency);
    return stop?.reason ?? this.#suspected.get(currency) ?? null;
  }

  /** The currencies that a check has stopped. */
  of(cause: CurrencyStopCause): readonly CurrencyCode[] {
    return this.#stored.filter((stop) => stop.cause === cause).map(({ currency }) => currency);
  }

  /** Holds payments of a currency back until the next check, without a stop that an operator sees. */
  suspect(currency: CurrencyCode, reason: string | null): void {
    if (reason === null) this.#suspected.delete(currency);
    else this.#suspected.set(currency, reason);
  }

  /** Stops a currency for a cause, with one alert, or clears that stop for `null`. */
  async set(currency: CurrencyCode, cause: CurrencyStopCause, reason: string | null): Promise<void> {
    const { storage, clock, logger } = this.#deps;
    const { code } = this.#chain;
    const known = this.#stored.find((stop) => stop.currency === currency && stop.cause === cause);
    if ((known?.reason ?? null) === reason) return;
    if (reason === null) {
      if (await storage.transfers.resumeCurrency(code, { currency, cause }))
        logger.info('payments of a currency are resumed', { chain: code, currency, cause });
    } else if (await storage.transfers.stopCurrency(code, { currency, cause, reason, at: clock.now() }))
      raiseAlert(this.#deps, 'payouts-stopped', `chain ${code}: ${currency}`, reason);
    await this.refresh();
  }

  /**
   * Simulates a payment of the hot wallet to itself, to check whether a token's contract moves its balance. Stops the
   * currency when the contract refuses, and clears that stop when it does not.
   *
   * @returns true when the contract refuses the hot wallet
   * @throws TillgateError `NODE_FAILED`
   */
  async probe(currency: CurrencyCode): Promise<boolean> {
    const { payments } = this.#chain;
    const source = { address: payments.hotAddress, index: null };
    const units = (await payments.balance(payments.hotAddress, currency)) > 0n ? 1n : 0n;
    try {
      const lines = [{ to: payments.hotAddress, currency, units }];
      await payments.price({ source, lines, coins: [], replaces: null });
    } catch (error) {
      if (!isContractRefusal(error)) throw error;
      const reason = `The contract of ${currency} refuses transfers from or to the hot wallet ${payments.hotAddress}. ${error.message} Payments resume by themselves once it allows them.`;
      await this.set(currency, 'refused', reason);
      return true;
    }
    await this.set(currency, 'refused', null);
    return false;
  }
}
