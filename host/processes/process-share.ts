import type { DatabaseConfig, HostConfig } from '../settings/config.ts';
import type { ProcessPlace } from './process-count.ts';

/** Each process allows this many failed logins per minute, if the settings do: a mistyped password is no attack. */
const LOGINS_EACH = 3;

/**
 * The settings of one of several processes: its share of the database connections, and of the per-minute limits for
 * anonymous clients, which each process counts by itself. Limits of accounts are not divided: a merchant may send all
 * requests by one connection.
 */
export function shareOf(config: HostConfig, { number, count }: ProcessPlace): HostConfig {
  const { database, limits } = config;
  const { loginsPerMinute, payerWritesPerMinute } = limits;
  const shared = {
    ...limits,
    loginsPerMinute: Math.max(Math.min(LOGINS_EACH, loginsPerMinute), Math.ceil(loginsPerMinute / count)),
    payerWritesPerMinute: Math.ceil(payerWritesPerMinute / count),
  };
  return { ...config, limits: shared, database: poolShare(database, { number, count }) };
}

/** Divides the pool without giving a connection twice. */
function poolShare(database: DatabaseConfig, { number, count }: ProcessPlace): DatabaseConfig {
  if (database.client === 'sqlite') return database;
  const part = (all: number): number => Math.floor(all / count) + (number <= all % count ? 1 : 0);
  return { ...database, pool: { min: part(database.pool.min), max: Math.max(part(database.pool.max), 1) } };
}
