import {
  allowsOrigin,
  applyAdmission,
  authenticateKey,
  checkChain,
  checkLogsRange,
  effectiveLimits,
  effectiveMode,
  holdsKey,
  isRefusal,
  preflightHeaders,
  readHead,
  readKey,
  readsLogs,
  readTarget,
  repeatsMember,
  refuse,
  splittableRange,
} from '../../core/index.ts';
import type {
  AdmissionVerdict,
  Allowance,
  AppLimits,
  AppUse,
  AppView,
  Authenticated,
  Clock,
  EffectiveLimits,
  GatewayRouteTable,
  JsonRpcRequest,
  KeyDirectory,
  KeyRules,
  KeyView,
  MethodPolicy,
  Millis,
  Refusal,
  RouteProtocol,
} from '../../core/index.ts';
import { clientOf } from './client-of.ts';
import { chainEnd } from './live-route.ts';
import type { LiveRoute, LiveRoutes } from './live-route.ts';
import { HTTP_METHODS } from './refusal-response.ts';
import type { ExtractedKey } from './request-head-cache.ts';
import type { ReceivedRequest, RequestContext } from './request-context.ts';

export interface RequestAuthorizerDeps {
  readonly routes: LiveRoutes;
  readonly directory: KeyDirectory;
  readonly clock: Clock;
  readonly limits: AppLimits;
  readonly allowance: Allowance;
  /** False if keys are accepted only in the header. */
  readonly keysInPath: boolean;
  /** The number of trusted proxies in front. */
  readonly trustedHops: () => number;
}

/** What a request takes of a limit. */
interface Charge {
  readonly use: AppUse;
  readonly limits: EffectiveLimits;
  readonly count: number;
  /** Of the refusal. */
  readonly message: string;
}

/**
 * What holds for every request that differs only in its body and in headers that affect nothing, until something
 * changes.
 */
export interface KeptAdmission {
  readonly live: LiveRoute;
  readonly keyText: string;
  readonly rest: string;
  readonly auth: Authenticated;
  readonly limits: EffectiveLimits;
  readonly use: AppUse | null;
  /** False for an App with a quota, or a prepaid one. */
  readonly unlimited: boolean;
  /** The versions of what was decided by. */
  readonly table: GatewayRouteTable;
  readonly keys: number;
  readonly removals: number;
}

const NO_CHARGES: readonly Charge[] = [];
/** A refusal repeats at most this many characters of a method's name, which the client chose. */
const MAX_ECHO = 64;
const MANY_OF_KEY = 'The calls of this key exceed its units per minute; try again later.';
const FOREIGN_ORIGIN = 'This key may be used only by pages of its own origins.';
const KEYS_UNAVAILABLE: Partial<Refusal> = {
  status: 503,
  message: 'Keys cannot be checked at the moment; try again.',
  retryAfterSeconds: 1,
};

/** Decides, in a fixed order of checks, whether a request may go to an upstream. The body is checked elsewhere. */
export class RequestAuthorizer {
  readonly #deps: RequestAuthorizerDeps;

  constructor(deps: RequestAuthorizerDeps) {
    this.#deps = deps;
  }

  /** Returns the refusal, or `null`; the context holds the results of the checks either way. */
  check(context: RequestContext): Refusal | null {
    const live = this.#deps.routes.find(context.hostHeader);
    if (live === null) return refuse('not_found');
    context.live = live;
    const { protocol } = live.route;
    if (!HTTP_METHODS[protocol].includes(context.method)) return refuse('http_method_not_allowed');
    const head = context.head ?? readHead(context.method, context.httpVersion, context.rawHeaders);
    if (isRefusal(head)) return head;
    context.head = head;
    const wrong = wrongProtocol(context.upgrade, protocol === 'websocket');
    if (wrong !== null) return wrong;
    const now = this.#deps.clock.now();
    return this.#checkKey(context, now) ?? this.#checkRoute(context) ?? this.#admit(context, now);
  }

  /**
   * Decides what {@link check} decides about a JSON-RPC request but for its rate, and counts nothing. `null` for a
   * request that would be refused, and where more than its key, its App's limits and its method decides.
   */
  keep(received: ReceivedRequest): KeptAdmission | null {
    const { routes, directory, clock, limits, allowance, keysInPath } = this.#deps;
    const now = clock.now();
    const keys = directory.version?.(now) ?? null;
    const live = routes.find(received.hostHeader);
    if (keys === null || live === null || live.route.protocol !== 'jsonrpc' || live.rates !== null) return null;
    if (received.method !== 'POST' || received.upgrade || !live.route.enabled) return null;
    const extracted = extractKey(received, 'jsonrpc', keysInPath);
    if (isRefusal(extracted)) return null;
    const { keyText, rest } = extracted;
    const auth = this.authenticate(keyText, now);
    if (isRefusal(auth) || auth.key.rules !== null || holdsKey(rest, keyText)) return null;
    const { app } = auth.key;
    if (effectiveMode(live.route, app) !== 'enforce' || checkChain(live.route, app) !== null) return null;
    const effective = effectiveLimits(live.limits, app);
    return {
      ...{ live, keyText, rest, auth, keys, limits: effective, table: routes.table },
      use: this.#useOf(app, live, effective, now),
      unlimited: allowance.isUnlimited(app),
      removals: limits.removals,
    };
  }

  /** What changes with the routes, and with the keys; see {@link KeyDirectory.version}. */
  versions(now: Millis): { readonly keys: number | null; readonly table: GatewayRouteTable } {
    return { keys: this.#deps.directory.version?.(now) ?? null, table: this.#deps.routes.table };
  }

  /** Whether nothing has changed since then. */
  holds({ table, keys, removals, auth }: KeptAdmission, now: Millis): boolean {
    const { routes, directory, limits } = this.#deps;
    const { expiresAt } = auth.key;
    return (
      routes.table === table &&
      directory.version?.(now) === keys &&
      limits.removals === removals &&
      (expiresAt === null || now < expiresAt)
    );
  }

  /** Admits one call that costs these units, and counts it; false, and counts nothing, if it would be refused. */
  admitKept({ use, limits, auth, unlimited }: KeptAdmission, units: number, now: Millis): boolean {
    const { allowance, directory } = this.#deps;
    const { key } = auth;
    if (use !== null && use.checkConcurrency(limits) !== null) return false;
    if (!unlimited && (allowance.learn(key.app) !== null || allowance.check(key.app, units) !== null)) return false;
    if (use !== null && use.charge(limits, 1, now) !== null) return false;
    use?.enter();
    directory.used(key.id, now);
    return true;
  }

  /** The response headers for a browser's CORS preflight, which has no key; `null` for other requests. */
  preflight({ method, hostHeader, httpVersion, rawHeaders }: RequestContext): readonly string[] | null {
    if (method !== 'OPTIONS') return null;
    const route = this.#deps.routes.find(hostHeader)?.route;
    const head = readHead(method, httpVersion, rawHeaders);
    if (route === undefined || route.protocol === 'websocket' || isRefusal(head) || head.origin === null) return null;
    if (headerOf(rawHeaders, 'access-control-request-method') === null) return null;
    const wanted = headerOf(rawHeaders, 'access-control-request-headers') ?? '';
    return preflightHeaders(route.cors, head.origin, HTTP_METHODS[route.protocol], wanted);
  }

  authenticate(keyText: string, now = this.#deps.clock.now()): Authenticated | Refusal {
    let key: KeyView | null;
    try {
      key = this.#deps.directory.find(keyText);
    } catch {
      // A key that cannot be looked up is refused, whatever the reason.
      return refuse('upstream_unavailable', KEYS_UNAVAILABLE);
    }
    return authenticateKey(key, now);
  }

  /** Checks the key of an open connection again, and that it may be used from where the client is. */
  authenticateAgain(context: RequestContext): Authenticated | Refusal {
    const auth = this.authenticate(context.keyText);
    if (isRefusal(auth) || auth.key.rules === null) return auth;
    return this.#checkPlace(auth.key.rules, context) ?? auth;
  }

  /**
   * Checks the requests of a JSON-RPC body: every method, the quota and the rate limits. The methods of the key hold in
   * every mode, as the key does.
   *
   * @param charged - how many of them the limit was charged for already
   * @param calls - the calls that nodes are asked; those of the request unless it is split
   */
  admitRequests(
    context: RequestContext,
    request: JsonRpcRequest,
    policy: MethodPolicy,
    charged: number,
    calls: readonly string[] = request.methods,
  ): AdmissionVerdict {
    const { methods } = request;
    const closed = checkMethods(context, methods);
    if (closed !== null) return closed;
    return applyAdmission(context.mode, () => {
      // Before the limit: a forbidden method must not use it up.
      const foreign = methods.find((method) => !policy.allows(method));
      if (foreign !== undefined)
        return refuse('method_not_allowed', {
          message: `The method ${foreign.slice(0, MAX_ECHO)} is not allowed on this gateway.`,
        });
      const wide = checkRanges(context.live, request);
      if (wide !== null) return wide;
      const beyond = this.#checkQuota(context, calls);
      if (beyond !== null) return beyond;
      return this.#charge(context, calls, calls.length - charged);
    });
  }

  /** The read that an accepted request must wait for before its calls can be admitted; `null` for none. */
  learn({ auth, mode }: RequestContext): Promise<void> | null {
    return auth === null || mode !== 'enforce' ? null : this.#deps.allowance.learn(auth.key.app);
  }

  /** Checks a request whose HTTP method is its only call: that method, its units and its rate. */
  admitUnits(context: RequestContext, calls: readonly string[]): AdmissionVerdict {
    return (
      checkMethods(context, calls) ??
      applyAdmission(context.mode, () => this.#checkQuota(context, calls) ?? this.#charge(context, calls, 0))
    );
  }

  /** Charges the limits that depend on the calls, and the rate limit for so many requests; all of them or none. */
  #charge(context: RequestContext, calls: readonly string[], requests: number): Refusal | null {
    const { use, limits } = context;
    const now = this.#deps.clock.now();
    const charges = this.#chargesOf(context, calls, now);
    for (const charge of charges) {
      const retryAfterSeconds = charge.use.wait(charge.limits, charge.count, now);
      if (retryAfterSeconds !== null) return refuse('rate_limited', { message: charge.message, retryAfterSeconds });
    }
    const refusal = requests <= 0 ? null : (use?.charge(limits, requests, now) ?? null);
    if (refusal === null) for (const charge of charges) charge.use.take(charge.limits, charge.count);
    return refusal;
  }

  /** What calls cost beside a request each: the units of their key, and the rates of their methods. */
  #chargesOf({ auth, live }: RequestContext, calls: readonly string[], now: Millis): readonly Charge[] {
    const units = auth?.key.rules?.units ?? null;
    if (auth === null || live === null || (units === null && live.rates === null)) return NO_CHARGES;
    const { id, app } = auth.key;
    const uses = this.#deps.limits;
    const charges: Charge[] = (live.rates?.among(calls) ?? []).map(({ rated, count }) => ({
      use: uses.ofMethod(app, rated.name, live.route.id, now),
      limits: rated.limits,
      count,
      message: `Too many calls of ${rated.name}; try again later.`,
    }));
    if (units !== null)
      charges.push({
        use: uses.ofKey(id, now),
        limits: units,
        count: live.metered.unitsOf(calls),
        message: MANY_OF_KEY,
      });
    return charges;
  }

  #checkQuota({ live, auth }: RequestContext, calls: readonly string[]): Refusal | null {
    const app = auth?.key.app;
    const { allowance } = this.#deps;
    if (live === null || app === undefined || allowance.isUnlimited(app)) return null;
    return allowance.check(app, live.metered.unitsOf(calls));
  }

  #checkKey(context: RequestContext, now: Millis): Refusal | null {
    const extracted = extractKey(context, context.live?.route.protocol ?? 'http', this.#deps.keysInPath);
    if (isRefusal(extracted)) return extracted;
    const { keyText, rest } = extracted;
    context.keyText = keyText;
    context.rest = rest;
    const auth = this.authenticate(keyText, now);
    if (isRefusal(auth)) return auth;
    context.auth = auth;
    const { rules } = auth.key;
    if (rules !== null) {
      const misplaced = this.#checkPlace(rules, context);
      if (misplaced !== null) return misplaced;
    }
    this.#deps.directory.used(auth.key.id, now);
    return holdsKey(rest, keyText)
      ? refuse('bad_request', { message: 'The App key must not appear anywhere else in the target.' })
      : null;
  }

  /** Where a key may be used: by pages of its origins, and from its networks. */
  #checkPlace(rules: KeyRules, context: RequestContext): Refusal | null {
    if (!rules.allowsOrigin(context.head?.origin ?? null))
      return refuse('origin_not_allowed', { message: FOREIGN_ORIGIN });
    if (!rules.hasNetworks) return null;
    return rules.allowsAddress(clientOf(context, this.#deps.trustedHops())) ? null : refuse('address_not_allowed');
  }

  /** Without CORS headers a page cannot read the answer to its HTTP request; a WebSocket has no such protection. */
  #checkRoute({ live, upgrade, head }: RequestContext): Refusal | null {
    if (live?.route.enabled !== true) return refuse('route_disabled');
    return upgrade && !allowsOrigin(live.route.cors, head?.origin ?? null) ? refuse('origin_not_allowed') : null;
  }

  #admit(context: RequestContext, now: Millis): Refusal | null {
    const { live, auth } = context;
    if (live === null || auth === null) return refuse('not_found');
    const { app } = auth.key;
    context.mode = effectiveMode(live.route, app);
    context.limits = effectiveLimits(live.limits, app);
    const use = context.mode === 'disabled' ? null : this.#useOf(app, live, context.limits, now);
    context.use = use;
    context.admission = applyAdmission(
      context.mode,
      () =>
        checkChain(live.route, app) ??
        use?.checkConcurrency(context.limits) ??
        use?.charge(context.limits, 1, now) ??
        null,
    );
    return context.admission.verdict === 'refused' ? context.admission.refusal : null;
  }

  #useOf(app: AppView, { route }: LiveRoute, { app: own }: EffectiveLimits, now: Millis): AppUse | null {
    const limited = own.requestsPerSecond !== null || own.concurrency !== null;
    return limited ? this.#deps.limits.of(app, route.id, now) : null;
  }
}

/** The verdict on a call that the key may not make; `null` when it may make all of them. */
function checkMethods({ auth, mode }: RequestContext, calls: readonly string[]): AdmissionVerdict | null {
  const foreign = auth?.key.rules?.foreign(calls);
  if (foreign === undefined) return null;
  const message = `The method ${foreign.slice(0, MAX_ECHO)} is not allowed for this key.`;
  return { mode, verdict: 'refused', refusal: refuse('method_not_allowed', { message }) };
}

function checkRanges(live: LiveRoute | null, request: JsonRpcRequest): Refusal | null {
  const { methods, params, text } = request;
  const rules = live?.route.reads.logs ?? null;
  if (live === null || rules === null || !methods.some(readsLogs)) return null;
  const splits = live.route.protocol === 'jsonrpc' && splittableRange(request) !== null;
  const limit = splits ? rules.maxRange * rules.splitInto : rules.maxRange;
  if (repeatsMember(text)) return refuse('bad_request', { message: 'A request has a member twice.' });
  for (const [index, method] of methods.entries()) {
    const refusal = checkLogsRange(method, params[index], limit, chainEnd(live));
    if (refusal !== null) return refusal;
  }
  return null;
}

/** Finds the App key, and removes it from the target. */
function extractKey(
  { target, head, headCache }: Pick<ReceivedRequest, 'target' | 'head' | 'headCache'>,
  protocol: RouteProtocol,
  inPath: boolean,
): ExtractedKey | Refusal {
  if (headCache.extracted !== null && headCache.protocol === protocol) return headCache.extracted;
  const read = readTarget(protocol, target);
  if (isRefusal(read)) return read;
  if (read.pathKey !== null && !inPath) return refuse('key_unknown');
  const found = readKey(head?.authorization ?? [], read.pathKey);
  if (isRefusal(found)) return found;
  headCache.protocol = protocol;
  headCache.extracted = { rest: read.rest, keyText: found.key };
  return headCache.extracted;
}

/** The first value of a header. @param name - in lower case */
function headerOf(rawHeaders: readonly string[], name: string): string | null {
  for (let at = 0; at < rawHeaders.length; at += 2)
    if ((rawHeaders[at] as string).toLowerCase() === name) return rawHeaders[at + 1] as string;
  return null;
}

function wrongProtocol(upgrade: boolean, wanted: boolean): Refusal | null {
  if (upgrade === wanted) return null;
  return refuse('bad_request', {
    message: wanted
      ? 'This gateway accepts only WebSocket connections: send an upgrade request.'
      : 'This gateway does not accept upgrade requests.',
  });
}
