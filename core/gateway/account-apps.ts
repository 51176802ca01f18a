import type { AppReach } from '../access/index.ts';
import type { Apps } from './apps.ts';
import { eachPage, partOf } from '../kernel/index.ts';
import type { AccountId, AppId, Millis, Transaction } from '../kernel/index.ts';
import type { Routes } from './routes.ts';

const PAGE = 100;

export interface AccountAppsDeps {
  readonly apps: Pick<Apps, 'list' | 'countOf'>;
  readonly routes: Pick<Routes, 'list'>;
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
    const { apps, routes } = this.#deps;
    const chains = new Set<string>();
    const pages = await eachPage(async (before: AppId | null) =>
      partOf(await apps.list(id, { before, limit: PAGE + 1 }), PAGE, (app) => app.id),
    );
    for await (const page of pages)
      for (const app of page) if (app.enabled) app.chains.forEach((chain) => chains.add(chain));
    if (chains.size === 0) return 0;
    return (await routes.list()).filter(({ route }) => route.enabled && chains.has(route.chain)).length;
  }

  archive({ apps }: Pick<Transaction, 'apps'>, id: AccountId, now: Millis): Promise<void> {
    return apps.archiveAll(id, now);
  }
}
