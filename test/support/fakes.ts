import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { IdSequence } from '../../core/index.ts';
import type {
  AccountId,
  CallbackAttemptOutcome,
  CallbackOutcome,
  CallbackRequest,
  CallbackTransport,
  Clock,
  Digest,
  DomainEvents,
  EventBus,
  IdGenerator,
  Labels,
  LogFields,
  Logger,
  Metrics,
  Millis,
  PasswordHasher,
  PriceTick,
  Random,
  RateSource,
  SignatureAlgorithm,
  TokenClaims,
  TokenIssuer,
  Vault,
} from '../../core/index.ts';

/** 2026-03-01T12:00:00Z: the start of every test's clock. */
export const START: Millis = Date.UTC(2026, 2, 1, 12, 0, 0);

/** A clock that the test advances. */
export class FakeClock implements Clock {
  #now: Millis;

  constructor(start: Millis = START) {
    this.#now = start;
  }

  now(): Millis {
    return this.#now;
  }

  advance(ms: number): void {
    this.#now += ms;
  }

  set(at: Millis): void {
    this.#now = at;
  }
}

/** Reproducible pseudo-random bytes: SHA-256 of a seed and a counter. */
export class SeededRandom implements Random {
  readonly #seed: string;
  #counter = 0;

  constructor(seed = 'tillgate') {
    this.#seed = seed;
  }

  bytes(length: number): Uint8Array {
    const parts: Buffer[] = [];
    for (let have = 0; have < length; have += 32) {
      parts.push(createHash('sha256').update(`${this.#seed}:${this.#counter}`).digest());
      this.#counter += 1;
    }
    return new Uint8Array(Buffer.concat(parts).subarray(0, length));
  }
}

/** Random bytes that are all equal: 0 for the least jitter, 255 for the most. */
export class ConstantRandom implements Random {
  readonly #byte: number;

  constructor(byte: number) {
    this.#byte = byte;
  }

  bytes(length: number): Uint8Array {
    return new Uint8Array(length).fill(this.#byte);
  }
}

const HASHES: Readonly<Record<SignatureAlgorithm, string>> = { 'HMAC-SHA256': 'sha256', 'HMAC-SHA3_256': 'sha3-256' };

/** The real hashes of node:crypto, in the plainest form. */
export class PlainDigest implements Digest {
  md5Hex(bytes: Uint8Array): string {
    return createHash('md5').update(bytes).digest('hex');
  }

  sha256Hex(bytes: Uint8Array | string): string {
    return createHash('sha256').update(bytes).digest('hex');
  }

  hmac(algorithm: SignatureAlgorithm, key: string | Uint8Array, message: string | Uint8Array): Uint8Array {
    return createHmac(HASHES[algorithm], key).update(message).digest();
  }

  hmacSha1(key: Uint8Array, message: Uint8Array): Uint8Array {
    return createHmac('sha1', key).update(message).digest();
  }

  equal(a: Uint8Array, b: Uint8Array): boolean {
    return a.length === b.length && timingSafeEqual(a, b);
  }
}

/** One logged line, including the fields of its parents. */
export interface LoggedLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: LogFields;
}

/** Keeps logged lines; children write to the same list. */
export class MemoryLogger implements Logger {
  readonly lines: LoggedLine[];
  readonly #fields: LogFields;

  constructor(lines: LoggedLine[] = [], fields: LogFields = {}) {
    this.lines = lines;
    this.#fields = fields;
  }

  debug(message: string, fields?: LogFields): void {
    this.#add('debug', message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.#add('info', message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.#add('warn', message, fields);
  }

  error(message: string, fields?: LogFields): void {
    this.#add('error', message, fields);
  }

  child(fields: LogFields): Logger {
    return new MemoryLogger(this.lines, { ...this.#fields, ...fields });
  }

  #add(level: LoggedLine['level'], message: string, fields: LogFields = {}): void {
    this.lines.push({ level, message, fields: { ...this.#fields, ...fields } });
  }
}

/** Keeps counters, gauges and observations under `name{label="value"}`. */
export class MemoryMetrics implements Metrics {
  readonly counts = new Map<string, number>();
  readonly gauges = new Map<string, number>();
  readonly observations = new Map<string, number[]>();

  count(name: string, labels?: Labels, by = 1): void {
    const key = seriesOf(name, labels);
    this.counts.set(key, (this.counts.get(key) ?? 0) + by);
  }

  gauge(name: string, value: number, labels?: Labels): void {
    this.gauges.set(seriesOf(name, labels), value);
  }

  observe(name: string, value: number, labels?: Labels): void {
    const key = seriesOf(name, labels);
    this.observations.set(key, [...(this.observations.get(key) ?? []), value]);
  }

  /** The value of a counter; 0 when it was never counted. */
  counted(name: string, labels?: Labels): number {
    return this.counts.get(seriesOf(name, labels)) ?? 0;
  }
}

function seriesOf(name: string, labels: Labels = {}): string {
  const pairs = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
  return pairs.length === 0 ? name : `${name}{${pairs.map(([key, value]) => `${key}="${value}"`).join(',')}}`;
}

/** One emitted event with its name. */
export type EmittedEvent = {
  [Name in keyof DomainEvents]: { readonly name: Name; readonly event: DomainEvents[Name] };
}[keyof DomainEvents];

/** Keeps every event and notifies listeners at once. */
export class MemoryEventBus implements EventBus {
  readonly emitted: EmittedEvent[] = [];
  readonly #listeners = new Map<keyof DomainEvents, Set<(event: never) => void>>();

  emit<Name extends keyof DomainEvents>(name: Name, event: DomainEvents[Name]): void {
    this.emitted.push({ name, event } as EmittedEvent);
    for (const listener of this.#listeners.get(name) ?? []) listener(event as never);
  }

  on<Name extends keyof DomainEvents>(name: Name, listener: (event: DomainEvents[Name]) => void): () => void {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }

  /** The events of one name, in order. */
  of<Name extends keyof DomainEvents>(name: Name): readonly DomainEvents[Name][] {
    return this.emitted.filter((entry) => entry.name === name).map((entry) => entry.event as DomainEvents[Name]);
  }
}

/** Ids like the product's, by the test's clock. */
export class FakeIds implements IdGenerator {
  readonly #sequence: IdSequence;

  constructor(clock: Clock = new FakeClock(), node = 1) {
    this.#sequence = new IdSequence(
      () => clock.now(),
      node,
      () => 0,
    );
  }

  next(): string {
    return this.#sequence.next();
  }
}

/**
 * A rate source with a table of prices in USD. `fail` makes it throw, `hang` makes it never answer, `at` sets the date
 * of its prices (now by default).
 */
export class FakeRateSource implements RateSource {
  readonly name: string;
  readonly prices: Map<string, string>;
  readonly #clock: Clock;
  fail: Error | null = null;
  hang = false;
  at: Millis | null = null;
  calls = 0;

  constructor(name: string, prices: Readonly<Record<string, string>>, clock: Clock = new FakeClock()) {
    this.name = name;
    this.prices = new Map(Object.entries(prices));
    this.#clock = clock;
  }

  async fetch(symbols: readonly string[], _signal: AbortSignal): Promise<readonly PriceTick[]> {
    this.calls += 1;
    if (this.fail !== null) throw this.fail;
    if (this.hang) return await new Promise<never>(() => undefined);
    const at = this.at ?? this.#clock.now();
    return symbols.flatMap((symbol) => {
      const usd = this.prices.get(symbol);
      return usd === undefined ? [] : [{ symbol, usd, at }];
    });
  }
}

/** A password hasher that costs nothing and counts its calls. */
export class QuickHasher implements PasswordHasher {
  verifications = 0;

  async hash(password: string): Promise<string> {
    return `quick:${createHash('sha256').update(password).digest('hex')}`;
  }

  async verify(password: string, stored: string | null): Promise<boolean> {
    this.verifications += 1;
    return (await this.hash(password)) === stored;
  }
}

/** A vault that seals by adding the context's name, and opens only in the same one. It counts what it opens. */
export class FakeVault implements Vault {
  opened = 0;

  seal(plain: string, context: string): string {
    return `sealed:${Buffer.from(JSON.stringify([context, plain])).toString('base64')}`;
  }

  open(sealed: string, context: string): string {
    this.opened += 1;
    const [sealedFor, plain] = JSON.parse(Buffer.from(sealed.slice('sealed:'.length), 'base64').toString()) as [
      string,
      string,
    ];
    if (sealedFor !== context) throw new Error('The sealed text belongs to another record.');
    return plain;
  }

  isCurrent(): boolean {
    return true;
  }

  lookupHash(purpose: string, text: string): string {
    return createHmac('sha256', 'test master key').update(`${purpose}\0${text}`).digest('hex');
  }

  lookupHashes(purpose: string, text: string): readonly string[] {
    return [this.lookupHash(purpose, text)];
  }
}

/** Tokens with the form of a JWT and readable claims. */
export class FakeTokenIssuer implements TokenIssuer {
  reads = 0;

  async issue(claims: TokenClaims): Promise<string> {
    return `eyJ.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`;
  }

  async read(text: string, now: Millis): Promise<TokenClaims | null> {
    this.reads += 1;
    const [head, middle, tail] = text.split('.');
    if (head !== 'eyJ' || middle === undefined || tail !== 'x') return null;
    const json = Buffer.from(middle, 'base64url').toString();
    if (!json.startsWith('{')) return null;
    const claims = JSON.parse(json) as TokenClaims & { accountId: AccountId };
    return claims.expiresAt > now ? claims : null;
  }
}

/** Records callbacks and answers them as scripted. */
export class FakeTransport implements CallbackTransport {
  readonly sent: CallbackRequest[] = [];
  answer: (request: CallbackRequest) => CallbackOutcome | Promise<CallbackOutcome> = () => answered(200);

  async send(request: CallbackRequest): Promise<CallbackOutcome> {
    this.sent.push(request);
    return await this.answer(request);
  }
}

/** The outcome of an attempt that got this HTTP status. */
export function answered(status: number, retryAfterSeconds: number | null = null): CallbackAttemptOutcome {
  return { kind: 'answered', status, retryAfterSeconds, durationMs: 12 };
}

/** Deadlines that the test lets pass. */
export class FakeDeadlines {
  readonly #open = new Set<AbortController>();
  readonly asked: number[] = [];

  readonly after = (ms: number): AbortSignal => {
    const controller = new AbortController();
    this.#open.add(controller);
    this.asked.push(ms);
    return controller.signal;
  };

  /** Lets every open deadline pass. */
  passAll(): void {
    for (const controller of this.#open) controller.abort(new Error('The deadline passed.'));
    this.#open.clear();
  }
}
