import { TillgateError } from '../../core/index.ts';
import type { Ports } from '../../core/index.ts';

type MethodsOf = { readonly [Name in keyof Ports]?: readonly (keyof NonNullable<Ports[Name]> & string)[] };

/** What a replaced port is asked for before anything of it is called; the compiler compares the names with the port. */
const METHODS: MethodsOf = {
  storage: ['transaction', 'migrate', 'close'],
  clock: ['now'],
  ids: ['next'],
  random: ['bytes'],
  digest: ['hmac', 'equal'],
  vault: ['seal', 'open', 'isCurrent', 'lookupHash', 'lookupHashes'],
  passwordHasher: ['hash', 'verify'],
  breachedPasswords: ['isBreached'],
  tokenIssuer: ['issue', 'read'],
  signer: ['extendedPublicKey', 'sign'],
  logger: ['debug', 'info', 'warn', 'error', 'child'],
  metrics: ['count', 'gauge', 'observe'],
  events: ['on', 'emit'],
  callbackTransport: ['send'],
};

/** @throws TillgateError `CONFIG_INVALID` naming a replaced port and what it lacks, in place of a failure at its first use */
export function requirePort(name: keyof Ports, port: unknown): void {
  const of = port as Readonly<Record<string, unknown>> | null;
  const missing = (METHODS[name] ?? []).filter((method) => typeof of?.[method] !== 'function');
  if (missing.length === 0) return;
  throw new TillgateError('CONFIG_INVALID', `replace.${name} has no function ${missing.join(', ')}.`);
}
