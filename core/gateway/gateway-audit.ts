import { addAuditRow, changesOf, createdWith } from '../access/index.ts';
import type { Actor, AuditDeps, AuditEntry } from '../access/index.ts';
import type { AccountId, RouteId, Transaction, UpstreamId } from '../kernel/index.ts';
import type { AppKey, StoredKeyState } from './app-key.ts';
import type { App } from './app.ts';
import { RESTRICTIONS, restrictionsOf } from './key-restrictions.ts';
import type { StoredRoute } from './route-store.ts';

/** Records a change of an App, a key or a route for the audit log, in its transaction. */
export type Trace = (tx: Pick<Transaction, 'record'>, entry: AuditEntry) => void;

/** Records the changes of one actor. */
export const traceOf =
  (deps: AuditDeps, actor: Actor): Trace =>
  (tx, entry) =>
    addAuditRow(deps, tx, actor, entry);

const APP_FIELDS = ['name', 'enabled', 'chains', 'admissionMode', 'limits', 'quota', 'prepaid'] as const;
const ROUTE_FIELDS = [
  'host',
  'chain',
  'network',
  'protocol',
  'admission',
  'enabled',
  'methods',
  'limits',
  'units',
  'reads',
  'timeouts',
  'cors',
  'maxBodyBytes',
  'maxBatch',
  'plans',
] as const;

export function appCreated({ id, accountId, name, chains, providerId, prepaid }: App): AuditEntry {
  const changes = createdWith({ name, chains, providerId, ...(prepaid ? { prepaid: true } : {}) });
  return { action: 'app.create', accountId, subjectId: id, changes };
}

export function appUpdated(former: App, { id, accountId, ...changed }: App): AuditEntry {
  return { action: 'app.update', accountId, subjectId: id, changes: changesOf(former, changed, APP_FIELDS) };
}

/** What a key may do, and until when. */
const optionsOf = ({ expiresAt, restrictions }: AppKey) => ({ ...restrictionsOf(restrictions), expiresAt });

export function keyCreated(key: AppKey, accountId: AccountId): AuditEntry {
  const { id, appId, expiresAt } = key;
  const limits = { ...key.restrictions, ...(expiresAt === null ? {} : { expiresAt }) };
  return { action: 'app_key.create', accountId, subjectId: id, changes: createdWith({ appId, ...limits }) };
}

export function keyChanged(former: AppKey, next: AppKey, accountId: AccountId): AuditEntry {
  const changes = changesOf(optionsOf(former), optionsOf(next), [...RESTRICTIONS, 'expiresAt']);
  return { action: 'app_key.update', accountId, subjectId: next.id, changes };
}

export function keyMoved({ id, state }: AppKey, accountId: AccountId, to: StoredKeyState): AuditEntry {
  const action = to === 'grace' ? 'app_key.rotate' : 'app_key.revoke';
  return { action, accountId, subjectId: id, changes: { state: { from: state, to } } };
}

/** Upstreams contain a provider's credentials, so their values are not recorded. */
export function routeCreated({ id, ...route }: StoredRoute): AuditEntry {
  const { host, chain, network, protocol, admission, enabled } = route;
  const changes = createdWith({ host, chain, network, protocol, admission, enabled });
  return { action: 'gateway.create', accountId: null, subjectId: id, changes };
}

/** As {@link routeCreated}. @param isMoved - whether the upstreams were given */
export function routeReplaced(former: StoredRoute, next: StoredRoute, isMoved: boolean): AuditEntry {
  const upstreams = { from: 'not shown', to: 'not shown' };
  const changes = { ...changesOf(former, next, ROUTE_FIELDS), ...(isMoved ? { upstreams } : {}) };
  return { action: 'gateway.update', accountId: null, subjectId: next.id, changes };
}

/** @param url - the part of the upstream's URL that may be shown */
export function upstreamCordoned(routeId: RouteId, upstream: UpstreamId, url: string): AuditEntry {
  const changes = createdWith({ upstream, url });
  return { action: 'gateway.cordon', accountId: null, subjectId: routeId, changes };
}

/** As {@link upstreamCordoned}. */
export function upstreamUncordoned(routeId: RouteId, upstream: UpstreamId, url: string): AuditEntry {
  return { ...upstreamCordoned(routeId, upstream, url), action: 'gateway.uncordon' };
}
