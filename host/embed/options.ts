import type { Registry } from 'prom-client';
import type { z } from 'zod';
import type { Logger, Metrics, Plugin, PortReplacements, Storage } from '../../core/index.ts';
import type { BridgeLevel, ConsoleLike, PinoLike } from '../../adapters/logging/bridge-logger.ts';
import type { EmbeddedConfig, PgConfig, SqliteConfig } from '../../adapters/storage/knex/index.ts';
import type { tillSchema } from '../settings.ts';

/** What a till's tables are called, beside an application's own. */
export interface TablePlacement {
  /** Put before every table's name: up to 24 lower-case letters, digits and underscores. */
  readonly tablePrefix?: string;
  /** On PostgreSQL the schema of the tables, created when it is missing. */
  readonly schema?: string;
}

/**
 * Where a till keeps everything: an application's knex instance or an implementation of `Storage`, which both stay the
 * application's to close; or a database to open.
 */
export type TillStorage =
  | (EmbeddedConfig & TablePlacement)
  | (PgConfig &
      TablePlacement & {
        /** True: in production the server may be on another machine without TLS; false by default. */
        readonly insecure?: boolean;
      })
  | (SqliteConfig & Omit<TablePlacement, 'schema'>)
  | Storage;

/** A plugin with its options; a plugin alone goes with its defaults. */
export interface PluginWithOptions {
  readonly plugin: Plugin;
  readonly options?: unknown;
}

/** The settings that a till has in whatever process it runs; the same names and forms as in a settings file. */
export type TillSettings = Omit<z.input<typeof tillSchema>, 'mode'>;

/** Options of `createTillgate`. Nothing else is read: no environment, no file. */
export interface TillgateOptions extends TillSettings {
  /** May be left out only where `replace.storage` is given. */
  readonly storage?: TillStorage;
  /** 32 random bytes, or their base64 or hex; what the database holds of secrets is sealed with it. */
  readonly masterKey: Uint8Array | string;
  /** The key that `masterKey` replaces, while what it has sealed is sealed anew (`rotateMasterKey`). */
  readonly formerMasterKey?: Uint8Array | string;
  /** Under which payers and merchants reach this till, its mount path included: `https://shop.example.com/pay`. */
  readonly baseUrl: string;
  /** The chains: `tillgate/plugins/ethereum` and its like, or plugins of one's own. */
  readonly plugins?: readonly (Plugin | PluginWithOptions)[];
  /** `production` by default. `sandbox` lets the simulated chain in, and offers to pay orders with it. */
  readonly mode?: 'sandbox' | 'production';
  /** The wallet's seed words; without them the stored wallet counts, and without that the chains are watch-only. */
  readonly mnemonic?: string;
  /** The application's logger (pino, winston, the console); none by default. It is given no secret. */
  readonly logger?: PinoLike | ConsoleLike | Logger;
  /** The least urgent lines that the logger is given; `info` by default. */
  readonly logLevel?: BridgeLevel;
  /** The application's prom-client registry, or any `Metrics`; nothing is measured by default. */
  readonly metrics?: Registry | Metrics;
  /**
   * The application's own implementations of ports, each in place of the till's: `replace: { rates: [mySource], signer: myHsm }`.
   * They stay the application's to close. With a `signer`, addresses are derived from its public keys, and no seed is stored.
   */
  readonly replace?: PortReplacements;
  /** The number of the application's own proxies in front: that many entries of `X-Forwarded-For` are trusted. */
  readonly trustedHops?: number;
}
