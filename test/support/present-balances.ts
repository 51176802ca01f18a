import type { BalancesRead, BlockRef, CurrencyCode, PresentBalances } from '../../core/index.ts';
import type { FakeChain } from './fake-chain.ts';

/** The balances of a {@link FakeChain}'s addresses: the payments to them, less the amounts that a test removes. */
export class FakePresentBalances implements PresentBalances {
  readonly currencies: readonly CurrencyCode[];
  perCall = 3;
  /** The number of calls. */
  calls = 0;
  /** Amounts that somebody took from an address, or that the node hides. */
  readonly missing = new Map<string, bigint>();
  /** Amounts that the node invents. */
  readonly invented = new Map<string, bigint>();
  readonly #chain: FakeChain;

  constructor(chain: FakeChain, currency: CurrencyCode) {
    this.#chain = chain;
    this.currencies = [currency];
    chain.present = this;
  }

  async read(keys: readonly string[], currency: CurrencyCode, at: BlockRef): Promise<BalancesRead> {
    if (this.#chain.failure !== null) throw this.#chain.failure;
    this.calls += 1;
    const isGone = at.height <= this.#chain.forgotten;
    return { through: at, units: keys.map((key) => (isGone ? null : this.#held(key, currency, at))) };
  }

  #held(key: string, currency: CurrencyCode, { height }: BlockRef): bigint {
    const paid = this.#chain.paidTo(key, currency, height);
    return paid - (this.missing.get(key) ?? 0n) + (this.invented.get(key) ?? 0n);
  }
}
