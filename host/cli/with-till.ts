import { TillgateError } from '../../core/index.ts';
import type { AccountId, Manage } from '../../core/index.ts';
import { configError, loadConfig } from '../settings/config.ts';
import { resolveManage } from '../boot/container.ts';
import type { Till } from '../boot/container.ts';
import { openLog } from '../boot/log.ts';
import { notedNoticeChannels } from '../boot/notice-channels.ts';
import { openHostRuntime } from '../boot/open.ts';
import type { HostRuntime } from '../boot/open.ts';
import { importPlugins } from '../boot/plugins.ts';
import { openTill } from '../boot/runtime.ts';
import type { RuntimeOptions } from '../boot/runtime.ts';

/** Runs a command on the configured database, beside a server that may be running on it. */
export async function withRuntime<T>(
  work: (runtime: HostRuntime) => Promise<T>,
  options: RuntimeOptions = {},
): Promise<T> {
  const config = await loadConfig();
  const log = openLog({}, 'warn', config.logFormat);
  const runtime = await openHostRuntime(config, log.logger, 'command', options);
  try {
    return await work(runtime);
  } finally {
    await runtime.close();
    log.flush();
  }
}

/** Runs a command that uses the management use cases and no chain. */
export async function withManage<T>(work: (manage: Manage, runtime: HostRuntime) => Promise<T>): Promise<T> {
  return withRuntime(async (runtime) =>
    work(resolveManage(runtime.container, await notedNoticeChannels(runtime.storage.documents)), runtime),
  );
}

/** Runs a command that needs the chains: the whole till, without its server and its workers. */
export async function withTill<T>(
  work: (till: Till, runtime: HostRuntime) => Promise<T>,
  options: RuntimeOptions = {},
): Promise<T> {
  return withRuntime(async (runtime) => {
    const { plugins, mode, directory } = runtime.config;
    const { plugins: imported, problems } = await importPlugins(plugins, mode, directory);
    if (problems.length > 0) throw configError(problems);
    return work(await openTill(runtime, imported, { url: '' }), runtime);
  }, options);
}

/** The account that an option names. @throws TillgateError `NOT_FOUND` when there is none */
export async function requireAccount(
  { storage }: HostRuntime,
  value: string | boolean | undefined,
): Promise<AccountId> {
  const id = String(value) as AccountId;
  if ((await storage.accounts.find(id)) === null) throw new TillgateError('NOT_FOUND', 'There is no such account.');
  return id;
}
