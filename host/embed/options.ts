import type { Registry } from 'prom-client';
import type { z } from 'zod';
import type { Logger, Metrics, Plugin, PortReplacements, Storage } from '../../core/index.ts';
import type { BridgeLevel, ConsoleLike, PinoLike } from '../../adapters/logging/bridge-logger.ts';
import type { EmbeddedConfig, PgConfig, SqliteConfig } from '../../adapters/storage/knex/index.ts';
import type { tillSchema } from '../settings/settings.ts';

/** The names of a till's tables in an application's database. */
export interface TablePlacement {
  /** A prefix of every table's name: up to 24 lower-case letters, digits and underscores. */
  readonly tablePrefix?: string;
  /** The PostgreSQL schema of the tables, created when it is missing. */
  readonly schema?: string;
}

/**
 * Where a till keeps its data: an application's knex instance or implementation of `Storage`, both closed by the
 * application; or a database to open.
 */
export type TillStorage =
  | (EmbeddedConfig & TablePlacement)
  | (PgConfig &
      TablePlacement & {
        /** True allows a production database on another machine without TLS; false by default. */
        readonly insecure?: boolean;
      })
  | (SqliteConfig & Omit<TablePlacement, 'schema'>)
  | Storage;

/** A plugin with its options; a plugin alone uses its defaults. */
export interface PluginWithOptions {
  readonly plugin: Plugin;
  readonly options?: unknown;
}

/** The settings that a till has in every kind of process, with the names and forms of the settings file. */
export type TillSettings = Omit<z.input<typeof tillSchema>, 'mode'>;

/** Options of `createTillgate`. Nothing else is read: no environment, no file. */
export interface TillgateOptions extends TillSettings {
  /** May be omitted only if `replace.storage` is given. */
  readonly storage?: TillStorage;
  /** 32 random bytes, or their base64 or hex; it seals the secrets in the database. */
  readonly masterKey: Uint8Array | string;
  /** The key that `masterKey` replaces, until `rotateMasterKey` has sealed all secrets with the new one. */
  readonly formerMasterKey?: Uint8Array | string;
  /** The URL of this till for payers and merchants, including its mount path: `https://shop.example.com/pay`. */
  readonly baseUrl: string;
  /** The chains: `tillgate/plugins/ethereum` and the other built-in plugins, or custom ones. */
  readonly plugins?: readonly (Plugin | PluginWithOptions)[];
  /** `production` by default. `sandbox` allows the simulated chain and offers to pay orders with it. */
  readonly mode?: 'sandbox' | 'production';
  /** The wallet's seed words; without them the stored wallet is used, and without one the chains are watch-only. */
  readonly mnemonic?: string;
  /** The application's logger (pino, winston, the console); none by default. It receives no secret. */
  readonly logger?: PinoLike | ConsoleLike | Logger;
  /** The lowest level that is logged; `info` by default. */
  readonly logLevel?: BridgeLevel;
  /** The application's prom-client registry, or any `Metrics`; nothing is measured by default. */
  readonly metrics?: Registry | Metrics;
  /**
   * The application's implementations of ports, which replace the till's: `replace: { rates: [mySource], signer: myHsm
   * }`. The application closes them. With a `signer`, addresses are derived from its public keys, and no seed is
   * stored.
   */
  readonly replace?: PortReplacements;
  /** The number of the application's own proxies in front: that many entries of `X-Forwarded-For` are trusted. */
  readonly trustedHops?: number;
}
