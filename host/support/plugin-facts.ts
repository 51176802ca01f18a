import { BUILT_IN_NAMES } from '../../plugins/registry.ts';

/** A plugin of the settings, without what its options say. */
export interface PluginFacts {
  /** The name of a built-in one; `own` for a package or a file. */
  readonly plugin: string;
  /** The names of its options, of a built-in one. */
  readonly options: readonly string[] | number;
}

const NAME = /^[a-z][A-Za-z]{0,31}$/;

/** What kind of plugins the settings name. Nothing of them is loaded; options of others' plugins are counted, their names may be anything. */
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
