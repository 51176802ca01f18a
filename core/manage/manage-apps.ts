import type { App } from '../accounts/app.ts';
import type { Apps } from '../accounts/apps.ts';
import type { AdmissionCount } from '../gateway/admission-tally.ts';
import { loosensQuota } from '../gateway/quota.ts';
import type { PrepaidView, TopUp, TopUps } from '../gateway/top-ups.ts';
import { invalidField, TillgateError } from '../kernel/errors.ts';
import type { AccountId, AppId, AppKeyId } from '../kernel/ids.ts';
import type { Page, PageRequest } from '../kernel/page.ts';
import type { AppKeys } from '../keys/app-keys.ts';
import type { IssuedKey } from '../keys/issued-key.ts';
import type { AppChanges } from '../ports/app-store.ts';
import type { PurchaseView } from '../ports/prepaid-store.ts';
import type { Storage } from '../ports/storage.ts';
import type { UsageSum } from '../ports/usage-store.ts';
import { listScope, recordNotFound, requireAccess, targetAccount } from './actor.ts';
import type { Actor } from './actor.ts';
import { usageQuery } from './app-usage.ts';
import type { UsageRequest } from './app-usage.ts';
import type { AuditDeps } from './audit.ts';
import { auditedStorage } from './audited-writes.ts';
import type { GatewayStorage } from './audited-writes.ts';

export interface ManageAppsDeps extends AuditDeps {
  readonly storage: GatewayStorage & Pick<Storage, 'usage'>;
  readonly apps: Apps;
  readonly appKeys: AppKeys;
  /** Admission counts of an App's requests on this instance. */
  readonly admissionTally: (app: AppId) => readonly AdmissionCount[];
  readonly topUps: TopUps;
  /** Whether Apps are prepaid unless an admin says otherwise; `null` where no plans are sold, and no App can be prepaid. */
  readonly newAppsPrepaid: boolean | null;
}

/** A new App; only admins may create one for another account. */
export interface ManagedAppInput {
  readonly accountId?: AccountId;
  readonly name: string;
  readonly chains: readonly string[];
  readonly providerId?: string | null;
  /** By default as the operator sells: see {@link ManageAppsDeps.newAppsPrepaid}. */
  readonly prepaid?: boolean;
}

/** Management of Apps and their keys (decisions, section 9). */
export class ManageApps {
  readonly #deps: ManageAppsDeps;

  constructor(deps: ManageAppsDeps) {
    this.#deps = deps;
  }

  /** Newest first. @throws TillgateError `INVALID_FIELDS` for a page out of range, `NOT_FOUND` for another's account */
  list(actor: Actor, accountId: AccountId | undefined, page: PageRequest): Promise<Page<App>> {
    return this.#deps.apps.list(listScope(actor, accountId), page);
  }

  /** @throws TillgateError `NOT_FOUND`, the same for another account's App */
  async find(actor: Actor, id: AppId): Promise<App> {
    const app = await this.#deps.storage.apps.find(id);
    if (app === null) throw recordNotFound();
    requireAccess(actor, app.accountId);
    return app;
  }

  /**
   * An App with its first key. Where new Apps are prepaid, only an admin makes one that is not.
   *
   * @throws TillgateError `INVALID_FIELDS`, `NOT_FOUND`, `STATE_CONFLICT` for an archived account, `FORBIDDEN`
   */
  async create(
    actor: Actor,
    { accountId, prepaid, ...input }: ManagedAppInput,
  ): Promise<{ readonly app: App; readonly key: IssuedKey }> {
    const usual = this.#deps.newAppsPrepaid ?? false;
    this.#checkPrepaid(actor, usual, prepaid);
    return this.#deps.apps
      .on(this.#auditedBy(actor))
      .create({ ...input, prepaid: prepaid ?? usual, accountId: targetAccount(actor, accountId) });
  }

  /**
   * Only an admin lets an App use more than its quota said, or than was bought for it.
   *
   * @throws TillgateError `NOT_FOUND`, `VERSION_MISMATCH`, `INVALID_FIELDS`, `STATE_CONFLICT`, `FORBIDDEN`
   */
  async update(actor: Actor, id: AppId, expectedVersion: number, changes: AppChanges): Promise<App> {
    const { quota, prepaid } = await this.find(actor, id);
    this.#checkPrepaid(actor, prepaid, changes.prepaid);
    if (changes.quota !== undefined && actor.role !== 'admin' && loosensQuota(quota, changes.quota))
      throw new TillgateError('FORBIDDEN', 'Only an admin raises or removes a quota, or changes its window.');
    return this.#deps.apps.on(this.#auditedBy(actor)).update(id, expectedVersion, changes);
  }

  /** What the App bought, what is left, and its latest purchases. @throws TillgateError `NOT_FOUND`, also for an App that is not prepaid */
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

  /** What the App used, stored so far. @throws TillgateError `NOT_FOUND`, `INVALID_FIELDS` for a range that is empty or too long */
  async usage(actor: Actor, id: AppId, request: UsageRequest): Promise<readonly UsageSum[]> {
    await this.find(actor, id);
    const { storage, clock } = this.#deps;
    return storage.usage.sum(usageQuery(id, request, clock.now()));
  }

  /** Keys with their texts, newest first. @throws TillgateError `NOT_FOUND` */
  async keys(actor: Actor, id: AppId): Promise<readonly IssuedKey[]> {
    await this.find(actor, id);
    return this.#deps.appKeys.list(id);
  }

  /** @throws TillgateError `NOT_FOUND`, `STATE_CONFLICT` when there is an active key */
  async createKey(actor: Actor, id: AppId): Promise<IssuedKey> {
    await this.find(actor, id);
    return this.#deps.appKeys.on(this.#auditedBy(actor)).create(id);
  }

  /** @throws TillgateError `NOT_FOUND`, `STATE_CONFLICT` without an active key, `INVALID_FIELDS` */
  async rotateKey(
    actor: Actor,
    id: AppId,
    graceSeconds: number | undefined,
  ): Promise<{ readonly key: IssuedKey; readonly replaced: IssuedKey }> {
    await this.find(actor, id);
    return this.#deps.appKeys.on(this.#auditedBy(actor)).rotate(id, graceSeconds);
  }

  /** @throws TillgateError `NOT_FOUND` */
  async revokeKey(actor: Actor, id: AppId, keyId: AppKeyId): Promise<IssuedKey> {
    await this.find(actor, id);
    return this.#deps.appKeys.on(this.#auditedBy(actor)).revoke(id, keyId);
  }

  #checkPrepaid(actor: Actor, former: boolean, next: boolean | undefined): void {
    if (next === true && this.#deps.newAppsPrepaid === null)
      throw invalidField('prepaid', 'must be false: no plans are sold here (gateway.sales)');
    if (former && next === false && actor.role !== 'admin')
      throw new TillgateError('FORBIDDEN', 'Only an admin lets an App use more than was bought for it.');
  }

  /** A storage that adds audit rows for this actor. */
  #auditedBy(actor: Actor): GatewayStorage {
    return auditedStorage(this.#deps.storage, this.#deps, actor);
  }
}
