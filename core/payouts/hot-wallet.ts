import type { CurrencyCode, Storage } from '../kernel/index.ts';
import type { ChainPayments } from '../chain/index.ts';

/**
 * The amount that the hot wallet of an account chain can still pay: its balance at the node less what signed
 * transactions may still spend. A transaction that was mined in between counts twice until the follower has seen it,
 * which is the safe side.
 */
export class HotWallet {
  readonly #payments: ChainPayments;
  readonly #free = new Map<CurrencyCode, bigint>();
  readonly #inFlight: ReadonlyMap<CurrencyCode, bigint>;
  readonly #coming: ReadonlyMap<CurrencyCode, bigint>;

  private constructor(
    payments: ChainPayments,
    inFlight: ReadonlyMap<CurrencyCode, bigint>,
    coming: ReadonlyMap<CurrencyCode, bigint>,
  ) {
    this.#payments = payments;
    this.#inFlight = inFlight;
    this.#coming = coming;
  }

  /** Reads the transfers in flight; balances are read on first use. */
  static async open(
    chain: string,
    payments: ChainPayments,
    { transfers }: Pick<Storage, 'transfers'>,
  ): Promise<HotWallet> {
    const [taken, coming] = [new Map<CurrencyCode, bigint>(), new Map<CurrencyCode, bigint>()];
    const add = (sums: Map<CurrencyCode, bigint>, currency: CurrencyCode, units: bigint): void =>
      void sums.set(currency, (sums.get(currency) ?? 0n) + units);
    for (const { sourceAddress, currency, units, nativeFeeUnits } of await transfers.inFlight(chain)) {
      const isHot = sourceAddress === payments.hotAddress;
      add(isHot ? taken : coming, currency, units);
      if (isHot) add(taken, payments.feeAsset.currency, nativeFeeUnits);
    }
    return new HotWallet(payments, taken, coming);
  }

  /** True while signed transactions may still spend this currency from the wallet. */
  pays(currency: CurrencyCode): boolean {
    return (this.#inFlight.get(currency) ?? 0n) > 0n;
  }

  /** Units that signed sweeps move to the wallet, including recently mined ones, before fees. */
  coming(currency: CurrencyCode): bigint {
    return this.#coming.get(currency) ?? 0n;
  }

  /** The free units; negative when signed transactions may spend more than the balance. */
  async free(currency: CurrencyCode): Promise<bigint> {
    const known = this.#free.get(currency);
    if (known !== undefined) return known;
    const free =
      (await this.#payments.balance(this.#payments.hotAddress, currency)) - (this.#inFlight.get(currency) ?? 0n);
    this.#free.set(currency, free);
    return free;
  }

  /** Deducts a payment that is about to be signed. */
  async spend(currency: CurrencyCode, units: bigint): Promise<void> {
    this.#free.set(currency, (await this.free(currency)) - units);
  }
}
