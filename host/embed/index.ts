/**
 * The payment processor inside an application: in its process, with its database, logger and metrics, without a server.
 * Importing it has no effect but the metadata functions on `Reflect`, which the container's library adds.
 *
 * @packageDocumentation
 */
export { createTillgate, merchantOf } from './tillgate.ts';
export type { MountOptions, TillWorkers, Tillgate, UseCases } from './tillgate.ts';
export type { PluginWithOptions, TablePlacement, TillSettings, TillStorage, TillgateOptions } from './options.ts';
export type { WorkerScope } from '../workers/workers.ts';
export type { PortReplacements, Ports } from '../../core/index.ts';
