import { present } from './guard.ts';
import { TillgateError } from './errors.ts';

/** The codes of the built-in chains; plugins may add others. */
export type ChainCode = string;
/** A crypto currency's code, `USDT-ERC20`; unique across chains. */
export type CurrencyCode = string;

/** The name of a chain, and its block explorer. */
export interface ChainName {
  readonly code: ChainCode;
  readonly name: string;
  /** The URL of a transaction in a block explorer, with `{txid}` in place of its id; absent for none. */
  readonly explorer?: string | undefined;
  /** The URL of an address in a block explorer, with `{address}` in its place; absent for none. */
  readonly addressExplorer?: string | undefined;
  /** The average time between blocks in seconds; absent where it is not known. */
  readonly blockSeconds?: number | undefined;
}

/** A coin or token on a chain. Amounts are whole units of `10^-decimals`. */
export interface Asset {
  readonly chain: ChainCode;
  readonly currency: CurrencyCode;
  /** The symbol at rate sources: `USDT` for `USDT-ERC20`. */
  readonly symbol: string;
  readonly decimals: number;
  /** `native` is the chain's own coin; `token` lives in a contract. */
  readonly kind: 'native' | 'token';
  /** True when `fixed_encrypt_price` prices it at exactly 1 USD. */
  readonly stable: boolean;
  /** In units. A smaller deposit costs more to spend than it is worth, so it is recorded but not credited. 0 by default. */
  readonly minDeposit?: bigint;
}

/** True when a deposit of this many units costs more to spend than it is worth. */
export function isDust({ minDeposit = 0n }: Asset, units: bigint): boolean {
  return units < minDeposit;
}

/** Chain display names. */
export const CHAINS: readonly ChainName[] = [
  { code: 'ETH', name: 'Ethereum' },
  { code: 'BTC', name: 'Bitcoin' },
  { code: 'BLN', name: 'Bitcoin Lightning Network' },
  { code: 'LTC', name: 'Litecoin' },
  { code: 'BSC', name: 'BNB Smart Chain' },
  { code: 'TRX', name: 'Tron' },
];

const native = (chain: string, currency: string, symbol: string, decimals: number): Asset => ({
  chain,
  currency,
  symbol,
  decimals,
  kind: 'native',
  stable: false,
});
const token = (chain: string, currency: string, symbol: string, decimals: number, stable: boolean): Asset => ({
  chain,
  currency,
  symbol,
  decimals,
  kind: 'token',
  stable,
});

/** Lightning uses millisatoshi: 11 decimals of a bitcoin. */
export const LIGHTNING_ASSET: Asset = native('BLN', 'BTC-LN', 'BTC', 11);

/** The ten built-in pairs of chain and currency, in the order of the currency list. */
export const BUILT_IN_ASSETS: readonly Asset[] = [
  native('ETH', 'ETH', 'ETH', 18),
  token('ETH', 'USDT-ERC20', 'USDT', 6, true),
  token('ETH', 'USDC-ERC20', 'USDC', 6, true),
  token('ETH', 'DAI-ERC20', 'DAI', 18, true),
  native('BTC', 'BTC', 'BTC', 8),
  LIGHTNING_ASSET,
  native('LTC', 'LTC', 'LTC', 8),
  native('BSC', 'BNB', 'BNB', 18),
  token('TRX', 'USDT-TRC20', 'USDT', 6, true),
  token('TRX', 'USDC-TRC20', 'USDC', 6, true),
];

/** For self-custody balances; for orders only where it is configured. */
export const SHIB_ERC20: Asset = token('ETH', 'SHIB-ERC20', 'SHIB', 18, false);

/** The asset of a built-in currency. */
export function builtInAsset(currency: CurrencyCode): Asset {
  return present(
    BUILT_IN_ASSETS.find((asset) => asset.currency === currency),
    `the asset ${currency}`,
  );
}

/** Code and display name of a built-in chain. */
export function builtInChain(code: ChainCode): ChainName {
  return present(
    CHAINS.find((chain) => chain.code === code),
    `the chain ${code}`,
  );
}

/** One row of the crypto list: an asset, and whether orders in it are possible now. */
export interface AssetStatus {
  readonly asset: Asset;
  readonly enabled: boolean;
}

/**
 * The assets of this installation: the built-in pairs in their order, then those of plugins.
 */
export class AssetCatalogue {
  readonly #assets = new Map<CurrencyCode, AssetStatus>();
  readonly #chains = new Map<ChainCode, ChainName>(CHAINS.map((chain) => [chain.code, chain]));

  constructor(enabled: Iterable<Asset>, chainNames: Iterable<ChainName> = []) {
    for (const chain of chainNames) this.#chains.set(chain.code, chain);
    for (const asset of BUILT_IN_ASSETS) this.#assets.set(asset.currency, { asset, enabled: false });
    for (const asset of enabled) {
      const known = this.#assets.get(asset.currency);
      if (known !== undefined && (known.enabled || known.asset.chain !== asset.chain)) {
        throw new TillgateError(
          'CONFIG_INVALID',
          `The currency ${asset.currency} is configured twice; name it once, on one chain.`,
        );
      }
      this.#assets.set(asset.currency, { asset, enabled: true });
    }
  }

  /** Every known pair, for the crypto list. */
  list(): readonly AssetStatus[] {
    return [...this.#assets.values()];
  }

  enabled(): readonly Asset[] {
    return this.list()
      .filter(({ enabled }) => enabled)
      .map(({ asset }) => asset);
  }

  /** @throws TillgateError `UNSUPPORTED` when the pair is unknown or disabled. */
  require(chain: ChainCode, currency: CurrencyCode): Asset {
    const found = this.#assets.get(currency);
    if (found === undefined || found.asset.chain !== chain || !found.enabled) {
      throw new TillgateError(
        'UNSUPPORTED',
        `The pair ${chain}/${currency} is not supported; see the list of crypto currencies.`,
      );
    }
    return found.asset;
  }

  /** The asset of a currency code, enabled or not: old orders need it. */
  find(currency: CurrencyCode): Asset | null {
    return this.#assets.get(currency)?.asset ?? null;
  }

  /** The chain's display name, or its code where it has none. */
  chainName(chain: ChainCode): string {
    return this.#chains.get(chain)?.name ?? chain;
  }

  /** The average time between blocks in seconds; `null` where it is not known, as on test networks. */
  blockSeconds(chain: ChainCode): number | null {
    return this.#chains.get(chain)?.blockSeconds ?? null;
  }

  /** The URL of transactions in the block explorer, with `{txid}` in place of the id; `null` for none. */
  explorer(chain: ChainCode): string | null {
    return this.#chains.get(chain)?.explorer ?? null;
  }

  /** The URL of addresses in the block explorer, with `{address}` in their place; `null` for none. */
  addressExplorer(chain: ChainCode): string | null {
    return this.#chains.get(chain)?.addressExplorer ?? null;
  }

  /** The URL of an address in the block explorer; `null` on a chain without an explorer. */
  addressUrl(chain: ChainCode, address: string): string | null {
    return this.addressExplorer(chain)?.replace('{address}', encodeURIComponent(address)) ?? null;
  }

  /** The URL of a transaction in the block explorer; `null` on a chain without an explorer. */
  transactionUrl(chain: ChainCode, txid: string): string | null {
    return this.explorer(chain)?.replace('{txid}', encodeURIComponent(txid)) ?? null;
  }
}
