import type { z } from 'zod';
import type { ConfiguredPlugin, Logger, Metrics, PortReplacements } from '../../core/index.ts';
import type { BridgeLevel, ConsoleLike, PinoLike } from '../../adapters/logging/bridge-logger.ts';
import type { tillSchema } from '../settings/settings.ts';
import type { WorkerScope } from '../workers/workers.ts';
import type { TillDatabase } from './database.ts';

/** The settings that a till has in every kind of process, with the names and forms of the settings file. */
export type TillSettings = Omit<z.input<typeof tillSchema>, 'mode'>;

/** A registry of prom-client. */
export interface PrometheusRegistry {
  readonly contentType: string;
  registerMetric(metric: never): void;
  metrics(): Promise<string>;
}

/** Options of `createTillgate`. Nothing else is read: no environment, no file. */
export interface TillgateOptions extends TillSettings {
  /** `sqlite:./till.db`, `postgres://…`, or a knex instance of the application. Omitted only with `replace.storage`. */
  readonly database?: TillDatabase;
  /**
   * 32 random bytes, or their base64 or hex; it seals the secrets in the database. On a SQLite file it may be omitted:
   * the till then creates it once, in a file beside the database (`till.db.key`), which must be backed up with it.
   */
  readonly masterKey?: Uint8Array | string;
  /** The key that `masterKey` replaces, until `rotateMasterKey` has sealed all secrets with the new one. */
  readonly formerMasterKey?: Uint8Array | string;
  /**
   * The URL of this till for payers and merchants, including its mount path: `https://shop.example.com/pay`. It is
   * `http://localhost:3000` by default, for a first try.
   */
  readonly baseUrl?: string;
  /** The chains: `ethereum({ rpcUrls })` of `tillgate/plugins/ethereum`, the other built-in plugins, or custom ones. */
  readonly plugins?: readonly ConfiguredPlugin[];
  /** `production` by default. `sandbox` allows the simulated chain and offers to pay orders with it. */
  readonly mode?: 'sandbox' | 'production';
  /**
   * The wallet's seed words; `null` for a till that holds no keys, whose chains are watch-only. When they are omitted,
   * the stored wallet is used; the sandbox, and a till that keeps its own master key, create one.
   */
  readonly mnemonic?: string | null;
  /** The application's logger (pino, winston); by default warnings go to the console. It receives no secret. */
  readonly logger?: PinoLike | ConsoleLike | Logger;
  /** The lowest level that is logged: `info` by default, `warn` on the console. */
  readonly logLevel?: BridgeLevel;
  /** The application's prom-client registry, or any `Metrics`; nothing is measured by default. */
  readonly metrics?: PrometheusRegistry | Metrics;
  /**
   * The application's implementations of ports, which replace the till's: `replace: { rates: [mySource], signer: myHsm
   * }`. The application closes them. With a `signer`, addresses are derived from its public keys, and no seed is
   * stored.
   */
  readonly replace?: PortReplacements;
  /**
   * The background work of this process: `all` by default, which follows chains, expires orders, pays out and delivers
   * events; `instance` for a process that takes orders and leaves the rest to another; `none` to start it later by
   * `till.workers.start`. A process that starts nothing can make no ids after 15 seconds.
   */
  readonly workers?: WorkerScope | 'none';
  /** The number of the application's own proxies in front: that many entries of `X-Forwarded-For` are trusted. */
  readonly trustedHops?: number;
}
