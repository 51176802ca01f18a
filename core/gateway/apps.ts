import type {
  AccountId,
  AppId,
  FieldError,
  Millis,
  NewestQuery,
  Random,
  Storage,
  Transaction,
} from '../kernel/index.ts';
import { hex, present, TillgateError } from '../kernel/index.ts';
import { settledIfPossible } from './app-keys.ts';
import { makeKey } from './app-key.ts';
import type { IssuedKey, KeyMaker } from './app-key.ts';
import type { AppChanges } from './app-store.ts';
import { appCreated, appUpdated, keyCreated } from './gateway-audit.ts';
import type { Trace } from './gateway-audit.ts';
import { appErrors } from './app-fields.ts';
import type { App } from './app.ts';
import { accountNotFound, nameProblem } from '../access/index.ts';

export interface NewApp {
  readonly accountId: AccountId;
  readonly name: string;
  /** The chains whose gateways the App may use. */
  readonly chains: readonly string[];
  readonly providerId?: string | null;
  /** True when the App may use only the units that were bought for it; false by default. */
  readonly prepaid?: boolean;
  /** The address that paid for the App at the gate; none by default. */
  readonly buyer?: string | null;
}

export interface AppsDeps extends KeyMaker {
  readonly storage: Pick<Storage, 'apps' | 'feed' | 'transaction'>;
  /** The most Apps of an account; {@link DEFAULT_APPS_PER_ACCOUNT} by default. */
  readonly appsPerAccount?: () => number;
  /** None by default. */
  readonly trace?: Trace;
}

const TOKEN_BYTES = 16;
export const DEFAULT_APPS_PER_ACCOUNT = 100;

const noSuchApp = (): TillgateError => new TillgateError('NOT_FOUND', 'There is no such App.');

function refuse(fields: readonly FieldError[]): void {
  if (fields.length > 0) throw new TillgateError('INVALID_FIELDS', 'The App has invalid fields.', { fields });
}

/** Apps of accounts. */
export class Apps {
  readonly #deps: AppsDeps;

  constructor(deps: AppsDeps) {
    this.#deps = deps;
  }

  /** The same use cases, with their changes recorded for the audit log. */
  tracedBy(trace: Trace): Apps {
    return new Apps({ ...this.#deps, trace });
  }

  /**
   * Creates an App with its first key, atomically.
   *
   * @throws TillgateError `INVALID_FIELDS`; `NOT_FOUND` for an unknown account; `STATE_CONFLICT` for an archived one,
   *   and for one that has the most Apps already
   */
  async create(input: NewApp): Promise<{ readonly app: App; readonly key: IssuedKey }> {
    const { accountId, name, chains, providerId = null, prepaid = false } = input;
    const providerWrong = providerId === null ? null : nameProblem(providerId);
    refuse([
      ...appErrors({ name, chains }),
      ...(providerWrong === null ? [] : [{ path: 'providerId', message: providerWrong }]),
    ]);
    const { storage, clock, ids, trace, appsPerAccount = () => DEFAULT_APPS_PER_ACCOUNT } = this.#deps;
    const app = newApp({ accountId, name, chains, providerId, prepaid }, ids.next() as AppId, clock.now());
    const key = makeKey(this.#deps, app.id);
    await storage.transaction(async (tx) => {
      const { apps } = tx;
      const status = await apps.accountStatus(accountId);
      if (status === null) throw accountNotFound();
      if (status === 'archived') throw new TillgateError('STATE_CONFLICT', 'The account is archived.');
      if ((await apps.countOf(accountId)) >= appsPerAccount())
        throw new TillgateError(
          'STATE_CONFLICT',
          `The account has reached its limit of ${appsPerAccount()} Apps (setting limits.appsPerAccount).`,
        );
      await addApp(tx, app, key, this.#deps.random);
      trace?.(tx, appCreated(app));
      trace?.(tx, keyCreated(key.key, accountId));
    });
    await settledIfPossible(storage);
    return { app, key };
  }

  find(id: AppId): Promise<App | null> {
    return this.#deps.storage.apps.find(id);
  }

  /** Apps of one account, or of all for `null`, newest first. */
  list(accountId: AccountId | null, query: NewestQuery<AppId>): Promise<readonly App[]> {
    return this.#deps.storage.apps.list(accountId, query);
  }

  countOf(accountId: AccountId): Promise<number> {
    return this.#deps.storage.apps.countOf(accountId);
  }

  /**
   * Changes an App; returns when every gateway has applied the change.
   *
   * @param expectedVersion - the version that the caller has read
   * @throws TillgateError `VERSION_MISMATCH` when it has changed since; `NOT_FOUND`; `INVALID_FIELDS`; `STATE_CONFLICT`
   *   for enabling an App of an archived account; `NOT_READY` when it is stored but not yet applied everywhere
   */
  async update(id: AppId, expectedVersion: number, changes: AppChanges): Promise<App> {
    refuse(appErrors(changes));
    const { storage, clock, trace } = this.#deps;
    const changed = await storage.transaction(async (tx) => {
      const { apps } = tx;
      const found = await apps.find(id);
      if (found === null) throw noSuchApp();
      const status = await apps.accountStatus(found.accountId);
      const former = present(await apps.lock(id), 'the App');
      const { version } = former;
      const updated = version === expectedVersion ? await apps.update(id, expectedVersion, changes, clock.now()) : null;
      if (updated === null)
        throw new TillgateError(
          'VERSION_MISMATCH',
          `The App was changed meanwhile and has version ${version}: read it again, then repeat your change.`,
          { version },
        );
      if (changes.enabled === true && status === 'archived')
        throw new TillgateError('STATE_CONFLICT', 'The account is archived.');
      if (updated.prepaid) await openPrepaid(tx, id, this.#deps.random);
      trace?.(tx, appUpdated(former, updated));
      return updated;
    });
    await storage.feed.settled();
    return changed;
  }
}

/** The initial record of an App. */
export function newApp(
  { accountId, name, chains, providerId = null, prepaid = false, buyer = null }: NewApp,
  id: AppId,
  now: Millis,
): App {
  return {
    ...{ id, accountId, name, enabled: true, version: 1, providerId, chains },
    ...{ admissionMode: null, limits: null, quota: null, prepaid, buyer, createdAt: now, modifiedAt: now },
  };
}

/** Stores an App with its first key. */
export async function addApp(tx: Transaction, app: App, { key }: IssuedKey, random: Random): Promise<void> {
  await tx.apps.create(app);
  await tx.apps.createKey(key);
  if (app.prepaid) await openPrepaid(tx, app.id, random);
}

/** Creates the prepaid record. Anyone who has its token may pay for the App. */
function openPrepaid({ prepaid }: Transaction, id: AppId, random: Random): Promise<void> {
  return prepaid.open(id, hex(random.bytes(TOKEN_BYTES)));
}
