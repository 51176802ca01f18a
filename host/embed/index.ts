/**
 * The payment processor inside an application: in its process, with its database, logger and metrics, without a server.
 * Importing it has no effect but the metadata functions on `Reflect`, which the container's library adds.
 *
 * @packageDocumentation
 */
export { createTillgate } from './tillgate.ts';
export type {
  ExpressHandler,
  FetchDoor,
  MountOptions,
  SandboxControl,
  TillEvents,
  TillWorkers,
  Tillgate,
} from './tillgate.ts';
export type * from './api.ts';
export type { DatabaseOptions, TablePlacement, TillDatabase } from './database.ts';
export type { FailedTillEvent, TillEvent } from './events.ts';
export type { PrometheusRegistry, TillSettings, TillgateOptions } from './options.ts';
export type { WorkerScope } from '../workers/workers.ts';
export { TillgateError, isTillgateError } from '../../core/index.ts';
export type {
  CallbackOutcome,
  CallbackRequest,
  CallbackTransport,
  ConfiguredPlugin,
  DomainEvents,
  EcdsaSignature,
  ErrorCode,
  ErrorDetails,
  FieldError,
  HandledType,
  LogFields,
  Logger,
  Metrics,
  PortReplacements,
  Ports,
  PriceTick,
  RateSource,
  Signer,
  SigningIntent,
  Storage,
} from '../../core/index.ts';
export type { FetchHandler } from '../../adapters/http/fetch/index.ts';
export type { InProcessOptions } from '../../adapters/http/index.ts';
export { MnemonicWallet, generateMnemonic } from '../../adapters/wallet/index.ts';
