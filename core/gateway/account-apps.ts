import type { AppReach } from '../access/index.ts';
import type { Apps } from './apps.ts';
import type { AccountId, Millis, Transaction } from '../kernel/index.ts';
import type { Routes } from './routes.ts';

export interface AccountAppsDeps {
  readonly apps: Pick<Apps, 'list' | 'countOf'>;
  readonly routes: Pick<Routes, 'list'>;
  readonly pageMax: number;
}

/** The Apps of accounts, for the management of accounts. */
export class AccountApps implements AppReach {
  readonly #deps: AccountAppsDeps;

  constructor(deps: AccountAppsDeps) {
    this.#deps = deps;
  }

  appCount(id: AccountId): Promise<number> {
    return this.#deps.apps.countOf(id);
  }

  async gatewayCount(id: AccountId): Promise<number> {
    const { apps, routes, pageMax } = this.#deps;
    const chains = new Set<string>();
    for (let page = 1, maxPage = 1; page <= maxPage; page++) {
      const found = await apps.list(id, { page, size: pageMax });
      maxPage = found.maxPage;
      for (const app of found.items) if (app.enabled) app.chains.forEach((chain) => chains.add(chain));
    }
    if (chains.size === 0) return 0;
    return (await routes.list()).filter(({ route }) => route.enabled && chains.has(route.chain)).length;
  }

  archive({ apps }: Pick<Transaction, 'apps'>, id: AccountId, now: Millis): Promise<void> {
    return apps.archiveAll(id, now);
  }
}
