import {
  BREACHED_PASSWORDS,
  CLOCK,
  DEADLINE,
  DIGEST,
  EVENT_BUS,
  ID_GENERATOR,
  LOGGER,
  METRICS,
  PASSWORD_HASHER,
  RANDOM,
  RATE_SOURCES,
  STORAGE,
  TOKEN_ISSUER,
  VAULT,
} from '../kernel/index.ts';
import { CALLBACK_TRANSPORT } from '../notify/index.ts';
import { CHAINS_TOKEN, LIGHTNING } from '../chain/index.ts';
import { CHANGE_FEED, KEY_DIRECTORY } from '../gateway/index.ts';
import { SIGNER } from '../payouts/index.ts';
import type { Token } from '../kernel/index.ts';

/** Every port with its token, by the name under which an embedder replaces it. */
export const PORTS = {
  storage: STORAGE,
  clock: CLOCK,
  ids: ID_GENERATOR,
  random: RANDOM,
  digest: DIGEST,
  vault: VAULT,
  passwordHasher: PASSWORD_HASHER,
  breachedPasswords: BREACHED_PASSWORDS,
  tokenIssuer: TOKEN_ISSUER,
  signer: SIGNER,
  logger: LOGGER,
  metrics: METRICS,
  events: EVENT_BUS,
  deadline: DEADLINE,
  rates: RATE_SOURCES,
  callbackTransport: CALLBACK_TRANSPORT,
  chains: CHAINS_TOKEN,
  lightning: LIGHTNING,
  changeFeed: CHANGE_FEED,
  keyDirectory: KEY_DIRECTORY,
} as const;

/** The ports of a till by name; derived from {@link PORTS}. */
export type Ports = {
  readonly [Name in keyof typeof PORTS]: (typeof PORTS)[Name] extends Token<infer Port> ? Port : never;
};

/** Implementations that replace the till's own; the till's own is used for each that is absent. */
export type PortReplacements = Partial<Ports>;

/** Functions that wrap the implementation in use, the till's own or a replacement. Each is called once. */
export type PortWrappers = { readonly [Name in keyof Ports]?: (port: Ports[Name]) => Ports[Name] };
