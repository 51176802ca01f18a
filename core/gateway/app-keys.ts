import { invalidField, isTillgateError, present, TillgateError } from '../kernel/index.ts';
import type { AppId, AppKeyId, Storage, Transaction } from '../kernel/index.ts';
import type { AppWrites } from './app-store.ts';
import type { App } from './app.ts';
import { APP_KEY_TRANSITIONS, makeKey, openKey } from './app-key.ts';
import type { AppKey, IssuedKey, KeyMaker } from './app-key.ts';
import { keyCreated, keyMoved } from './gateway-audit.ts';
import type { Trace } from './gateway-audit.ts';

/** The longest grace period of a rotated key, in seconds: 7 days. */
export const MAX_GRACE_SECONDS = 7 * 86_400;
/** The default grace period of a rotated key: 24 hours. */
export const DEFAULT_GRACE_SECONDS = 86_400;

export interface AppKeysDeps extends KeyMaker {
  readonly storage: Pick<Storage, 'apps' | 'feed' | 'transaction'>;
  /** The setting `keys.graceSeconds`. */
  readonly graceSeconds?: number;
  /** None by default. */
  readonly trace?: Trace;
}

const noSuchApp = (): TillgateError => new TillgateError('NOT_FOUND', 'There is no such App.');
const noSuchKey = (): TillgateError => new TillgateError('NOT_FOUND', 'There is no such key.');

/**
 * The life cycle of App keys. A revocation returns when
 * every instance has applied it, so that it is effective for the next request anywhere.
 */
export class AppKeys {
  readonly #deps: AppKeysDeps;

  constructor(deps: AppKeysDeps) {
    this.#deps = deps;
  }

  /** The same use cases, with their changes recorded for the audit log. */
  tracedBy(trace: Trace): AppKeys {
    return new AppKeys({ ...this.#deps, trace });
  }

  /**
   * An App's keys with their texts, newest first.
   *
   * @throws TillgateError `NOT_FOUND` for an unknown App
   */
  async list(appId: AppId): Promise<readonly IssuedKey[]> {
    const { storage } = this.#deps;
    if ((await storage.apps.find(appId)) === null) throw noSuchApp();
    return (await storage.apps.keys(appId)).map((key) => this.open(key));
  }

  /** A stored key with its text and its present state. */
  open(key: AppKey): IssuedKey {
    return openKey(this.#deps.vault, key, this.#deps.clock.now());
  }

  /** @throws TillgateError `NOT_FOUND` for an unknown App, `STATE_CONFLICT` when it has an active key or is archived */
  async create(appId: AppId): Promise<IssuedKey> {
    const issued = await this.#deps.storage.transaction(async (tx) => {
      const { apps } = tx;
      const app = await lockUsable(apps, appId);
      if ((await apps.activeKey(appId)) !== null)
        throw new TillgateError('STATE_CONFLICT', 'The App has an active key; rotate that one.');
      return this.#store(tx, app);
    });
    await settledIfPossible(this.#deps.storage);
    return issued;
  }

  /**
   * Creates a new active key; the replaced one stays valid for its grace period.
   *
   * @param graceSeconds - 0 to {@link MAX_GRACE_SECONDS}; the setting by default
   * @throws TillgateError `INVALID_FIELDS`; `NOT_FOUND` for an unknown App; `STATE_CONFLICT` without an active key
   */
  async rotate(
    appId: AppId,
    graceSeconds = this.#deps.graceSeconds ?? DEFAULT_GRACE_SECONDS,
  ): Promise<{ readonly key: IssuedKey; readonly replaced: IssuedKey }> {
    if (!Number.isSafeInteger(graceSeconds) || graceSeconds < 0 || graceSeconds > MAX_GRACE_SECONDS) {
      throw invalidField('graceSeconds', `must be a whole number from 0 to ${MAX_GRACE_SECONDS}`);
    }
    const { storage, vault, clock, trace } = this.#deps;
    const { from, to } = APP_KEY_TRANSITIONS.rotate;
    const { former, issued } = await storage.transaction(async (tx) => {
      const { apps } = tx;
      const app = await lockUsable(apps, appId);
      const active = await apps.activeKey(appId);
      const expiresAt = clock.now() + graceSeconds * 1000;
      if (active === null || !(await apps.moveKey(active.id, from, { to, expiresAt }))) {
        throw new TillgateError('STATE_CONFLICT', 'The App has no active key; create one.');
      }
      trace?.(tx, keyMoved(active, app.accountId, to));
      return { former: { ...active, state: to, expiresAt }, issued: await this.#store(tx, app) };
    });
    await storage.feed.settled();
    return { key: issued, replaced: openKey(vault, former, clock.now()) };
  }

  /**
   * Revokes a key at once and permanently. Returns only when the revocation is applied everywhere, also for a key that
   * was revoked before, because the first caller may have crashed meanwhile.
   *
   * @throws TillgateError `NOT_FOUND` for an unknown key or a key of another App; `NOT_READY` when it is stored but not
   *   yet applied everywhere: retry then
   */
  async revoke(appId: AppId, keyId: AppKeyId): Promise<IssuedKey> {
    const { storage, vault, clock, trace } = this.#deps;
    const { from, to } = APP_KEY_TRANSITIONS.revoke;
    const revoked = await storage.transaction(async (tx) => {
      const { apps } = tx;
      const app = await apps.lock(appId);
      const former = await apps.key(keyId);
      if (app === null || former?.appId !== appId) throw noSuchKey();
      if (await apps.moveKey(keyId, from, { to, revokedAt: clock.now() }))
        trace?.(tx, keyMoved(former, app.accountId, to));
      return present(await apps.key(keyId), 'the revoked key');
    });
    await storage.feed.settled();
    return openKey(vault, revoked, clock.now());
  }

  /** Created while the App is locked, so that ids have the order of creation. */
  async #store(tx: Transaction, { id, accountId }: App): Promise<IssuedKey> {
    const issued = makeKey(this.#deps, id);
    await tx.apps.createKey(issued.key);
    this.#deps.trace?.(tx, keyCreated(issued.key, accountId));
    return issued;
  }
}

/** Locks the account, then the App; an archived account gets no keys. */
async function lockUsable(apps: AppWrites, appId: AppId): Promise<App> {
  const found = await apps.find(appId);
  if (found === null) throw noSuchApp();
  if ((await apps.accountStatus(found.accountId)) === 'archived')
    throw new TillgateError('STATE_CONFLICT', 'The account is archived.');
  return present(await apps.lock(appId), 'the App');
}

/** For additions: an instance that has not applied one yet refuses the new key, which is safe. */
export async function settledIfPossible({ feed }: Pick<Storage, 'feed'>): Promise<void> {
  await feed.settled().catch((error: unknown) => {
    if (!isTillgateError(error, 'NOT_READY')) throw error;
  });
}
