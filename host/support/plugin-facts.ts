import { BUILT_IN_NAMES } from '../../plugins/registry.ts';

/** A plugin of the settings, without the values of its options. */
export interface PluginFacts {
  /** The name of a built-in plugin; `own` for a package or a file. */
  readonly plugin: string;
  /** The option names of a built-in plugin, or the number of options of another. */
  readonly options: readonly string[] | number;
}

const NAME = /^[a-z][A-Za-z]{0,31}$/;

/**
 * Describes the plugins of the settings without loading them. Options of plugins that are not built in are only
 * counted, because their names may be anything.
 */
export function describePlugins(plugins: unknown): readonly PluginFacts[] {
  if (!Array.isArray(plugins)) return [];
  return plugins.map((each: unknown) => {
    const { use, options } = (each ?? {}) as { readonly use?: unknown; readonly options?: unknown };
    const names = typeof options === 'object' && options !== null ? Object.keys(options) : [];
    return typeof use === 'string' && BUILT_IN_NAMES.includes(use)
      ? { plugin: use, options: names.filter((name) => NAME.test(name)) }
      : { plugin: 'own', options: names.length };
  });
}
