import type { TestContext } from 'node:test';
import { AesGcmVault, CryptoRandom } from '../../../adapters/crypto/index.ts';
import { deadline, SystemClock } from '../../../adapters/system/index.ts';
import {
  AppKeys,
  Apps,
  ConfiguredRoutes,
  DEFAULT_FEED_LEASE_MS,
  IdSequence,
  isTillgateError,
  KeyCache,
  RouteCache,
  Routes,
} from '../../../core/index.ts';
import type { AppId, Clock, GatewayRoute, KeyView, Storage, Vault } from '../../../core/index.ts';
import { MemoryLogger } from '../../support/fakes.ts';
import type { OpenStorage, TestStorage } from '../../support/storage.ts';
import { storedAccount } from '../storage/fixtures.ts';
import { ANY_PLACE } from '../../support/any-place.ts';

/** The lease of instances that fall silent, short so that tests do not wait long for its end. */
export const LEASE_MS = 600;

export const vault = new AesGcmVault({ current: new Uint8Array(32).fill(7) });
const random = new CryptoRandom();
let node = 0;

/** The part of an instance that handles keys: use cases, and its gateway's key directory. */
export class Instance {
  readonly storage: Storage;
  readonly clock: Clock = new SystemClock();
  readonly logger = new MemoryLogger();
  readonly apps: Apps;
  readonly keys: AppKeys;
  readonly routes: Routes;
  readonly knownRoutes: RouteCache;
  readonly directory: KeyCache;
  #stopped = true;
  #closing: Promise<void> | null = null;
  #loop: Promise<void> = Promise.resolve();

  constructor(
    storage: Storage,
    name: string,
    leaseMs = DEFAULT_FEED_LEASE_MS,
    own: readonly GatewayRoute[] = [],
    given: Vault = vault,
  ) {
    this.storage = storage;
    const { clock, logger } = this;
    const configured = new ConfiguredRoutes(own);
    const ids = new IdSequence(
      () => clock.now(),
      ++node % 1000,
      () => 0,
    );
    const deps = { storage, vault: given, random, ids, clock };
    this.apps = new Apps(deps);
    this.keys = new AppKeys(deps);
    this.routes = new Routes({ ...deps, configured, places: ANY_PLACE });
    this.knownRoutes = new RouteCache({ routes: storage.routes, vault: given, logger, configured });
    const { feed, apps } = storage;
    this.directory = new KeyCache({
      feed,
      apps,
      vault: given,
      random,
      clock,
      deadline,
      logger,
      instance: `${name}-${node}`,
      leaseMs,
      alongside: [this.knownRoutes],
    });
  }

  /** Runs pass after pass, as a host does. */
  async serve(t: Pick<TestContext, 'after'>): Promise<this> {
    t.after(() => this.stop());
    await this.directory.start();
    this.resume();
    return this;
  }

  resume(): void {
    this.#stopped = false;
    this.#loop = this.#passes();
  }

  /** Stops its passes, as a suspended process does. Notifications still reach it. */
  async pause(): Promise<void> {
    this.#stopped = true;
    await this.#loop;
  }

  async stop(): Promise<void> {
    await this.pause();
    await (this.#closing ??= this.directory.close());
  }

  /** An App with its key on an account of its own. */
  async newApp(
    chains = ['ETH'],
  ): Promise<{ appId: AppId; text: string; keyId: KeyView['id']; accountId: KeyView['app']['accountId'] }> {
    const { id: accountId } = await storedAccount(this.storage);
    const { app, key } = await this.apps.create({ accountId, name: 'shop', chains });
    return { appId: app.id, text: key.text, keyId: key.key.id, accountId };
  }

  /** The gateway's present decision on a key. */
  look(text: string): string {
    try {
      const key = this.directory.find(text);
      return key === null
        ? 'unknown'
        : !key.app.accountActive
          ? 'account off'
          : !key.app.enabled
            ? 'app off'
            : key.state;
    } catch (error) {
      if (!isTillgateError(error, 'NOT_READY')) throw error;
      return 'not ready';
    }
  }

  async #passes(): Promise<void> {
    while (!this.#stopped) {
      const wait = await this.directory.run();
      await new Promise((resolve) => setTimeout(resolve, Math.min(wait, 50)));
    }
  }
}

/** A database, and `later` for cleanup that must run before it closes: a test's hooks run in order of addition. */
export async function openFor(
  t: Pick<TestContext, 'after'>,
  open: OpenStorage,
): Promise<TestStorage & { readonly later: Pick<TestContext, 'after'> }> {
  const opened = await open();
  const ends: (() => unknown)[] = [];
  t.after(async () => {
    for (const end of ends.reverse()) await end();
    await opened.close();
  });
  return { ...opened, later: { after: (end) => void ends.push(end as () => unknown) } };
}
