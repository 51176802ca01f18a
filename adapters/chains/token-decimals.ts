import { TillgateError, isTillgateError } from '../../core/index.ts';
import type { Asset, ChainCode, CurrencyCode } from '../../core/index.ts';

/** A token of the settings. */
interface Token {
  readonly asset: Asset;
  readonly address: string;
}

/** Reads the decimals of a contract; `null` when there is no contract, or it does not report them. */
export type ReadDecimals = (address: string) => Promise<number | null>;

/**
 * Compares each token of the settings with its contract, once: USDT has 6 decimals on Ethereum and 18 on BNB Smart Chain, and
 * a wrong number would credit 10^12 times what was paid.
 */
export class TokenDecimals {
  readonly #chain: ChainCode;
  readonly #tokens: ReadonlyMap<CurrencyCode, Token>;
  readonly #read: ReadDecimals;
  readonly #checks = new Map<CurrencyCode, Promise<void>>();

  constructor(chain: ChainCode, tokens: readonly Token[], read: ReadDecimals) {
    this.#chain = chain;
    this.#tokens = new Map(tokens.map((token) => [token.asset.currency, token]));
    this.#read = read;
  }

  /**
   * Resolves at once for a currency that was verified before, and for one that is not a token.
   *
   * @throws TillgateError `CHAIN_HALTED` when they differ; `NOT_READY` while no node answers
   */
  verify(currency: CurrencyCode): Promise<void> {
    const token = this.#tokens.get(currency);
    if (token === undefined) return Promise.resolve();
    const known = this.#checks.get(currency);
    if (known !== undefined) return known;
    const check = this.#check(token).catch((error: unknown) => {
      this.#checks.delete(currency);
      throw error;
    });
    this.#checks.set(currency, check);
    return check;
  }

  async #check({ asset, address }: Token): Promise<void> {
    const decimals = await this.#ask(asset, address);
    if (decimals === asset.decimals) return;
    throw new TillgateError(
      'CHAIN_HALTED',
      decimals === null
        ? `There is no token contract of ${asset.currency} at ${address}; correct the tokens of ${this.#chain}.`
        : `The contract of ${asset.currency} has ${decimals} decimals, but the settings of ${this.#chain} say ${asset.decimals}; correct them.`,
    );
  }

  async #ask({ currency }: Asset, address: string): Promise<number | null> {
    try {
      return await this.#read(address);
    } catch (error) {
      if (!isTillgateError(error, 'NODE_FAILED')) throw error;
      throw new TillgateError(
        'NOT_READY',
        `The contract of ${currency} cannot be checked, because no node of ${this.#chain} answers; retry later.`,
        {},
        error,
      );
    }
  }
}
