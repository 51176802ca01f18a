import { TillgateError } from '../kernel/index.ts';
import type { PayingChain, PayoutDeps } from './payout-deps.ts';
import { stopPayouts } from './payout-stop.ts';
import type { Transfer } from './transfer.ts';

/** The next nonce of an address. */
export interface NonceCounter {
  next: number;
  /** True when the chain is ahead of the stored counter at a deposit address, whose value is then used. */
  readonly adopt: boolean;
}

/** A cache of the nonces of a chain's addresses, until it is cleared. */
export class NonceCounters {
  readonly #chain: PayingChain;
  readonly #deps: PayoutDeps;
  readonly #known = new Map<string, NonceCounter>();

  constructor(chain: PayingChain, deps: PayoutDeps) {
    this.#chain = chain;
    this.#deps = deps;
  }

  forget(): void {
    this.#known.clear();
  }

  /** Whether the stored counter of an address must be set to the chain's value. */
  adopts(address: string): boolean {
    return this.#known.get(address)?.adopt === true;
  }

  /** `null` on a chain without nonces. @throws TillgateError `CHAIN_HALTED`, `NODE_FAILED` */
  async of(transfer: Transfer): Promise<NonceCounter | null> {
    const known = this.#known.get(transfer.sourceAddress);
    if (known !== undefined) return known;
    const counter = await this.#read(transfer);
    if (counter !== null) this.#known.set(transfer.sourceAddress, counter);
    return counter;
  }

  /**
   * A nonce that this database did not assign was used by another holder of the keys. After a restored backup it may
   * belong to a payment that is still waiting here, so payouts stop until an operator has checked.
   */
  async #read({ sourceAddress, sourceIndex }: Transfer): Promise<NonceCounter | null> {
    const { code, payments } = this.#chain;
    const onChain = await payments.nextNonce(sourceAddress);
    if (onChain === null) return null;
    const stored = await this.#deps.storage.transfers.nonce(code, sourceAddress);
    if (stored === null || onChain <= stored) return { next: stored ?? onChain, adopt: false };
    if (sourceIndex !== null) return { next: onChain, adopt: true };
    const reason =
      `The hot wallet's transaction count on ${code} is ${onChain}, but this till has made ${stored}: its keys were used elsewhere, or an older ` +
      'backup was restored. Compare the payments on the chain with the waiting transfers, reject those that were paid, then resume payouts.';
    await stopPayouts(this.#deps, code, reason);
    throw new TillgateError('CHAIN_HALTED', reason);
  }
}
