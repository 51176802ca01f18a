import { isAbsolute, resolve } from 'node:path';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { Container } from 'inversify';
import { CLOCK, LIGHTNING_ASSET, LOGGER, PLUGIN_API_VERSION, SIGNER, STORAGE, TillgateError, isTillgateError } from '../core/index.ts';
import type { ChainAdapter, ChainCode, ChainName, DocumentStore, FieldError, LightningNode, Plugin, PluginContext, RateSource } from '../core/index.ts';
import type { PluginSetting } from './settings.ts';
import { PUBLIC_WALLET } from './tokens.ts';

/** A plugin that was found fit, with its options as it read them. */
export interface LoadedPlugin {
  readonly plugin: Plugin;
  readonly options: unknown;
}

/** What the plugins of an installation brought. */
export interface PluginHarvest {
  readonly chains: ReadonlyMap<ChainCode, ChainAdapter>;
  readonly chainNames: readonly ChainName[];
  readonly lightning: LightningNode | null;
  readonly rateSources: readonly RateSource[];
  /** Ends every plugin, the last set up first; an error of one keeps none of the others open. */
  close(): Promise<void>;
}

const BUILT_IN: Readonly<Record<string, () => Promise<{ default: unknown }>>> = {
  ethereum: () => import('../plugins/ethereum/index.ts'),
  bsc: () => import('../plugins/bsc/index.ts'),
  tron: () => import('../plugins/tron/index.ts'),
  bitcoin: () => import('../plugins/bitcoin/index.ts'),
  litecoin: () => import('../plugins/litecoin/index.ts'),
  lightning: () => import('../plugins/lightning/index.ts'),
  sandbox: () => import('../plugins/sandbox/index.ts'),
};

/**
 * Imports the plugins that the settings name and has each read its options. Nothing is set up yet.
 *
 * @returns those that are fit, and every problem with the path of its setting
 */
export async function importPlugins(
  settings: readonly PluginSetting[],
  mode: 'sandbox' | 'production',
  directory: string,
): Promise<{ plugins: readonly LoadedPlugin[]; problems: readonly FieldError[] }> {
  const plugins: LoadedPlugin[] = [];
  const problems: FieldError[] = [];
  for (const [index, { use, options }] of settings.entries()) {
    const path = `plugins.${index}`;
    try {
      const plugin = checkPlugin(await importPlugin(use, directory), mode);
      plugins.push({ plugin, options: plugin.options(options ?? {}) });
    } catch (error) {
      problems.push(...problemsOf(error, path, use));
    }
  }
  return { plugins, problems };
}

async function importPlugin(use: string, directory: string): Promise<unknown> {
  const builtIn = Object.hasOwn(BUILT_IN, use) ? BUILT_IN[use] : undefined;
  if (builtIn !== undefined) return (await builtIn()).default;
  const path = /^\.{0,2}\//.test(use) || isAbsolute(use) ? resolve(directory, use) : createRequire(resolve(directory, '_')).resolve(use);
  const module = (await import(pathToFileURL(path).href)) as { default?: unknown };
  return module.default;
}

/** @throws TillgateError `CONFIG_INVALID` for what is no plugin, or not one for this interface or mode */
export function checkPlugin(found: unknown, mode: 'sandbox' | 'production'): Plugin {
  const plugin = found as Partial<Plugin> | null | undefined;
  const shaped =
    typeof plugin === 'object' &&
    plugin !== null &&
    typeof plugin.name === 'string' &&
    typeof plugin.requires === 'string' &&
    typeof plugin.options === 'function' &&
    typeof plugin.setup === 'function';
  if (!shaped) throw new TillgateError('CONFIG_INVALID', 'its default export is no plugin: make it with definePlugin');
  if (!satisfies(PLUGIN_API_VERSION, plugin.requires)) {
    const message = `requires the plugin interface ${plugin.requires}, this is ${PLUGIN_API_VERSION}: use a release made for it`;
    throw new TillgateError('CONFIG_INVALID', message);
  }
  if (plugin.sandboxOnly === true && mode === 'production') {
    throw new TillgateError('CONFIG_INVALID', 'is for the sandbox only: remove it from a production configuration');
  }
  return plugin as Plugin;
}

/** True when a version is in a caret range (`^1.2.0`) or is exactly the one named. */
export function satisfies(version: string, range: string): boolean {
  const numbers = (text: string): readonly [number, number, number] | null => {
    const match = /^(\d+)\.(\d+)\.(\d+)$/.exec(text);
    return match === null ? null : [Number(match[1]), Number(match[2]), Number(match[3])];
  };
  const have = numbers(version);
  const wanted = numbers(range.replace(/^\^/, ''));
  if (have === null || wanted === null) return false;
  if (!range.startsWith('^')) return version === range;
  // A caret holds the first number that is not zero, as npm reads it.
  const held = wanted.findIndex((number) => number > 0);
  const upTo = held === -1 ? 2 : held;
  if (wanted.slice(0, upTo + 1).some((number, index) => have[index] !== number)) return false;
  const order = have.map((number, index) => number - (wanted[index] ?? 0)).find((difference) => difference !== 0) ?? 0;
  return order >= 0;
}

/** What kept a plugin from being loaded, as problems of its setting. */
export function problemsOf(error: unknown, path: string, use: string): FieldError[] {
  const fields = isTillgateError(error, 'CONFIG_INVALID') ? error.details.fields : undefined;
  if (fields !== undefined && fields.length > 0) {
    return fields.map((field) => ({ path: `${path}.options.${field.path.replace(/^options\./, '')}`, message: field.message }));
  }
  const missing = (error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND' || (error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND';
  const known = Object.keys(BUILT_IN).join(', ');
  const reason = missing ? `is neither built in (${known}) nor a module that can be found` : (error as Error).message;
  return [{ path, message: `plugin ${use}: ${reason}` }];
}

/**
 * Sets the plugins up, each with its own options and nothing else.
 *
 * @throws TillgateError `CONFIG_INVALID` naming the plugin that failed; those before it are closed again
 */
export async function setUpPlugins(container: Container, plugins: readonly LoadedPlugin[]): Promise<PluginHarvest> {
  const harvest = new Harvest(container);
  for (const loaded of plugins) {
    try {
      await loaded.plugin.setup(harvest.contextOf(loaded));
    } catch (error) {
      await harvest.close();
      const message = `The plugin ${loaded.plugin.name} could not be set up: ${(error as Error).message}`;
      throw new TillgateError('CONFIG_INVALID', message, {}, error);
    }
  }
  return harvest;
}

class Harvest implements PluginHarvest {
  readonly chains = new Map<ChainCode, ChainAdapter>();
  readonly chainNames: ChainName[] = [];
  readonly rateSources: RateSource[] = [];
  lightning: LightningNode | null = null;
  readonly #container: Container;
  readonly #closers: { readonly plugin: string; readonly close: () => void | Promise<void> }[] = [];
  readonly #owners = new Map<string, string>();

  constructor(container: Container) {
    this.#container = container;
  }

  contextOf({ plugin, options }: LoadedPlugin): PluginContext<unknown> {
    return {
      options,
      logger: this.#container.get(LOGGER).child({ plugin: plugin.name }),
      clock: this.#container.get(CLOCK),
      wallet: this.#container.get(PUBLIC_WALLET),
      signer: this.#container.get(SIGNER),
      documents: namespaced(this.#container.get(STORAGE).documents, plugin.name),
      addChain: (chain, name) => this.#addChain(plugin.name, chain, name),
      addLightning: (node) => this.#addLightning(plugin.name, node),
      addRateSource: (source) => void this.rateSources.push(source),
      onClose: (close) => void this.#closers.push({ plugin: plugin.name, close }),
    };
  }

  #addChain(plugin: string, chain: ChainAdapter, name: ChainName | undefined): void {
    this.#claim(`the chain ${chain.code}`, plugin);
    for (const { currency } of chain.assets) this.#claim(`the currency ${currency}`, plugin);
    this.chains.set(chain.code, completed(chain));
    this.chainNames.push(name ?? { code: chain.code, name: chain.name });
  }

  #addLightning(plugin: string, node: LightningNode): void {
    this.#claim(`the chain ${LIGHTNING_ASSET.chain}`, plugin);
    this.#claim(`the currency ${LIGHTNING_ASSET.currency}`, plugin);
    this.lightning = node;
  }

  #claim(what: string, plugin: string): void {
    const owner = this.#owners.get(what);
    if (owner !== undefined) {
      throw new TillgateError('CONFIG_INVALID', `${what} is there already, brought by the plugin ${owner}: configure it once`);
    }
    this.#owners.set(what, plugin);
  }

  async close(): Promise<void> {
    for (const { plugin, close } of this.#closers.splice(0).reverse()) {
      try {
        await close();
      } catch (error) {
        this.#container.get(LOGGER).error('a plugin failed to close', { plugin, error });
      }
    }
  }
}

function namespaced(documents: DocumentStore, plugin: string): DocumentStore {
  const key = (name: string): string => `plugin:${plugin}:${name}`;
  return {
    read: (name) => documents.read(key(name)),
    write: (name, value, expectedVersion) => documents.write(key(name), value, expectedVersion),
  };
}

/** A chain written for interface 1.0 has neither a paying side nor balances: it takes orders and is watch-only. */
function completed(chain: ChainAdapter): ChainAdapter {
  for (const part of ['payments', 'balances'] as const) {
    if (!(part in chain)) Object.defineProperty(chain, part, { value: null, enumerable: true });
  }
  return chain;
}
