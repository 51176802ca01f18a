import {
  applyAdmission,
  authenticateKey,
  checkChain,
  effectiveLimits,
  effectiveMode,
  HTTP_METHODS,
  isRefusal,
  readHead,
  readKey,
  readTarget,
  refuse,
} from '../../core/index.ts';
import type { AdmissionVerdict, AppLimits, Authenticated, Clock, JsonRpcRequest, KeyDirectory, KeyView, MethodPolicy, Refusal, RouteProtocol } from '../../core/index.ts';
import type { LiveRoutes } from './live-route.ts';
import type { Opened } from './memo.ts';
import type { Visit } from './visit.ts';

/** What the gate decides by. */
export interface GateDeps {
  readonly routes: LiveRoutes;
  readonly directory: KeyDirectory;
  readonly clock: Clock;
  readonly limits: AppLimits;
}

/** What a refusal repeats of a method's name, which is the client's to choose. */
const MAX_ECHO = 64;
const NOT_SURE: Partial<Refusal> = { status: 503, message: 'Keys cannot be checked at the moment; try again.', retryAfterSeconds: 1 };

/**
 * Who may pass: every check of a request but those of its body, in the order of decisions, section 8. Nothing here knows
 * of sockets.
 */
export class Gate {
  readonly #deps: GateDeps;

  constructor(deps: GateDeps) {
    this.#deps = deps;
  }

  /** Why a request may not pass, or `null`; the visit holds what was found out either way. */
  check(visit: Visit): Refusal | null {
    const live = this.#deps.routes.find(visit.hostHeader);
    if (live === null) return refuse('not_found');
    visit.live = live;
    const { protocol } = live.route;
    if (!HTTP_METHODS[protocol].includes(visit.method)) return refuse('http_method_not_allowed');
    const head = visit.head ?? readHead(visit.method, visit.httpVersion, visit.rawHeaders);
    if (isRefusal(head)) return head;
    visit.head = head;
    const wrong = wrongProtocol(visit.upgrade, protocol === 'websocket');
    if (wrong !== null) return wrong;
    return this.#checkKey(visit) ?? this.#checkRoute(visit) ?? this.#admit(visit);
  }

  /** The key of a text, checked now. */
  authenticate(keyText: string): Authenticated | Refusal {
    const { directory, clock } = this.#deps;
    let key: KeyView | null;
    try {
      key = directory.find(keyText);
    } catch {
      // Whatever the reason: a key that cannot be looked up opens nothing.
      return refuse('upstream_unavailable', NOT_SURE);
    }
    return authenticateKey(key, clock.now());
  }

  /** What admission says once the requests of a body are known: each but the first is charged, each method judged. */
  admitRequests(visit: Visit, { methods }: JsonRpcRequest, policy: MethodPolicy, charged: number): AdmissionVerdict {
    return applyAdmission(visit.mode, () => {
      // What may not be asked at all must not use up what may.
      const foreign = methods.find((method) => !policy.allows(method));
      if (foreign !== undefined) return refuse('method_not_allowed', { message: `The method ${foreign.slice(0, MAX_ECHO)} is not allowed on this gateway.` });
      const more = methods.length - charged;
      return more <= 0 ? null : (visit.use?.charge(visit.limits, more, this.#deps.clock.now()) ?? null);
    });
  }

  #checkKey(visit: Visit): Refusal | null {
    const opened = openRequest(visit, visit.live?.route.protocol ?? 'http');
    if (isRefusal(opened)) return opened;
    const { keyText, rest } = opened;
    visit.keyText = keyText;
    visit.rest = rest;
    const auth = this.authenticate(keyText);
    if (isRefusal(auth)) return auth;
    visit.auth = auth;
    this.#deps.directory.used(auth.key.id, this.#deps.clock.now());
    return rest.includes(keyText) ? refuse('bad_request', { message: 'The App key must not stand anywhere else in the target.' }) : null;
  }

  #checkRoute({ live }: Visit): Refusal | null {
    return live?.route.enabled === true ? null : refuse('route_disabled');
  }

  #admit(visit: Visit): Refusal | null {
    const { live, auth } = visit;
    if (live === null || auth === null) return refuse('not_found');
    const { app } = auth.key;
    const now = this.#deps.clock.now();
    visit.mode = effectiveMode(live.route, app);
    visit.limits = effectiveLimits(live.route, app);
    const { requestsPerSecond, concurrency } = visit.limits;
    const limited = visit.mode !== 'disabled' && (requestsPerSecond !== null || concurrency !== null);
    const use = limited ? this.#deps.limits.of(app.id, live.route.id, now) : null;
    visit.use = use;
    visit.admission = applyAdmission(
      visit.mode,
      () => checkChain(live.route, app) ?? use?.checkConcurrency(visit.limits) ?? use?.charge(visit.limits, 1, now) ?? null,
    );
    return visit.admission.verdict === 'refused' ? visit.admission.refusal : null;
  }
}

/** Takes the key out of a request. */
function openRequest({ target, head, memo }: Visit, protocol: RouteProtocol): Opened | Refusal {
  if (memo.opened !== null && memo.protocol === protocol) return memo.opened;
  const read = readTarget(protocol, target);
  if (isRefusal(read)) return read;
  const found = readKey(head?.authorization ?? [], read.pathKey);
  if (isRefusal(found)) return found;
  memo.protocol = protocol;
  memo.opened = { rest: read.rest, keyText: found.key };
  return memo.opened;
}

function wrongProtocol(upgrade: boolean, wanted: boolean): Refusal | null {
  if (upgrade === wanted) return null;
  return refuse('bad_request', { message: wanted ? 'This gateway speaks WebSocket: an upgrade is needed.' : 'This gateway does not change the protocol.' });
}
