import { invalidField, isTillgateError, present, stateConflict, TillgateError } from '../kernel/index.ts';
import type { AppId, AppKeyId, FieldError, Millis, Storage, Transaction } from '../kernel/index.ts';
import type { AppWrites, KeyChanges } from './app-store.ts';
import type { App } from './app.ts';
import { APP_KEY_TRANSITIONS, keyState, makeKey, openKey } from './app-key.ts';
import type { AppKey, IssuedKey, KeyMaker } from './app-key.ts';
import { keyChanged, keyCreated, keyMoved } from './gateway-audit.ts';
import type { Trace } from './gateway-audit.ts';
import { keyOptionErrors, restrictedBy } from './key-restrictions.ts';
import type { KeyOptions } from './key-restrictions.ts';

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

  /**
   * Creates a key of an App that has none, or whose key has expired.
   *
   * @throws TillgateError `INVALID_FIELDS`; `NOT_FOUND` for an unknown App; `STATE_CONFLICT` when it has an active key or
   *   is archived
   */
  async create(appId: AppId, options: KeyOptions = {}): Promise<IssuedKey> {
    const { storage, clock } = this.#deps;
    refuse(keyOptionErrors(options, clock.now()));
    const issued = await storage.transaction(async (tx) => {
      const app = await lockUsable(tx.apps, appId);
      await this.#leaveExpired(tx, app);
      const { expiresAt = null } = options;
      return this.#store(tx, app, { expiresAt, restrictions: restrictedBy(null, options) });
    });
    await settledIfPossible(this.#deps.storage);
    return issued;
  }

  /**
   * Creates a new active key with the restrictions of the replaced one, which stays valid for its grace period, but not
   * beyond its own end.
   *
   * @param graceSeconds - 0 to {@link MAX_GRACE_SECONDS}; the setting by default
   * @param expiresAt - the time from which the new key is refused; `null` for none
   * @throws TillgateError `INVALID_FIELDS`; `NOT_FOUND` for an unknown App; `STATE_CONFLICT` without an active key
   */
  async rotate(
    appId: AppId,
    graceSeconds = this.#deps.graceSeconds ?? DEFAULT_GRACE_SECONDS,
    expiresAt: Millis | null = null,
  ): Promise<{ readonly key: IssuedKey; readonly replaced: IssuedKey }> {
    if (!Number.isSafeInteger(graceSeconds) || graceSeconds < 0 || graceSeconds > MAX_GRACE_SECONDS) {
      throw invalidField('graceSeconds', `must be a whole number from 0 to ${MAX_GRACE_SECONDS}`);
    }
    const { storage, vault, clock, trace } = this.#deps;
    refuse(keyOptionErrors({ expiresAt }, clock.now()));
    const { from, to } = APP_KEY_TRANSITIONS.rotate;
    const { former, issued } = await storage.transaction(async (tx) => {
      const { apps } = tx;
      const app = await lockUsable(apps, appId);
      const active = await apps.activeKey(appId);
      const end = Math.min(active?.expiresAt ?? Infinity, clock.now() + graceSeconds * 1000);
      if (active === null || !(await apps.moveKey(active.id, from, { to, expiresAt: end }))) {
        throw new TillgateError('STATE_CONFLICT', 'The App has no active key; create one.');
      }
      trace?.(tx, keyMoved(active, app.accountId, to));
      const issued = await this.#store(tx, app, { restrictions: active.restrictions, expiresAt });
      return { former: { ...active, state: to, expiresAt: end }, issued };
    });
    await storage.feed.settled();
    return { key: issued, replaced: openKey(vault, former, clock.now()) };
  }

  /**
   * Changes what a key may do, and its end. Returns when every gateway has applied the change.
   *
   * @throws TillgateError `INVALID_FIELDS`, also for a grace period that would become longer; `NOT_FOUND` for an unknown
   *   key or a key of another App; `STATE_CONFLICT` for a key that is revoked, or whose grace period is over; `NOT_READY`
   *   when it is stored but not yet applied everywhere: retry then
   */
  async change(appId: AppId, keyId: AppKeyId, options: KeyOptions): Promise<IssuedKey> {
    const { storage, vault, clock, trace } = this.#deps;
    refuse(keyOptionErrors(options, clock.now()));
    const changed = await storage.transaction(async (tx) => {
      const { apps } = tx;
      const app = await apps.lock(appId);
      const former = await apps.key(keyId);
      if (app === null || former?.appId !== appId) throw noSuchKey();
      const { expiresAt = former.expiresAt } = options;
      checkEnd(former, expiresAt, clock.now());
      const next = { ...former, expiresAt, restrictions: restrictedBy(former.restrictions, options) };
      if (!(await apps.changeKey(keyId, next))) throw stateConflict('The key is revoked.');
      trace?.(tx, keyChanged(former, next, app.accountId));
      return next;
    });
    await storage.feed.settled();
    return openKey(vault, changed, clock.now());
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

  /** Makes room for a new key where the active one has expired. */
  async #leaveExpired(tx: Transaction, { id, accountId }: App): Promise<void> {
    const active = await tx.apps.activeKey(id);
    if (active === null) return;
    const { expiresAt } = active;
    if (expiresAt === null || keyState(active, this.#deps.clock.now()) !== 'expired')
      throw stateConflict('The App has an active key; rotate that one.');
    const { from, to } = APP_KEY_TRANSITIONS.rotate;
    await tx.apps.moveKey(active.id, from, { to, expiresAt });
    this.#deps.trace?.(tx, keyMoved(active, accountId, to));
  }

  /** Created while the App is locked, so that ids have the order of creation. */
  async #store(tx: Transaction, { id, accountId }: App, fields: KeyChanges): Promise<IssuedKey> {
    const issued = makeKey(this.#deps, id, fields);
    await tx.apps.createKey(issued.key);
    this.#deps.trace?.(tx, keyCreated(issued.key, accountId));
    return issued;
  }
}

function refuse(fields: readonly FieldError[]): void {
  if (fields.length > 0) throw new TillgateError('INVALID_FIELDS', 'The key has invalid fields.', { fields });
}

/** A replaced key can only end earlier: its grace period has a longest one. */
function checkEnd(key: AppKey, expiresAt: Millis | null, now: Millis): void {
  if (key.state !== 'grace' || key.expiresAt === null) return;
  if (keyState(key, now) === 'expired') throw stateConflict('The key is expired.');
  if (expiresAt === null || expiresAt > key.expiresAt)
    throw invalidField('expiresAt', 'must not be after the end of the grace period');
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
