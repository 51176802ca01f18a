import { configError } from '../config.ts';
import type { Till } from '../container.ts';
import { openTill } from '../base.ts';
import type { Base } from '../open.ts';
import { importPlugins } from '../plugins.ts';
import { withBase } from './with-base.ts';

/** Runs a command that needs the chains: the whole till, without its server and its work. */
export async function withTill<T>(work: (till: Till, base: Base) => Promise<T>): Promise<T> {
  return withBase(async (base) => {
    const { plugins, mode, directory } = base.config;
    const { plugins: imported, problems } = await importPlugins(plugins, mode, directory);
    if (problems.length > 0) throw configError(problems);
    return work(await openTill(base, imported, { url: '' }), base);
  });
}
