import { LIGHTNING_ASSET, TillgateError } from '../../core/index.ts';
import type {
  ChainAdapter,
  ChainCode,
  ChainDetails,
  ChainName,
  DocumentStore,
  LightningNode,
  NoticeChannel,
  Notifier,
  Plugin,
  PluginContext,
  PriceIds,
  RateSource,
  Signer,
} from '../../core/index.ts';
import { AccountSigner } from '../../adapters/wallet/account-signer.ts';
import type { LoadedPlugin } from './plugins.ts';

/** Everything that the plugins of a till added. */
export interface PluginRegistry {
  readonly chains: ReadonlyMap<ChainCode, ChainAdapter>;
  readonly chainNames: readonly ChainName[];
  /** The ids of the plugins' coins at each rate source, by symbol. */
  readonly priceIds: Readonly<Record<string, PriceIds>>;
  readonly lightning: LightningNode | null;
  readonly rateSources: readonly RateSource[];
  readonly notifiers: readonly Notifier[];
  /** The notifiers that notices are written for, also in a command that sets up no plugin. */
  readonly noticeChannels: readonly NoticeChannel[];
}

/** A till without plugins. */
export const NO_PLUGINS: PluginRegistry = {
  chains: new Map(),
  chainNames: [],
  priceIds: {},
  lightning: null,
  rateSources: [],
  notifiers: [],
  noticeChannels: [],
};

/** The ports that plugins receive. */
export type PluginPorts = Pick<PluginContext<unknown>, 'logger' | 'clock' | 'wallet' | 'signer' | 'documents'>;

/** The plugins of a running till; close them with it. */
export interface RunningPlugins extends PluginRegistry {
  /** Closes plugins in reverse order; a failure does not prevent closing the others. */
  close(): Promise<void>;
}

/**
 * Sets up the plugins, each with only its own options.
 *
 * @throws TillgateError `CONFIG_INVALID` naming the plugin that failed; those before it are closed again
 */
export async function setUpPlugins(ports: PluginPorts, plugins: readonly LoadedPlugin[]): Promise<RunningPlugins> {
  const registry = new Registry(ports);
  for (const loaded of plugins) {
    try {
      await loaded.plugin.setup(registry.contextOf(loaded));
    } catch (error) {
      await registry.close();
      const message = `The plugin ${loaded.plugin.name} could not be set up: ${(error as Error).message}`;
      throw new TillgateError('CONFIG_INVALID', message, {}, error);
    }
  }
  return registry;
}

/**
 * Requires TLS to nodes on other machines, because anyone in between could forge their answers.
 *
 * @throws TillgateError `CONFIG_INVALID` naming the nodes without TLS
 */
export function requireSecureNodes({ chains }: Pick<PluginRegistry, 'chains'>): void {
  for (const { code, nodes } of chains.values()) {
    if (nodes === undefined || nodes.insecure.length === 0) continue;
    throw new TillgateError(
      'CONFIG_INVALID',
      `${code}: ${nodes.insecure.join(', ')} is used without TLS, so anyone on the network path could invent payments. ` +
        'Use https, or set "insecureNodes": true in the options of the plugin if you control the whole network path.',
    );
  }
}

/**
 * Refuses chains with real money in the sandbox, which prices by a fixed table and has a merchant whose keys it prints.
 *
 * @throws TillgateError `CONFIG_INVALID` naming the chain whose coins are worth money
 */
export function requireTestNetworks({ chains }: Pick<PluginRegistry, 'chains'>): void {
  for (const { code, nodes } of chains.values()) {
    if (nodes?.mainNetwork !== true) continue;
    throw new TillgateError(
      'CONFIG_INVALID',
      `${code} is on its main network, whose coins are worth money: write "mode": "production", or name a network for tests.`,
    );
  }
}

class Registry implements RunningPlugins {
  readonly chains = new Map<ChainCode, ChainAdapter>();
  readonly chainNames: ChainName[] = [];
  readonly priceIds: Record<string, PriceIds> = {};
  readonly rateSources: RateSource[] = [];
  readonly notifiers: Notifier[] = [];
  lightning: LightningNode | null = null;
  readonly #ports: PluginPorts;
  readonly #closers: { readonly plugin: string; readonly close: () => void | Promise<void> }[] = [];
  readonly #owners = new Map<string, string>();

  constructor(ports: PluginPorts) {
    this.#ports = ports;
  }

  contextOf({ plugin, options }: LoadedPlugin): PluginContext<unknown> {
    const { logger, documents } = this.#ports;
    return {
      ...this.#ports,
      options,
      logger: logger.child({ plugin: plugin.name }),
      documents: namespaced(documents, plugin.name),
      signer: this.#signerOf(plugin, options),
      addChain: (chain, details) => this.#addChain(plugin.name, chain, details),
      addLightning: (node) => this.#addLightning(plugin.name, node),
      addRateSource: (source) => void this.rateSources.push(source),
      addNotifier: (notifier) => this.#addNotifier(plugin.name, notifier),
      onClose: (close) => void this.#closers.push({ plugin: plugin.name, close }),
    };
  }

  /** A plugin that names no accounts, such as a rate source, has no key. */
  #signerOf(plugin: Plugin, options: unknown): Signer | null {
    const { signer, logger } = this.#ports;
    const accounts = plugin.accounts?.(options) ?? [];
    for (const account of accounts) this.#claim(`the account ${account}`, plugin.name);
    if (signer === null || accounts.length > 0) return signer === null ? null : new AccountSigner(signer, accounts);
    logger.debug('the plugin names no accounts, so it gets no signer', { plugin: plugin.name });
    return null;
  }

  #addChain(plugin: string, chain: ChainAdapter, details: ChainDetails = {}): void {
    const { name = chain.name, priceIds = {}, explorer, addressExplorer, blockSeconds } = details;
    requireExplorer(explorer, '{txid}');
    requireExplorer(addressExplorer, '{address}');
    requireBlockSeconds(blockSeconds);
    this.#claim(`the chain ${chain.code}`, plugin);
    for (const { currency } of chain.assets) this.#claim(`the currency ${currency}`, plugin);
    this.chains.set(chain.code, withOptionalParts(chain));
    this.chainNames.push({
      ...{ code: chain.code, name },
      ...(explorer === undefined ? {} : { explorer }),
      ...(addressExplorer === undefined ? {} : { addressExplorer }),
      ...(blockSeconds === undefined ? {} : { blockSeconds }),
    });
    Object.assign(this.priceIds, priceIds);
  }

  #addLightning(plugin: string, node: LightningNode): void {
    this.#claim(`the chain ${LIGHTNING_ASSET.chain}`, plugin);
    this.#claim(`the currency ${LIGHTNING_ASSET.currency}`, plugin);
    this.lightning = node;
  }

  get noticeChannels(): readonly NoticeChannel[] {
    return this.notifiers;
  }

  #addNotifier(plugin: string, notifier: Notifier): void {
    this.#claim(`the notifier ${notifier.name}`, plugin);
    this.notifiers.push(notifier);
  }

  #claim(what: string, plugin: string): void {
    const owner = this.#owners.get(what);
    if (owner !== undefined) {
      throw new TillgateError(
        'CONFIG_INVALID',
        `${what} exists already, added by the plugin ${owner}: configure it once`,
      );
    }
    this.#owners.set(what, plugin);
  }

  async close(): Promise<void> {
    for (const { plugin, close } of this.#closers.splice(0).reverse()) {
      try {
        await close();
      } catch (error) {
        this.#ports.logger.error('a plugin failed to close', { plugin, error });
      }
    }
  }
}

/** Payers follow this link, so it must be an https page. */
function requireExplorer(explorer: string | undefined, place: '{txid}' | '{address}'): void {
  if (explorer === undefined || (/^https:\/\/[^\s"<>\\]+$/.test(explorer) && explorer.includes(place))) return;
  throw new TillgateError('CONFIG_INVALID', `the explorer of a chain must be an https URL with ${place} in it`);
}

/** Payers read the time that is left, which is computed from it. */
function requireBlockSeconds(seconds: number | undefined): void {
  if (seconds === undefined || (Number.isFinite(seconds) && seconds > 0)) return;
  throw new TillgateError('CONFIG_INVALID', 'the blockSeconds of a chain must be a number of seconds above 0');
}

function namespaced(documents: DocumentStore, plugin: string): DocumentStore {
  const key = (name: string): string => `plugin:${plugin}:${name}`;
  return {
    read: (name) => documents.read(key(name)),
    write: (name, value, expectedVersion) => documents.write(key(name), value, expectedVersion),
  };
}

/** Parts that interface 1.0 did not have: a chain without them takes orders and is watch-only. */
const OPTIONAL_PARTS: Readonly<Record<string | symbol, null>> = { payments: null, balances: null };

/** The chain with its missing parts as `null`. The plugin's own object is not changed; methods run on that object. */
function withOptionalParts(chain: ChainAdapter): ChainAdapter {
  if (Object.keys(OPTIONAL_PARTS).every((part) => part in chain)) return chain;
  return new Proxy(chain, {
    has: (target, key) => key in target || Object.hasOwn(OPTIONAL_PARTS, key),
    get: (target, key) => {
      if (!(key in target)) return OPTIONAL_PARTS[key];
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
