import { BREACHED_PASSWORDS } from './breached-passwords.ts';
import { CALLBACK_TRANSPORT } from './callback-transport.ts';
import { CHAINS_TOKEN } from './chain-adapter.ts';
import { CHANGE_FEED } from './change-feed.ts';
import { CLOCK } from './clock.ts';
import { DEADLINE } from './deadline.ts';
import { DIGEST } from './digest.ts';
import { EVENT_BUS } from './events.ts';
import { ID_GENERATOR } from './id-generator.ts';
import { KEY_DIRECTORY } from './key-directory.ts';
import { LIGHTNING } from './lightning.ts';
import { LOGGER } from './logger.ts';
import { METRICS } from './metrics.ts';
import { PASSWORD_HASHER } from './password-hasher.ts';
import { RANDOM } from './random.ts';
import { RATE_SOURCES } from './rate-source.ts';
import { SIGNER } from './signer.ts';
import { STORAGE } from './storage.ts';
import { TOKEN_ISSUER } from './token-issuer.ts';
import type { Token } from './token.ts';
import { VAULT } from './vault.ts';

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
