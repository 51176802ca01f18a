import type { AccountStatus, Actor, AuditChanges, AuditDeps, AuditEntry } from '../access/index.ts';
import type { App } from './app.ts';
import type { AccountId, AppId, AppKeyId, Millis, RouteId, Storage, Transaction } from '../kernel/index.ts';
import type { AppKey, StoredKeyState } from './app-key.ts';
import type { AppChanges, AppWrites, KeyMove } from './app-store.ts';
import type { RouteWrites, StoredRoute } from './route-store.ts';
import { addAuditRow, changesOf, createdWith } from '../access/index.ts';

type Trace = (entry: AuditEntry) => Promise<void>;

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

/** Writes of Apps and keys that also add an audit row, so that no use case can omit it. */
class AuditedApps implements AppWrites {
  readonly #writes: AppWrites;
  readonly #trace: Trace;

  constructor(writes: AppWrites, trace: Trace) {
    this.#writes = writes;
    this.#trace = trace;
  }

  accountStatus(id: AccountId): Promise<AccountStatus | null> {
    return this.#writes.accountStatus(id);
  }

  countOf(id: AccountId): Promise<number> {
    return this.#writes.countOf(id);
  }

  find(id: AppId): Promise<App | null> {
    return this.#writes.find(id);
  }

  lock(id: AppId): Promise<App | null> {
    return this.#writes.lock(id);
  }

  key(id: AppKeyId): Promise<AppKey | null> {
    return this.#writes.key(id);
  }

  activeKey(appId: AppId): Promise<AppKey | null> {
    return this.#writes.activeKey(appId);
  }

  async create(app: App): Promise<void> {
    await this.#writes.create(app);
    const changes = createdWith({
      name: app.name,
      chains: app.chains,
      providerId: app.providerId,
      ...(app.prepaid ? { prepaid: true } : {}),
    });
    await this.#trace({ action: 'app.create', accountId: app.accountId, subjectId: app.id, changes });
  }

  async update(id: AppId, expectedVersion: number, changes: AppChanges, now: Millis): Promise<App | null> {
    const former = await this.#writes.find(id);
    const changed = await this.#writes.update(id, expectedVersion, changes, now);
    if (former === null || changed === null) return changed;
    await this.#trace({
      action: 'app.update',
      accountId: changed.accountId,
      subjectId: id,
      changes: changesOf(former, changed, APP_FIELDS),
    });
    return changed;
  }

  async createKey(key: AppKey): Promise<void> {
    await this.#writes.createKey(key);
    await this.#traceKey('app_key.create', key, createdWith({ appId: key.appId }));
  }

  async moveKey(id: AppKeyId, from: readonly StoredKeyState[], move: KeyMove): Promise<boolean> {
    const former = await this.#writes.key(id);
    const moved = await this.#writes.moveKey(id, from, move);
    if (moved && former !== null) {
      const action = move.to === 'grace' ? 'app_key.rotate' : 'app_key.revoke';
      await this.#traceKey(action, former, { state: { from: former.state, to: move.to } });
    }
    return moved;
  }

  /** No audit row here: the change of the account has one. */
  archiveAll(accountId: AccountId, now: Millis): Promise<void> {
    return this.#writes.archiveAll(accountId, now);
  }

  async #traceKey(action: string, { id, appId }: AppKey, changes: AuditChanges): Promise<void> {
    const app = await this.#writes.find(appId);
    await this.#trace({ action, accountId: app?.accountId ?? null, subjectId: id, changes });
  }
}

/** Writes of gateway routes with audit rows. Upstreams contain a provider's credentials, so their values are not recorded. */
class AuditedRoutes implements RouteWrites {
  readonly #writes: RouteWrites;
  readonly #trace: Trace;
  readonly #extra: AuditChanges;

  constructor(writes: RouteWrites, trace: Trace, extra: AuditChanges) {
    this.#writes = writes;
    this.#trace = trace;
    this.#extra = extra;
  }

  lock(id: RouteId): Promise<StoredRoute | null> {
    return this.#writes.lock(id);
  }

  async create(route: StoredRoute): Promise<boolean> {
    if (!(await this.#writes.create(route))) return false;
    const { host, chain, network, protocol, admission, enabled } = route;
    const changes = { ...createdWith({ host, chain, network, protocol, admission, enabled }), ...this.#extra };
    await this.#trace({ action: 'gateway.create', accountId: null, subjectId: route.id, changes });
    return true;
  }

  async replace(route: StoredRoute): Promise<boolean> {
    const former = await this.#writes.lock(route.id);
    if (!(await this.#writes.replace(route))) return false;
    const changes = former === null ? {} : changesOf(former, route, ROUTE_FIELDS);
    await this.#trace({
      action: 'gateway.update',
      accountId: null,
      subjectId: route.id,
      changes: { ...changes, ...this.#extra },
    });
    return true;
  }
}

export type GatewayStorage = Pick<Storage, 'apps' | 'routes' | 'feed' | 'transaction'>;

/**
 * The storage for one actor: every write of an App, key or route adds an audit row in the same transaction, whatever
 * the use case.
 *
 * @param routeChanges - additional changes in the audit row of a route
 */
export function auditedStorage(
  storage: GatewayStorage,
  deps: AuditDeps,
  actor: Actor,
  routeChanges: AuditChanges = {},
): GatewayStorage {
  const audited = (tx: Transaction): Transaction => {
    const trace: Trace = (entry) => addAuditRow(deps, tx, actor, entry);
    return { ...tx, apps: new AuditedApps(tx.apps, trace), routes: new AuditedRoutes(tx.routes, trace, routeChanges) };
  };
  const { apps, routes, feed } = storage;
  return { apps, routes, feed, transaction: (work) => storage.transaction((tx) => work(audited(tx))) };
}
