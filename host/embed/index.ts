/**
 * The payment processor inside an application: in its process, with its database, logger and metrics, without a server.
 * Importing it has no effect but the metadata functions on `Reflect`, which the container's library adds.
 *
 * @packageDocumentation
 */
export { createTillgate } from './tillgate.ts';
export type { FetchDoor, MountOptions, SandboxControl, TillEvents, TillWorkers, Tillgate } from './tillgate.ts';
export type * from './api.ts';
export type { DatabaseOptions, TablePlacement, TillDatabase } from './database.ts';
export type { FailedTillEvent, TillEvent } from './events.ts';
export type { TillSettings, TillgateOptions } from './options.ts';
export type { WorkerScope } from '../workers/workers.ts';
export type { PortReplacements, Ports } from '../../core/index.ts';
