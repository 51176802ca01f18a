import { invalidField, TillgateError } from '../kernel/index.ts';
import type {
  Clock,
  FieldError,
  IdGenerator,
  Millis,
  RouteId,
  SealContext,
  Storage,
  UpstreamId,
  Vault,
} from '../kernel/index.ts';
import type { ConfiguredRoutes } from './configured-routes.ts';
import type { Cordons } from './cordon.ts';
import { RouteCordons, upstreamRecords } from './route-cordons.ts';
import type { UpstreamRecord } from './route-cordons.ts';
import type { StoredRoute } from './route-store.ts';
import { routeCreated, routeReplaced } from './gateway-audit.ts';
import type { Trace } from './gateway-audit.ts';
import { settledIfPossible } from './app-keys.ts';
import {
  DEFAULT_CORS,
  DEFAULT_LOGS,
  DEFAULT_MAX_BATCH,
  DEFAULT_MAX_BODY_BYTES,
  DEFAULT_READS,
  DEFAULT_TIMEOUTS,
  NO_LIMITS,
} from './route.ts';
import type {
  CorsRules,
  GatewayRoute,
  LogRules,
  MethodRules,
  ReadRules,
  RouteLimits,
  RouteTimeouts,
  RouteUpstream,
} from './route.ts';
import { routeErrors } from './route-fields.ts';
import { nameErrors, placeErrors } from './route-places.ts';
import type { RoutePlaces } from './route-places.ts';
import type { RouteFields } from './route-fields.ts';

/** The input for a new route. An absent field has its default. */
export interface RouteInput
  extends Pick<RouteFields, 'host' | 'chain' | 'network' | 'protocol' | 'upstreams'>, RouteOptions {}

/** The fields of a route that have a default. */
export interface RouteOptions extends Partial<
  Pick<RouteFields, 'admission' | 'enabled' | 'units' | 'maxBodyBytes' | 'maxBatch' | 'plans'>
> {
  readonly methods?: Partial<MethodRules>;
  /** The rates of methods as a whole. */
  readonly limits?: Partial<RouteLimits>;
  readonly timeouts?: Partial<RouteTimeouts>;
  readonly cors?: Partial<CorsRules>;
  readonly reads?: Partial<Omit<ReadRules, 'logs'>> & { readonly logs?: Partial<LogRules> | null };
}

/**
 * The fields of a route to change. Absent parts of `methods`, `limits`, `timeouts`, `cors` and `reads` stay unchanged.
 */
export interface RouteChanges extends Partial<Omit<RouteInput, 'upstreams'>> {
  /** The complete list. An existing upstream may be given by its position, since its URL is never shown. */
  readonly upstreams?: readonly (RouteUpstream | KeptUpstream)[];
}

/** The existing upstream at this position, from 0. */
export interface KeptUpstream {
  readonly keep: number;
}

/** A route and its origin: the configuration, where alone its routes can be changed, or the database. */
export interface RouteRecord {
  readonly route: GatewayRoute;
  readonly source: 'config' | 'managed';
  /** What the till knows of each upstream, in their order. */
  readonly upstreams: readonly UpstreamRecord[];
  /** `null` for a route of the configuration. */
  readonly createdAt: Millis | null;
  readonly modifiedAt: Millis | null;
}

export interface RoutesDeps {
  readonly storage: Pick<Storage, 'routes' | 'feed' | 'transaction'>;
  readonly vault: Vault;
  readonly ids: IdGenerator;
  readonly clock: Clock;
  readonly configured: Pick<ConfiguredRoutes, 'all'>;
  /** Limits for routes of the database. */
  readonly places: RoutePlaces;
  /** None by default. */
  readonly trace?: Trace;
}

const DEFAULTS: Omit<RouteFields, 'host' | 'chain' | 'network' | 'protocol' | 'upstreams'> = {
  admission: 'enforce',
  enabled: true,
  methods: { allow: [], deny: [] },
  limits: NO_LIMITS,
  timeouts: DEFAULT_TIMEOUTS,
  cors: DEFAULT_CORS,
  units: {},
  reads: DEFAULT_READS,
  maxBodyBytes: DEFAULT_MAX_BODY_BYTES,
  maxBatch: DEFAULT_MAX_BATCH,
  plans: [],
};

const noSuchRoute = (): TillgateError => new TillgateError('NOT_FOUND', 'There is no such gateway.');
const hostTaken = (): TillgateError =>
  new TillgateError('STATE_CONFLICT', 'There is a gateway with this host already.');

const routeContext = (id: RouteId): SealContext => `route:${id}`;

/**
 * Checks the fields of a route as a whole; converts the host to lower case.
 *
 * @throws TillgateError `INVALID_FIELDS` with every invalid field
 */
export function readRoute(input: RouteInput): RouteFields {
  return checked(DEFAULTS, input);
}

function checked(base: typeof DEFAULTS, input: RouteInput): RouteFields {
  const methods = { ...base.methods, ...input.methods };
  const limits = { ...base.limits, ...input.limits };
  const timeouts = { ...base.timeouts, ...input.timeouts };
  const cors = { ...base.cors, ...input.cors };
  const logs = logsOf(base.reads.logs, input.reads?.logs);
  const reads = { ...base.reads, ...input.reads, logs };
  const host = input.host.toLowerCase();
  const fields: RouteFields = { ...base, ...input, host, methods, limits, timeouts, cors, reads };
  refuse(routeErrors(fields));
  return fields;
}

/** Without `maxRange`, which has no default, the rules are not valid. */
function logsOf(base: LogRules | null, input: Partial<LogRules> | null | undefined): LogRules | null {
  if (input === undefined) return base;
  return input === null ? null : { ...DEFAULT_LOGS, maxRange: NaN, ...base, ...input };
}

function refuse(fields: readonly FieldError[]): void {
  if (fields.length > 0) throw new TillgateError('INVALID_FIELDS', 'The gateway has invalid fields.', { fields });
}

/** Decrypts a stored route. */
export function openRoute(
  vault: Vault,
  { sealedUpstreams, createdAt: _created, modifiedAt: _modified, ...rest }: StoredRoute,
): GatewayRoute {
  return {
    ...rest,
    upstreams: JSON.parse(vault.open(sealedUpstreams, routeContext(rest.id))) as GatewayRoute['upstreams'],
  };
}

/** Gateway routes: reads those of the configuration and manages those of the database. */
export class Routes {
  readonly #deps: RoutesDeps;
  readonly #cordons: RouteCordons;

  constructor(deps: RoutesDeps) {
    this.#deps = deps;
    this.#cordons = new RouteCordons(deps);
  }

  /** The same use cases, with their changes recorded for the audit log. */
  tracedBy(trace: Trace): Routes {
    return new Routes({ ...this.#deps, trace });
  }

  /** Every route: those of the configuration first, then those of the database, oldest first. */
  async list(): Promise<readonly RouteRecord[]> {
    const { storage, configured: own } = this.#deps;
    const stored = await storage.routes.all();
    const cordons = await this.#cordons.all();
    return [
      ...own.all().map((route) => this.#configured(route, cordons)),
      ...stored.map((route) => this.#record(route, cordons)),
    ];
  }

  async find(id: RouteId): Promise<RouteRecord | null> {
    const own = this.#deps.configured.all().find((route) => route.id === id);
    if (own !== undefined) return this.#configured(own, await this.#cordons.all());
    const stored = await this.#deps.storage.routes.find(id);
    return stored === null ? null : this.#record(stored, await this.#cordons.all());
  }

  /** @throws TillgateError `INVALID_FIELDS`; `STATE_CONFLICT` when the host is taken */
  async create(input: RouteInput): Promise<RouteRecord> {
    const { storage, ids, clock, trace } = this.#deps;
    const now = clock.now();
    const fields = readRoute(input);
    const { places } = this.#deps;
    const wrong = placeErrors(fields, places);
    refuse(wrong.length > 0 ? wrong : await nameErrors(urlsOf(fields.upstreams), places));
    const stored = this.#sealed({ ...fields, id: ids.next() as RouteId }, now, now);
    await storage.transaction(async (tx) => {
      if (this.#isConfigured(stored.host) || !(await tx.routes.create(stored))) throw hostTaken();
      trace?.(tx, routeCreated(stored));
    });
    await settledIfPossible(storage);
    return this.#record(stored, await this.#cordons.all());
  }

  /**
   * Changes a route; returns when the change is in force on every instance.
   *
   * @throws TillgateError `NOT_FOUND`; `INVALID_FIELDS`; `STATE_CONFLICT` for a route of the configuration and for a
   *   host that is taken; `NOT_READY` when it is stored but may not be in force everywhere yet
   */
  async update(id: RouteId, changes: RouteChanges): Promise<RouteRecord> {
    const { storage, vault, clock, configured: own, places, trace } = this.#deps;
    if (own.all().some((route) => route.id === id))
      throw new TillgateError('STATE_CONFLICT', 'The gateway is defined in the configuration; change it there.');
    // Before the transaction: a name server may take its time.
    refuse(await nameErrors(urlsOf(changes.upstreams ?? []), places));
    const changed = await storage.transaction(async (tx) => {
      const { routes } = tx;
      const present = await routes.lock(id);
      if (present === null) throw noSuchRoute();
      const former = openRoute(vault, present);
      const { upstreams, ...rest } = given(changes);
      const next = { ...checked(former, { ...former, ...rest, upstreams: kept(former, upstreams) }), id };
      // A route from before a change of the rules can still be disabled.
      if (changes.enabled !== false) refuse(placeErrors(next, places));
      const stored = this.#sealed(next, present.createdAt, clock.now());
      if ((stored.host !== present.host && this.#isConfigured(stored.host)) || !(await routes.replace(stored)))
        throw hostTaken();
      trace?.(tx, routeReplaced(present, stored, changes.upstreams !== undefined));
      return stored;
    });
    await storage.feed.settled();
    return this.#record(changed, await this.#cordons.all());
  }

  /**
   * Takes an upstream out of use until it is uncordoned, also over restarts: it gets no new requests. The requests and
   * WebSockets that it has go on. Repeating it changes nothing. Returns when that is in force on every instance.
   *
   * @throws TillgateError `NOT_FOUND` for an unknown route or upstream; `NOT_READY` when it is stored but may not be in
   *   force everywhere yet
   */
  async cordon(id: RouteId, upstream: UpstreamId): Promise<RouteRecord> {
    return this.#setCordon(id, upstream, true);
  }

  /** Lets an upstream get requests again; otherwise as {@link cordon}. */
  async uncordon(id: RouteId, upstream: UpstreamId): Promise<RouteRecord> {
    return this.#setCordon(id, upstream, false);
  }

  async #setCordon(id: RouteId, upstream: UpstreamId, wanted: boolean): Promise<RouteRecord> {
    const record = await this.find(id);
    if (record === null) throw noSuchRoute();
    await this.#cordons.set(record.route, upstream, wanted, this.#deps.trace);
    const cordons = await this.#cordons.all();
    return { ...record, upstreams: upstreamRecords(this.#deps.vault, record.route, cordons) };
  }

  #configured(route: GatewayRoute, cordons: Cordons): RouteRecord {
    return {
      route,
      source: 'config',
      upstreams: upstreamRecords(this.#deps.vault, route, cordons),
      createdAt: null,
      modifiedAt: null,
    };
  }

  #isConfigured(host: string): boolean {
    return this.#deps.configured.all().some((route) => route.host === host);
  }

  #sealed({ upstreams, ...rest }: GatewayRoute, createdAt: Millis, modifiedAt: Millis): StoredRoute {
    return {
      ...rest,
      sealedUpstreams: this.#deps.vault.seal(JSON.stringify(upstreams), routeContext(rest.id)),
      createdAt,
      modifiedAt,
    };
  }

  #record(stored: StoredRoute, cordons: Cordons): RouteRecord {
    const { createdAt, modifiedAt } = stored;
    const route = openRoute(this.#deps.vault, stored);
    return {
      route,
      source: 'managed',
      upstreams: upstreamRecords(this.#deps.vault, route, cordons),
      createdAt,
      modifiedAt,
    };
  }
}

/** The changes without `undefined` values. */
function given(changes: RouteChanges): RouteChanges {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}

/** The upstreams of a change, including kept ones. @throws TillgateError `INVALID_FIELDS` for a position without one */
function kept({ upstreams: former }: GatewayRoute, next: RouteChanges['upstreams'] = former): readonly RouteUpstream[] {
  return next.map((upstream, index) => {
    if (!('keep' in upstream)) return upstream;
    const found = former[upstream.keep];
    if (found === undefined) throw invalidField(`upstreams.${index}.keep`, 'must be the index of an upstream, from 0');
    return found;
  });
}

/** `null` for an upstream that keeps its URL. */
function urlsOf(upstreams: readonly (RouteUpstream | KeptUpstream)[]): readonly (string | null)[] {
  return upstreams.map((each) => ('keep' in each ? null : each.url));
}
