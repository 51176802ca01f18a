import { isAbsolute, resolve } from 'node:path';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { PLUGIN_API_VERSION, TillgateError, isTillgateError } from '../../core/index.ts';
import type { FieldError, Plugin, PluginFactory } from '../../core/index.ts';
import { BUILT_IN_NAMES, isBuiltIn, loadBuiltIn } from '../../plugins/registry.ts';
import { missingPeer, missingPeerWords } from './missing-peer.ts';
import type { PluginSetting } from '../settings/settings.ts';

/** A valid plugin with its validated options. */
export interface LoadedPlugin {
  readonly plugin: Plugin;
  readonly options: unknown;
}

/**
 * Imports the plugins of the settings and parses their options, without setting them up.
 *
 * @returns the valid plugins, and every problem with the path of its setting
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

/** The plugin of the factory that a built-in plugin, a package or a module exports by default. */
export async function importPlugin(use: string, directory: string): Promise<unknown> {
  return ((await importFactory(use, directory)) as Partial<PluginFactory> | null | undefined)?.plugin;
}

async function importFactory(use: string, directory: string): Promise<unknown> {
  if (isBuiltIn(use)) return loadBuiltIn(use);
  const path =
    /^\.{0,2}\//.test(use) || isAbsolute(use)
      ? resolve(directory, use)
      : createRequire(resolve(directory, '_')).resolve(use);
  const module = (await import(pathToFileURL(path).href)) as { default?: unknown };
  return module.default;
}

/** @throws TillgateError `CONFIG_INVALID` for a value that is not a plugin, or not one for this interface or mode */
export function checkPlugin(found: unknown, mode: 'sandbox' | 'production'): Plugin {
  const plugin = found as Partial<Plugin> | null | undefined;
  const shaped =
    typeof plugin === 'object' &&
    plugin !== null &&
    typeof plugin.name === 'string' &&
    typeof plugin.requires === 'string' &&
    typeof plugin.options === 'function' &&
    typeof plugin.setup === 'function';
  if (!shaped)
    throw new TillgateError('CONFIG_INVALID', 'its default export is not a plugin: make it with definePlugin');
  if (!satisfies(PLUGIN_API_VERSION, plugin.requires)) {
    const message = `requires the plugin interface ${plugin.requires}, this is ${PLUGIN_API_VERSION}: use a release made for it`;
    throw new TillgateError('CONFIG_INVALID', message);
  }
  if (plugin.sandboxOnly === true && mode === 'production') {
    throw new TillgateError('CONFIG_INVALID', 'is for the sandbox only: remove it from a production configuration');
  }
  return plugin as Plugin;
}

/** True when a version is in a caret range (`^1.2.0`) or equals the exact version. */
export function satisfies(version: string, range: string): boolean {
  const numbers = (text: string): readonly [number, number, number] | null => {
    const match = /^(\d+)\.(\d+)\.(\d+)$/.exec(text);
    return match === null ? null : [Number(match[1]), Number(match[2]), Number(match[3])];
  };
  const have = numbers(version);
  const wanted = numbers(range.replace(/^\^/, ''));
  if (have === null || wanted === null) return false;
  if (!range.startsWith('^')) return version === range;
  // A caret range fixes the first number that is not zero, as in npm.
  const held = wanted.findIndex((number) => number > 0);
  const upTo = held === -1 ? 2 : held;
  if (wanted.slice(0, upTo + 1).some((number, index) => have[index] !== number)) return false;
  const order = have.map((number, index) => number - (wanted[index] ?? 0)).find((difference) => difference !== 0) ?? 0;
  return order >= 0;
}

/** The reasons why a plugin could not be loaded, as problems of its setting. */
export function problemsOf(error: unknown, path: string, use: string): FieldError[] {
  const fields = isTillgateError(error, 'CONFIG_INVALID') ? error.details.fields : undefined;
  if (fields !== undefined && fields.length > 0) {
    return fields.map((field) => ({
      path: `${path}.options.${field.path.replace(/^options\./, '')}`,
      message: field.message,
    }));
  }
  const peer = isBuiltIn(use) ? missingPeer(error) : null;
  if (peer !== null) return [{ path, message: missingPeerWords(peer, `the plugin ${use}`) }];
  const missing =
    (error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND' ||
    (error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND';
  const known = BUILT_IN_NAMES.join(', ');
  const reason = missing ? `is neither built in (${known}) nor a module that can be found` : (error as Error).message;
  return [{ path, message: `plugin ${use}: ${reason}` }];
}
