import { TillgateError } from '../../../core/index.ts';
import type { Asset, BalanceSheet, ChainBalances, CurrencyCode } from '../../../core/index.ts';
import { AccountKey, readXpub } from '../account-key.ts';
import { evmKey } from '../evm/evm-address.ts';
import type { AccountReader } from './account-reader.ts';
import { requireKey } from './tron-values.ts';
import { TRX, TRX_ASSET } from './trx.ts';

/** The gap limit of BIP-44: a wallet has no coins after this many unused addresses. */
const GAP = 20;
/** Addresses read at the same time: public nodes accept few requests a second. */
const AT_ONCE = 5;
/** A key with more used addresses than this does not belong to a person's wallet. */
const MOST_ADDRESSES = 2_000;

/** Reads balances of any addresses on Tron: TRX and the configured tokens. */
export class TronBalances implements ChainBalances {
  readonly assets: readonly Asset[];
  readonly #reader: AccountReader;

  constructor(reader: AccountReader, tokens: readonly Asset[]) {
    this.#reader = reader;
    this.assets = [TRX_ASSET, ...tokens];
  }

  /** An account's key (`m/44'/195'/0'`) in the one format that Tron wallets use. */
  readExtendedKey(text: string): string | null {
    return readXpub(text);
  }

  async ofAddress(address: string): Promise<BalanceSheet> {
    return (await this.#look(requireKey(address))).sheet;
  }

  /** Reads the addresses `…/0/i`; Tron wallets have no change addresses. */
  async ofExtendedKey(text: string): Promise<BalanceSheet> {
    const account = new AccountKey(text);
    const sums = new Map<CurrencyCode, bigint>();
    for (let first = 0, unused = 0; unused < GAP; first += AT_ONCE) {
      if (first >= MOST_ADDRESSES)
        throw new TillgateError(
          'NODE_FAILED',
          `The extended key has more than ${MOST_ADDRESSES} used addresses; this is the limit.`,
        );
      const keys = Array.from({ length: AT_ONCE }, (_, offset) => evmKey(account.point(first + offset)));
      for (const { used, sheet } of await Promise.all(keys.map((key) => this.#look(key)))) {
        unused = used ? 0 : unused + 1;
        for (const [currency, units] of sheet) sums.set(currency, (sums.get(currency) ?? 0n) + units);
      }
    }
    return sums;
  }

  /** An address counts as used when its account was ever active, or when it holds tokens. */
  async #look(key: string): Promise<{ readonly used: boolean; readonly sheet: BalanceSheet }> {
    const [account, ...tokens] = await Promise.all([
      this.#reader.account(key),
      ...this.assets.slice(1).map(async ({ currency }) => [currency, await this.#reader.units(key, currency)] as const),
    ]);
    return {
      used: account.exists || tokens.some(([, units]) => units > 0n),
      sheet: new Map([[TRX, account.sun], ...tokens]),
    };
  }
}
