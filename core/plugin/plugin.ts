import type { ChainCode } from '../kernel/asset.ts';
import type { ChainAdapter } from '../ports/chain-adapter.ts';
import type { Clock } from '../ports/clock.ts';
import type { LightningNode } from '../ports/lightning.ts';
import type { Logger } from '../ports/logger.ts';
import type { Signer } from '../ports/signer.ts';
import type { Notifier } from '../ports/notifier.ts';
import type { RateSource } from '../ports/rate-source.ts';
import type { ChainSigning } from '../signing/chain-signing.ts';
import type { DocumentStore } from '../ports/storage.ts';

/** The part of the wallet that plugins can use: public keys only. */
export interface PublicWallet {
  /**
   * The extended public key of an account path (`m/44'/60'/1'`), derived from the till's seed.
   * @throws TillgateError `CONFIG_INVALID` when the till has no seed: the plugin then needs its `xpub` option.
   */
  extendedPublicKey(path: string): Promise<string>;
}

/** What a symbol is called at each rate source: `{ coingecko: 'bitcoin', kraken: 'XBTUSD' }`. */
export type PriceIds = Readonly<Record<string, string>>;

/** What a plugin says of a chain that it adds, besides its adapter. */
export interface ChainDetails {
  /** @deprecated The adapter's own `code` counts. */
  readonly code?: ChainCode;
  /** Its display name; the adapter's `name` unless given. */
  readonly name?: string;
  /** The page of a transaction in a block explorer, an https URL with `{txid}` in it; none by default. Since interface 1.9.0. */
  readonly explorer?: string | undefined;
  /** The price ids of the chain's coins, by symbol; without them only a static price or the settings' `ids` price a coin. */
  readonly priceIds?: Readonly<Record<string, PriceIds>>;
}

/** What a plugin's `setup` receives: its own options and access to the till. */
export interface PluginContext<Options> {
  readonly options: Options;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly wallet: PublicWallet;
  /** Signs with the keys of the plugin's own accounts; `null` where it names none, or without a seed: its chain is watch-only then. */
  readonly signer: Signer | null;
  /** The plugin's own documents, shared by all instances. */
  readonly documents: DocumentStore;
  /** Adds a chain, with its display name and price ids. Refused when another plugin added the chain. */
  addChain(chain: ChainAdapter, details?: ChainDetails): void;
  /** Adds the Lightning node: orders in BTC-LN and payments of invoices. Refused when there is one already. */
  addLightning(node: LightningNode): void;
  addRateSource(source: RateSource): void;
  /** Adds a way to tell persons: by mail, in a chat. Refused when there is one of its name. Since interface 1.8.0. */
  addNotifier(notifier: Notifier): void;
  onClose(close: () => void | Promise<void>): void;
}

/** A plugin: importing it has no effect, `setup` runs once when the host starts. */
export interface Plugin<Options = unknown> {
  readonly name: string;
  readonly version: string;
  /** The semver range of {@link PLUGIN_API_VERSION} it was written for, `^1.0.0`. */
  readonly requires: string;
  /** True for plugins that production mode must refuse. */
  readonly sandboxOnly?: boolean;
  /** Validates the plugin's `options` of the settings. @throws TillgateError `CONFIG_INVALID` naming the field. */
  options(input: unknown): Options;
  /** The accounts of the till's seed that it signs with, hardened paths (`m/44'/60'/0'`). No other plugin can have them too. */
  accounts?(options: Options): readonly string[];
  /**
   * What a signer in a process of its own (`tillgate signer`) has to know of the plugin's chain. `input` is what the signer's own
   * settings say, and no part of the server's. @throws TillgateError `CONFIG_INVALID` naming the field
   */
  signing?(input: unknown): ChainSigning;
  setup(context: PluginContext<Options>): void | Promise<void>;
}

/** The version of this interface. */
export const PLUGIN_API_VERSION = '1.10.0';

/** Types a plugin; returns it unchanged. */
export function definePlugin<Options>(plugin: Plugin<Options>): Plugin<Options> {
  return plugin;
}
