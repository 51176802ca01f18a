import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import type { Logger } from '../core/index.ts';
import { PromMetrics } from '../adapters/metrics/index.ts';
import { acquireServerLock, openStorage } from '../adapters/storage/knex/index.ts';
import { Closers, SHARED_TTL_MS, layBase } from './base.ts';
import type { TillBase } from './base.ts';
import type { HostConfig } from './config.ts';
import { obtainMasterKey } from './master-key.ts';

/** Who opens a till: the one server of a database file, or a command that runs beside it. */
export type Role = 'server' | 'command';

/** What a server or a command of this machine stands on. */
export type Base = TillBase<HostConfig>;

/** The one server of a file takes its own leases again at once; nobody else wants them. */
const ALONE_TTL_MS = 600_000;

/**
 * Opens the configured database and brings its schema up to date.
 *
 * @throws TillgateError `CONFIG_INVALID` for a wrong master key, a database of another server, a version too old
 */
export async function openBase(config: HostConfig, logger: Logger, role: Role): Promise<Base> {
  const closers = new Closers(logger);
  try {
    return await assemble(config, logger, role, closers);
  } catch (error) {
    await closers.close();
    throw error;
  }
}

async function assemble(config: HostConfig, logger: Logger, role: Role, closers: Closers): Promise<Base> {
  const masterKey = obtainMasterKey(config);
  const { database } = config;
  const alone = database.client === 'sqlite' && role === 'server';
  if (database.client === 'sqlite') mkdirSync(dirname(database.filename), { recursive: true, mode: 0o700 });
  if (alone) {
    const lock = await acquireServerLock(database);
    closers.add('server lock', () => lock.release());
  }
  const storage = await openStorage(database, { logger });
  closers.add('storage', () => storage.close());
  const owner = alone ? 'server' : `${hostname()}:${process.pid}:${randomUUID()}`;
  const leaseTtlMs = alone || role === 'command' ? ALONE_TTL_MS : SHARED_TTL_MS;
  const metrics = new PromMetrics(logger);
  return layBase({ config, masterKey, mnemonic: config.secrets.mnemonic, logger, metrics, storage, owner, leaseTtlMs }, closers);
}
