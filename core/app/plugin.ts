import type { ChainAdapter, LightningNode } from '../chain/index.ts';
import type { Clock, DocumentStore, Logger, RateSource } from '../kernel/index.ts';
import type { ChainSigning, Signer } from '../payouts/index.ts';
import type { Notifier } from '../notify/index.ts';

/** The part of the wallet that plugins can use: public keys only. */
export interface PublicWallet {
  /**
   * The extended public key of an account path (`m/44'/60'/1'`), derived from the till's seed.
   * @throws TillgateError `CONFIG_INVALID` when the till has no seed: the plugin then needs its `xpub` option.
   */
  extendedPublicKey(path: string): Promise<string>;
}

/** The id of a symbol at each rate source: `{ coingecko: 'bitcoin', kraken: 'XBTUSD' }`. */
export type PriceIds = Readonly<Record<string, string>>;

/** Details of a chain that a plugin adds, besides the adapter. */
export interface ChainDetails {
  /** The display name; the adapter's `name` by default. */
  readonly name?: string;
  /** The URL of a transaction in a block explorer, https with `{txid}`; none by default. Since interface 1.9.0. */
  readonly explorer?: string | undefined;
  /** The URL of an address in a block explorer, https with `{address}`; none by default. Since interface 1.13.0. */
  readonly addressExplorer?: string | undefined;
  /** The average time between blocks in seconds, more than 0; not known by default. Since interface 1.12.0. */
  readonly blockSeconds?: number | undefined;
  /** The price ids of the chain's coins, by symbol. Without one, a coin needs a static price or the settings' `ids`. */
  readonly priceIds?: Readonly<Record<string, PriceIds>>;
}

/** What a plugin's `setup` receives: its own options and access to the till. */
export interface PluginContext<Options> {
  readonly options: Options;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly wallet: PublicWallet;
  /**
   * Signs with the keys of the plugin's own accounts. `null` where the plugin names none, or without a seed: its chain
   * is watch-only then.
   */
  readonly signer: Signer | null;
  /** The plugin's own documents, shared by all instances. */
  readonly documents: DocumentStore;
  /** Adds a chain, with its display name and price ids. Refused when another plugin added the chain. */
  addChain(chain: ChainAdapter, details?: ChainDetails): void;
  /** Adds the Lightning node, for orders in BTC-LN and payments of invoices. Refused when there is one already. */
  addLightning(node: LightningNode): void;
  addRateSource(source: RateSource): void;
  /** Adds a notifier, such as mail or a chat. Refused when one of the same name exists. Since interface 1.8.0. */
  addNotifier(notifier: Notifier): void;
  onClose(close: () => void | Promise<void>): void;
}

/** A plugin: importing it has no effect, `setup` runs once when the till is opened. */
export interface Plugin<Input = unknown, Options = unknown> {
  readonly name: string;
  readonly version: string;
  /** The semver range of {@link PLUGIN_API_VERSION} that the plugin supports, `^1.0.0`. */
  readonly requires: string;
  /** True for plugins that production mode must refuse. */
  readonly sandboxOnly?: boolean;
  /** Validates the plugin's options. @throws TillgateError `CONFIG_INVALID` with the invalid field */
  options(input: Input): Options;
  /**
   * The accounts of the till's seed with which the plugin signs, as hardened paths (`m/44'/60'/0'`). No two plugins can
   * have the same one.
   */
  accounts?(options: Options): readonly string[];
  /**
   * What a signer in a process of its own (`tillgate signer`) needs for the plugin's chain. `input` comes from the
   * signer's own settings, never from the server. @throws TillgateError `CONFIG_INVALID` with the invalid field
   */
  signing?(input: Input): ChainSigning;
  setup(context: PluginContext<Options>): void | Promise<void>;
}

/** The version of this interface. */
export const PLUGIN_API_VERSION = '1.13.0';

/** A plugin with its options, which are validated when the till is opened. */
export interface ConfiguredPlugin {
  readonly plugin: Plugin;
  readonly options: unknown;
}

/** Configures a plugin: `ethereum({ rpcUrls: ['https://node.example.com'] })`. The options are those of the settings file. */
export interface PluginFactory<Input = unknown, Options = unknown> {
  (...options: object extends Input ? [options?: Input] : [options: Input]): ConfiguredPlugin;
  readonly plugin: Plugin<unknown, Options>;
}

/** Makes the factory that a plugin's module exports by default. */
export function definePlugin<Input, Options>(plugin: Plugin<Input, Options>): PluginFactory<Input, Options> {
  const configure = (options?: Input): ConfiguredPlugin => ({ plugin, options: options ?? {} });
  return Object.assign(configure, { plugin });
}
