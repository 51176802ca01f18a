import type { App } from './app.ts';
import type { Apps } from './apps.ts';
import type { AdmissionCount } from './admission-tally.ts';
import { raisesQuota } from './quota.ts';
import type { PrepaidView, TopUp, TopUps } from './top-ups.ts';
import { invalidField, masked, stateConflict, TillgateError } from '../kernel/index.ts';
import type { AccountId, AppId, AppKeyId, Millis, NewestQuery, Storage } from '../kernel/index.ts';
import { isAccepted } from './app-key.ts';
import type { AppKeys } from './app-keys.ts';
import type { IssuedKey } from './app-key.ts';
import type { KeyOptions } from './key-restrictions.ts';
import { traceOf } from './gateway-audit.ts';
import type { AppChanges } from './app-store.ts';
import type { PurchaseView } from './prepaid-store.ts';
import type { UsageSum } from './usage-store.ts';
import {
  addAuditRow,
  listScope,
  newestPage,
  recordNotFound,
  requireAccess,
  requireOwnSecret,
  seesSecrets,
  targetAccount,
} from '../access/index.ts';
import type { AccountListInput, Actor, AuditDeps, CursorPage, ListDeps } from '../access/index.ts';
import { usageQuery } from './usage-query.ts';
import type { UsageRequest } from './usage-query.ts';

export interface ManageAppsDeps extends AuditDeps, ListDeps {
  readonly storage: Pick<Storage, 'apps' | 'transaction' | 'usage'>;
  readonly apps: Apps;
  readonly appKeys: AppKeys;
  /** Admission counts of an App's requests on this instance. */
  readonly admissionTally: (app: AppId) => readonly AdmissionCount[];
  readonly topUps: TopUps;
  /** Whether new Apps are prepaid by default; `null` where no plans are sold, and no App can be prepaid. */
  readonly newAppsPrepaid: boolean | null;
}

/** A new App; only admins may create one for another account. */
export interface ManagedAppInput {
  readonly accountId?: AccountId;
  readonly name: string;
  readonly chains: readonly string[];
  readonly providerId?: string | null;
  /** See {@link ManageAppsDeps.newAppsPrepaid} for the default. */
  readonly prepaid?: boolean;
}

/** Management of Apps and their keys. */
export class ManageApps {
  readonly #deps: ManageAppsDeps;

  constructor(deps: ManageAppsDeps) {
    this.#deps = deps;
  }

  /**
   * Apps, newest first.
   *
   * @throws TillgateError `INVALID_FIELDS` for a limit out of range or a cursor of another list; `NOT_FOUND` for
   *   another account
   */
  async list(actor: Actor, { accountId, ...page }: AccountListInput): Promise<CursorPage<App>> {
    const scope = listScope(actor, accountId);
    const list = ['apps', actor.accountId, scope];
    const read = (query: NewestQuery<AppId>) => this.#deps.apps.list(scope, query);
    return newestPage(list, page, this.#deps, read, ({ id }) => id);
  }

  /** @throws TillgateError `NOT_FOUND`, also for an App of another account */
  async find(actor: Actor, id: AppId): Promise<App> {
    const app = await this.#deps.storage.apps.find(id);
    if (app === null) throw recordNotFound();
    requireAccess(actor, app.accountId);
    return app;
  }

  /**
   * Creates an App with its first key, whose text only the owner sees. Where new Apps are prepaid, only an admin can
   * create one that is not.
   *
   * @throws TillgateError `INVALID_FIELDS`, `NOT_FOUND`, `STATE_CONFLICT` for an archived account, `FORBIDDEN`
   */
  async create(
    actor: Actor,
    { accountId, prepaid, ...input }: ManagedAppInput,
  ): Promise<{ readonly app: App; readonly key: IssuedKey }> {
    const usual = this.#deps.newAppsPrepaid ?? false;
    this.#checkPrepaid(actor, usual, prepaid);
    const owner = targetAccount(actor, accountId);
    const { app, key } = await this.#deps.apps
      .tracedBy(traceOf(this.#deps, actor))
      .create({ ...input, prepaid: prepaid ?? usual, accountId: owner });
    return { app, key: seesSecrets(actor, owner) ? key : withoutText(key) };
  }

  /**
   * Updates an App. Only an admin can raise its quota, or end that it is prepaid.
   *
   * @throws TillgateError `NOT_FOUND`, `VERSION_MISMATCH`, `INVALID_FIELDS`, `STATE_CONFLICT`, `FORBIDDEN`
   */
  async update(actor: Actor, id: AppId, expectedVersion: number, changes: AppChanges): Promise<App> {
    const { quota, prepaid } = await this.find(actor, id);
    this.#checkPrepaid(actor, prepaid, changes.prepaid);
    if (changes.quota !== undefined && actor.role !== 'admin' && raisesQuota(quota, changes.quota))
      throw new TillgateError('FORBIDDEN', 'Only an admin may raise or remove a quota, or change its window.');
    return this.#deps.apps.tracedBy(traceOf(this.#deps, actor)).update(id, expectedVersion, changes);
  }

  /**
   * The bought and remaining units of an App, and its latest purchases. @throws TillgateError `NOT_FOUND`, also for an
   * App that is not prepaid
   */
  async prepaid(
    actor: Actor,
    id: AppId,
  ): Promise<{ readonly view: PrepaidView; readonly purchases: readonly PurchaseView[] }> {
    await this.find(actor, id);
    const { topUps } = this.#deps;
    return { view: await topUps.find(id), purchases: await topUps.purchases(id) };
  }

  /** Orders a plan for the App. @throws TillgateError as {@link TopUps.buy} */
  async topUp(actor: Actor, id: AppId, plan: string): Promise<TopUp> {
    await this.find(actor, id);
    const { topUps } = this.#deps;
    return topUps.buy(await topUps.find(id), plan);
  }

  /** Verdicts of admission by route and reason. @throws TillgateError `NOT_FOUND` */
  async admission(actor: Actor, id: AppId): Promise<readonly AdmissionCount[]> {
    await this.find(actor, id);
    return this.#deps.admissionTally(id);
  }

  /** The stored usage of an App. @throws TillgateError `NOT_FOUND`, `INVALID_FIELDS` for an empty or too long range */
  async usage(actor: Actor, id: AppId, request: UsageRequest): Promise<readonly UsageSum[]> {
    await this.find(actor, id);
    const { storage, clock } = this.#deps;
    return storage.usage.sum(usageQuery(id, request, clock.now()));
  }

  /** Keys with their texts masked, newest first. @throws TillgateError `NOT_FOUND` */
  async keys(actor: Actor, id: AppId): Promise<readonly IssuedKey[]> {
    await this.find(actor, id);
    return (await this.#deps.appKeys.list(id)).map(withoutText);
  }

  /**
   * Reveals a key to the owner of its App and records that in the audit log.
   *
   * @throws TillgateError `NOT_FOUND`, `FORBIDDEN` for another account's App, `STATE_CONFLICT` for a key that is no
   *   longer accepted
   */
  async revealKey(actor: Actor, id: AppId, keyId: AppKeyId): Promise<IssuedKey> {
    const { accountId } = await this.find(actor, id);
    requireOwnSecret(actor, accountId);
    return this.#deps.storage.transaction(async (tx) => {
      const key = await tx.apps.key(keyId);
      if (key?.appId !== id) throw recordNotFound();
      const opened = this.#deps.appKeys.open(key);
      if (!isAccepted(opened.state)) throw stateConflict(`The key is ${opened.state}.`);
      addAuditRow(this.#deps, tx, actor, { action: 'app_key.reveal', accountId, subjectId: keyId });
      return opened;
    });
  }

  /**
   * Creates a key and reveals it to the owner of its App.
   *
   * @throws TillgateError `NOT_FOUND`, `FORBIDDEN` for another account's App, `STATE_CONFLICT` when there is an active
   *   key, `INVALID_FIELDS`
   */
  async createKey(actor: Actor, id: AppId, options: KeyOptions): Promise<IssuedKey> {
    requireOwnSecret(actor, (await this.find(actor, id)).accountId);
    return this.#deps.appKeys.tracedBy(traceOf(this.#deps, actor)).create(id, options);
  }

  /**
   * @throws TillgateError `NOT_FOUND`, `FORBIDDEN` for another account's App, `STATE_CONFLICT` without an active key,
   *   `INVALID_FIELDS`
   */
  async rotateKey(
    actor: Actor,
    id: AppId,
    graceSeconds: number | undefined,
    expiresAt?: Millis | null,
  ): Promise<{ readonly key: IssuedKey; readonly replaced: IssuedKey }> {
    requireOwnSecret(actor, (await this.find(actor, id)).accountId);
    const appKeys = this.#deps.appKeys.tracedBy(traceOf(this.#deps, actor));
    const { key, replaced } = await appKeys.rotate(id, graceSeconds, expiresAt);
    return { key, replaced: withoutText(replaced) };
  }

  /**
   * Changes what a key may do, and its end; an admin may change one of any account.
   *
   * @throws TillgateError `NOT_FOUND`, `INVALID_FIELDS`, `STATE_CONFLICT` for a key that is no longer accepted
   */
  async changeKey(actor: Actor, id: AppId, keyId: AppKeyId, options: KeyOptions): Promise<IssuedKey> {
    await this.find(actor, id);
    return withoutText(await this.#deps.appKeys.tracedBy(traceOf(this.#deps, actor)).change(id, keyId, options));
  }

  /** Revokes a key; an admin may revoke one of any account. @throws TillgateError `NOT_FOUND` */
  async revokeKey(actor: Actor, id: AppId, keyId: AppKeyId): Promise<IssuedKey> {
    await this.find(actor, id);
    return withoutText(await this.#deps.appKeys.tracedBy(traceOf(this.#deps, actor)).revoke(id, keyId));
  }

  #checkPrepaid(actor: Actor, former: boolean, next: boolean | undefined): void {
    if (next === true && this.#deps.newAppsPrepaid === null)
      throw invalidField('prepaid', 'must be false: no plans are sold here (gateway.sales)');
    if (former && next === false && actor.role !== 'admin')
      throw new TillgateError('FORBIDDEN', 'Only an admin may let an App use more units than were bought for it.');
  }
}

/** A key with its text masked. */
function withoutText(key: IssuedKey): IssuedKey {
  return { ...key, text: masked(key.text) };
}
