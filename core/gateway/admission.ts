import type { AccountId, AppId, AppKeyId, ChainCode, Millis } from '../kernel/index.ts';
import { isAccepted, keyState } from './app-key.ts';
import type { AppKeyState, StoredKeyState } from './app-key.ts';
import type { KeyRules } from './key-rules.ts';
import { refuse } from './refusal.ts';
import type { Refusal } from './refusal.ts';
import type { Quota } from './quota.ts';
import { ADMISSION_MODES } from './route.ts';
import type { AdmissionLimits, AdmissionMode, EffectiveLimits, GatewayRoute } from './route.ts';

/** The fields of an App that admission needs. */
export interface AppView {
  readonly id: AppId;
  readonly accountId: AccountId;
  readonly enabled: boolean;
  readonly accountActive: boolean;
  readonly chains: ReadonlySet<ChainCode>;
  readonly admissionMode: AdmissionMode | null;
  readonly limits: AdmissionLimits | null;
  readonly quota: Quota | null;
  readonly prepaid: boolean;
  /** The address that paid for the App at the gate; `null` for an App that its owner created. */
  readonly buyer: string | null;
}

/** The fields of a key that admission needs. */
export interface KeyView {
  readonly id: AppKeyId;
  readonly state: StoredKeyState;
  readonly expiresAt: Millis | null;
  /** What the key may do; `null` for no restriction beside the limits of its App. */
  readonly rules: KeyRules | null;
  readonly app: AppView;
}

/** An accepted key and its present state. */
export interface Authenticated {
  readonly key: KeyView;
  readonly state: Extract<AppKeyState, 'active' | 'grace'>;
}

/**
 * Checks a key that was looked up: first its own state, then its App and its account. The key of an archived account is
 * therefore `key_revoked`.
 */
export function authenticateKey(key: KeyView | null, now: Millis): Authenticated | Refusal {
  if (key === null) return refuse('key_unknown');
  const state = keyState(key, now);
  if (!isAccepted(state)) return refuse(state === 'revoked' ? 'key_revoked' : 'key_expired');
  if (!key.app.accountActive) return refuse('account_inactive');
  if (!key.app.enabled) return refuse('app_inactive');
  return { key, state: state as Authenticated['state'] };
}

/** The mode of an App on a route: the stricter of the route's and the App's. */
export function effectiveMode(route: GatewayRoute, app: AppView): AdmissionMode {
  const { admissionMode } = app;
  if (admissionMode === null) return route.admission;
  return ADMISSION_MODES.indexOf(admissionMode) > ADMISSION_MODES.indexOf(route.admission)
    ? admissionMode
    : route.admission;
}

/**
 * The limits of a route. @param perAccount - the factor by which the limits of one App are multiplied for all Apps of
 * an account or buyer
 */
export function routeLimits({ limits }: GatewayRoute, perAccount: number): EffectiveLimits {
  const { requestsPerSecond: rate, burst, concurrency } = limits;
  const times = (limit: number | null): number | null => (limit === null ? null : limit * perAccount);
  return {
    app: limits,
    account: { requestsPerSecond: times(rate), burst: times(burst), concurrency: times(concurrency) },
  };
}

/** The limits of an App on a route: the smaller one of each kind. */
export function effectiveLimits(route: EffectiveLimits, { limits }: AppView): EffectiveLimits {
  if (limits === null) return route;
  const { app, account } = route;
  return {
    app: {
      requestsPerSecond: smaller(app.requestsPerSecond, limits.requestsPerSecond),
      burst: smaller(app.burst, limits.burst),
      concurrency: smaller(app.concurrency, limits.concurrency),
    },
    account,
  };
}

function smaller(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.min(a, b);
}

/** The verdict of admission on a request, and what the gateway does with it. */
export interface AdmissionVerdict {
  readonly mode: AdmissionMode;
  readonly verdict: 'allowed' | 'refused' | 'would_refuse';
  /** Why the request is refused, or would be in shadow mode. */
  readonly refusal: Refusal | null;
}

/**
 * Applies a mode to the result of an evaluation. An evaluation that throws refuses in `enforce` and passes in `shadow`:
 * a fault never opens the gate, and shadow mode never closes it.
 *
 * @param evaluate - returns the refusal of the request, `null` for none; not called when admission is disabled
 */
export function applyAdmission(mode: AdmissionMode, evaluate: () => Refusal | null): AdmissionVerdict {
  if (mode === 'disabled') return { mode, verdict: 'allowed', refusal: null };
  let refusal: Refusal | null;
  try {
    refusal = evaluate();
  } catch {
    refusal = refuse('upstream_unavailable', {
      status: 503,
      message: 'Admission could not be decided; try again.',
      retryAfterSeconds: 1,
    });
  }
  if (refusal === null) return { mode, verdict: 'allowed', refusal };
  return { mode, verdict: mode === 'enforce' ? 'refused' : 'would_refuse', refusal };
}

/** Whether a route is enabled for an App: part of admission, unlike the route's own `enabled`. */
export function checkChain(route: GatewayRoute, app: AppView): Refusal | null {
  return app.chains.has(route.chain) ? null : refuse('route_disabled');
}
