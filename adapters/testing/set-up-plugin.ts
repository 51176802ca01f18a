import type {
  ChainAdapter,
  Clock,
  ConfiguredPlugin,
  DocumentStore,
  LightningNode,
  Notifier,
  Logger,
  PublicWallet,
  RateSource,
  Signer,
} from '../../core/index.ts';
import { AccountSigner } from '../wallet/account-signer.ts';

/** What a plugin has registered, and how to close it. */
export interface PluginYield {
  readonly chains: readonly ChainAdapter[];
  readonly rateSources: readonly RateSource[];
  readonly notifiers: readonly Notifier[];
  /** `null` when the plugin registered none. */
  readonly lightning: LightningNode | null;
  close(): Promise<void>;
}

/** The context of a plugin in a test, which is all in memory. */
export interface PluginSurroundings {
  /** A wallet with a signer belongs to a till that has a seed. */
  readonly wallet: PublicWallet | (PublicWallet & Signer);
  readonly clock?: Clock;
  /** Share it between two set-ups to simulate a restart. */
  readonly documents?: DocumentStore;
  readonly logger?: Logger;
}

const quiet: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => quiet,
};

/**
 * Validates the options and sets up the plugin as a till does. @throws TillgateError `CONFIG_INVALID` as the plugin does
 */
export async function setUpPlugin(
  { plugin, options: given }: ConfiguredPlugin,
  surroundings: PluginSurroundings,
): Promise<PluginYield> {
  const { wallet, clock = { now: () => Date.now() }, documents = memoryDocuments(), logger = quiet } = surroundings;
  const chains: ChainAdapter[] = [];
  const rateSources: RateSource[] = [];
  const notifiers: Notifier[] = [];
  const nodes: LightningNode[] = [];
  const closers: (() => void | Promise<void>)[] = [];
  const options = plugin.options(given);
  const accounts = plugin.accounts?.(options) ?? [];
  await plugin.setup({
    options,
    logger,
    clock,
    wallet,
    signer: 'sign' in wallet && accounts.length > 0 ? new AccountSigner(wallet, accounts) : null,
    documents,
    addChain: (chain) => void chains.push(chain),
    addLightning: (node) => void nodes.push(node),
    addRateSource: (source) => void rateSources.push(source),
    addNotifier: (notifier) => void notifiers.push(notifier),
    onClose: (close) => void closers.push(close),
  });
  const close = async (): Promise<void> => {
    for (const one of closers.splice(0).reverse()) await one();
  };
  return { chains, rateSources, notifiers, lightning: nodes[0] ?? null, close };
}

/** Documents with compare-and-set, as in a database. */
export function memoryDocuments(): DocumentStore {
  const rows = new Map<string, { readonly value: string; readonly version: number }>();
  return {
    read: async (key) => rows.get(key) ?? null,
    write: async (key, value, expectedVersion) => {
      if ((rows.get(key)?.version ?? 0) !== expectedVersion) return false;
      rows.set(key, { value, version: expectedVersion + 1 });
      return true;
    },
  };
}
