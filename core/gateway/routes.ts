import { TillgateError } from '../kernel/errors.ts';
import type { RouteId } from '../kernel/ids.ts';
import type { Millis } from '../kernel/time.ts';
import type { Clock } from '../ports/clock.ts';
import type { IdGenerator } from '../ports/id-generator.ts';
import type { StoredRoute } from '../ports/route-store.ts';
import type { Storage } from '../ports/storage.ts';
import type { Vault } from '../ports/vault.ts';
import type { SealContext } from '../secrets/seal-context.ts';
import { settledIfPossible } from '../keys/app-keys.ts';
import { DEFAULT_READS } from './read-rules.ts';
import type { ReadRules } from './read-rules.ts';
import { routeErrors } from './route-fields.ts';
import type { RouteFields } from './route-fields.ts';
import { DEFAULT_CORS, DEFAULT_MAX_BATCH, DEFAULT_MAX_BODY_BYTES, DEFAULT_TIMEOUTS, NO_LIMITS } from './route.ts';
import type { AdmissionLimits, CorsRules, GatewayRoute, MethodRules, RouteTimeouts } from './route.ts';

/** What a route is made from; what is left out has the defaults of decisions, section 8. */
export interface RouteInput
  extends Pick<RouteFields, 'host' | 'chain' | 'network' | 'protocol' | 'upstreams'>, RouteOptions {}

/** What of a route has a default. */
export interface RouteOptions extends Partial<
  Pick<RouteFields, 'admission' | 'enabled' | 'units' | 'maxBodyBytes' | 'maxBatch' | 'plans'>
> {
  readonly methods?: Partial<MethodRules>;
  readonly limits?: Partial<AdmissionLimits>;
  readonly timeouts?: Partial<RouteTimeouts>;
  readonly cors?: Partial<CorsRules>;
  readonly reads?: Partial<ReadRules>;
}

/** What of a route may change; parts of `methods`, `limits`, `timeouts`, `cors` and `reads` that are left out stay as they are. */
export type RouteChanges = Partial<RouteInput>;

/** A route and where it comes from: the configuration, whose routes are changed only there, or the database. */
export interface RouteRecord {
  readonly route: GatewayRoute;
  readonly source: 'config' | 'managed';
  /** `null` for a route of the configuration. */
  readonly createdAt: Millis | null;
  readonly modifiedAt: Millis | null;
}

export interface RoutesDeps {
  readonly storage: Pick<Storage, 'routes' | 'feed' | 'transaction'>;
  readonly vault: Vault;
  readonly ids: IdGenerator;
  readonly clock: Clock;
  /** The routes of the configuration. */
  readonly configured: readonly GatewayRoute[];
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

/** The context that a route's upstreams are sealed in. */
const routeContext = (id: RouteId): SealContext => `route:${id}`;

/**
 * A route's fields, checked as a whole; the host in lower case.
 *
 * @throws TillgateError `INVALID_FIELDS` naming every wrong field by its name on the wire
 */
export function readRoute(input: RouteInput): RouteFields {
  return checked(DEFAULTS, input);
}

function checked(base: typeof DEFAULTS, input: RouteInput): RouteFields {
  const methods = { ...base.methods, ...input.methods };
  const limits = { ...base.limits, ...input.limits };
  const timeouts = { ...base.timeouts, ...input.timeouts };
  const cors = { ...base.cors, ...input.cors };
  const reads = { ...base.reads, ...input.reads };
  const host = input.host.toLowerCase();
  const fields: RouteFields = { ...base, ...input, host, methods, limits, timeouts, cors, reads };
  const errors = routeErrors(fields);
  if (errors.length > 0)
    throw new TillgateError('INVALID_FIELDS', 'The gateway has invalid fields.', { fields: errors });
  return fields;
}

/** A route out of its record. */
export function openRoute(
  vault: Vault,
  { sealedUpstreams, createdAt: _created, modifiedAt: _modified, ...rest }: StoredRoute,
): GatewayRoute {
  return {
    ...rest,
    upstreams: JSON.parse(vault.open(sealedUpstreams, routeContext(rest.id))) as GatewayRoute['upstreams'],
  };
}

/** Gateway routes: those of the configuration, to be read, and those of the database, to be managed. */
export class Routes {
  readonly #deps: RoutesDeps;

  constructor(deps: RoutesDeps) {
    this.#deps = deps;
  }

  /** The same use cases on another storage, such as one that writes audit rows. */
  on(storage: RoutesDeps['storage']): Routes {
    return new Routes({ ...this.#deps, storage });
  }

  /** Every route: those of the configuration first, then the others, oldest first. */
  async list(): Promise<readonly RouteRecord[]> {
    const stored = await this.#deps.storage.routes.all();
    return [...this.#deps.configured.map(configured), ...stored.map((route) => this.#record(route))];
  }

  async find(id: RouteId): Promise<RouteRecord | null> {
    const own = this.#deps.configured.find((route) => route.id === id);
    if (own !== undefined) return configured(own);
    const stored = await this.#deps.storage.routes.find(id);
    return stored === null ? null : this.#record(stored);
  }

  /** @throws TillgateError `INVALID_FIELDS`; `STATE_CONFLICT` when the host is taken */
  async create(input: RouteInput): Promise<RouteRecord> {
    const { storage, ids, clock } = this.#deps;
    const now = clock.now();
    const stored = this.#sealed({ ...readRoute(input), id: ids.next() as RouteId }, now, now);
    await storage.transaction(async ({ routes }) => {
      if (this.#isConfigured(stored.host) || !(await routes.create(stored))) throw hostTaken();
    });
    await settledIfPossible(storage);
    return this.#record(stored);
  }

  /**
   * Changes a route; answers when that holds on every instance.
   *
   * @throws TillgateError `NOT_FOUND`; `INVALID_FIELDS`; `STATE_CONFLICT` for a route of the configuration and for a host
   *   that is taken; `NOT_READY` when it is stored but not sure to hold everywhere yet
   */
  async update(id: RouteId, changes: RouteChanges): Promise<RouteRecord> {
    const { storage, vault, clock, configured: own } = this.#deps;
    if (own.some((route) => route.id === id))
      throw new TillgateError('STATE_CONFLICT', 'The gateway belongs to the configuration; change it there.');
    const changed = await storage.transaction(async ({ routes }) => {
      const present = await routes.lock(id);
      if (present === null) throw noSuchRoute();
      const former = openRoute(vault, present);
      const next = { ...checked(former, { ...former, ...given(changes) }), id };
      const stored = this.#sealed(next, present.createdAt, clock.now());
      if ((stored.host !== present.host && this.#isConfigured(stored.host)) || !(await routes.replace(stored)))
        throw hostTaken();
      return stored;
    });
    await storage.feed.settled();
    return this.#record(changed);
  }

  #isConfigured(host: string): boolean {
    return this.#deps.configured.some((route) => route.host === host);
  }

  #sealed({ upstreams, ...rest }: GatewayRoute, createdAt: Millis, modifiedAt: Millis): StoredRoute {
    return {
      ...rest,
      sealedUpstreams: this.#deps.vault.seal(JSON.stringify(upstreams), routeContext(rest.id)),
      createdAt,
      modifiedAt,
    };
  }

  #record(stored: StoredRoute): RouteRecord {
    const { createdAt, modifiedAt } = stored;
    return { route: openRoute(this.#deps.vault, stored), source: 'managed', createdAt, modifiedAt };
  }
}

/** The changes without those that are given as `undefined`. */
function given(changes: RouteChanges): RouteChanges {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}

function configured(route: GatewayRoute): RouteRecord {
  return { route, source: 'config', createdAt: null, modifiedAt: null };
}
