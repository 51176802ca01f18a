import { loadConfig } from '../config.ts';
import { openLog } from '../log.ts';
import { openBase } from '../open.ts';
import type { Base } from '../open.ts';

/** Runs a command on the configured database, beside whatever server runs on it. */
export async function withBase<T>(work: (base: Base) => Promise<T>): Promise<T> {
  const config = await loadConfig();
  const log = openLog('warn');
  const base = await openBase(config, log.logger, 'command');
  try {
    return await work(base);
  } finally {
    await base.close();
    log.flush();
  }
}
