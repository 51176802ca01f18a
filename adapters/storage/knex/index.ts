/**
 * Storage in SQLite or PostgreSQL through knex.
 *
 * @packageDocumentation
 */
export { openStorage } from './open-storage.ts';
export type { EmbeddedConfig, PgConfig, StorageConfig, StorageDeps } from './open-storage.ts';
export { driverNotice } from './drivers/sqlite-client.ts';
export type { FoundDrivers, PackageDefect, SqliteConfig, SqliteDriver } from './drivers/sqlite-client.ts';
export { requireSecureConnection } from './pg-transport.ts';
export { SqlStorage } from './sql-storage.ts';
export type { TransactionLimits } from './session.ts';
export { classOf, inspectDatabase } from './inspection/inspect.ts';
export type * from './inspection/facts.ts';
export type { InspectedDatabase } from './inspection/read-only.ts';
export { acquireServerLock } from './server-lock.ts';
export type { ServerLock } from './server-lock.ts';
export { BACKUP_ENDINGS, backUpDatabase, engineOf, restoreDatabase } from './backup/back-up.ts';
export type { RestoreDeps } from './backup/back-up.ts';
export type { Environment } from './backup/pg-programs.ts';
