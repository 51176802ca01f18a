import cluster from 'node:cluster';
import { configError } from '../settings/config.ts';
import type { HostConfig } from '../settings/config.ts';
import { acceptReloads } from '../boot/accept-reloads.ts';
import { openHostRuntime } from '../boot/open.ts';
import type { ProcessLog } from '../boot/log.ts';
import { endOnUncaughtError, stopOnSignal } from '../boot/process-end.ts';
import { Processes } from './processes.ts';

/** The inputs of running a server of several processes. */
export interface PrimaryOptions {
  readonly count: number;
  readonly config: HostConfig;
  readonly log: ProcessLog;
  /** Writes a line to standard output. */
  readonly say: (line: string) => void;
  /** The exit code after a newer release has migrated the database. */
  readonly outdatedExit: number;
}

/**
 * Runs a server of several processes from the process that starts them. It opens no port and follows no chain.
 *
 * @returns the exit code
 * @throws TillgateError the reason why the processes could not serve
 */
export async function runPrimary({ count, config, log, say, outdatedExit }: PrimaryOptions): Promise<number> {
  if (!cluster.isPrimary) throw configError([{ path: 'processes', message: CLUSTERED }]);
  const processes = new Processes(count, log.logger);
  endOnUncaughtError(log);
  const stopped = stopOnSignal(processes, log, 'end');
  const migrated = migrateOnce(config, log).then(() => null);
  if ((await Promise.race([stopped, migrated])) === 0) return 0;
  processes.start();
  const endReloads = await acceptReloads(config.dataDir, () => processes.reload(), log.logger);
  void processes.serving.then((greeting) => greeting.forEach(say));
  const outdated = processes.outdated.then(() => outdatedExit);
  try {
    const code = await Promise.race([stopped, outdated, processes.failure]);
    await processes.stop();
    return code;
  } catch (error) {
    await processes.stop();
    throw error;
  } finally {
    endReloads();
  }
}

const CLUSTERED =
  'this program was started as a process of a cluster (a process manager such as pm2 does that): write 1, or start it without the process manager';

/**
 * Brings the schema up to date and checks the master key once, before several processes would do it at the same time.
 */
async function migrateOnce(config: HostConfig, { logger }: ProcessLog): Promise<void> {
  const runtime = await openHostRuntime(config, logger, 'command');
  await runtime.close();
}
