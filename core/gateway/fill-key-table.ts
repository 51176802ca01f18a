import type { AccountId, AppId, AppKeyId } from '../kernel/index.ts';
import type { DirectoryApp, DirectoryKey, DirectorySource, Selection } from './app-store.ts';
import type { GatewaySubject } from './change-feed.ts';
import { KeyTable } from './key-table.ts';

const PAGE = 5_000;

/** Reads everything, page by page. A record that was read before its owner is read again from the feed. */
export async function loadKeys(source: DirectorySource): Promise<KeyTable> {
  const table = new KeyTable();
  await eachPage<AccountId, { readonly id: AccountId; readonly active: boolean }>(
    (selection) => source.accounts(selection),
    (accounts) => accounts.forEach((account) => table.putAccount(account)),
  );
  await eachPage<AppId, DirectoryApp>(
    (selection) => source.apps(selection),
    (apps) => apps.forEach((app) => table.hasAccount(app.accountId) && table.putApp(app)),
  );
  await eachPage<AppKeyId, DirectoryKey>(
    (selection) => source.keys(selection),
    (keys) => keys.forEach((key) => table.hasApp(key.appId) && table.putKey(key)),
  );
  return table;
}

/** Reads the changed records again, and their owners where these are not known yet. */
export async function readChanges(
  source: DirectorySource,
  table: KeyTable,
  subjects: readonly GatewaySubject[],
): Promise<void> {
  const ids = sorted(subjects);
  const keys = ids.key.length === 0 ? [] : [...(await source.keys({ ids: ids.key }))];
  const apps = ids.app.length === 0 ? [] : [...(await source.apps({ ids: ids.app }))];
  for (const accountId of ids['account-keys']) {
    await eachPage<AppId, DirectoryApp>(
      (selection) => source.apps(selection),
      (page) => void apps.push(...page),
      accountId,
    );
    await eachPage<AppKeyId, DirectoryKey>(
      (selection) => source.keys(selection),
      (page) => void keys.push(...page),
      accountId,
    );
  }
  const read = new Set(apps.map(({ id }) => id));
  const strangeApps = missing(
    keys.map(({ appId }) => appId),
    (id) => table.hasApp(id) || read.has(id),
  );
  if (strangeApps.length > 0) apps.push(...(await source.apps({ ids: strangeApps })));
  const strangeAccounts = missing(
    apps.map(({ accountId }) => accountId),
    (id) => table.hasAccount(id),
  );
  const accountIds = [...new Set([...ids.account, ...strangeAccounts])];
  const accounts = accountIds.length === 0 ? [] : await source.accounts({ ids: accountIds });
  // All in one step and in this order, so that no request is decided by a part of it.
  for (const account of accounts) table.putAccount(account);
  for (const app of apps) table.putApp(app);
  for (const key of keys) table.putKey(key);
}

function missing<Id extends string>(ids: readonly Id[], isKnown: (id: Id) => boolean): readonly Id[] {
  return [...new Set(ids)].filter((id) => !isKnown(id));
}

type Ids = { readonly [Kind in GatewaySubject['kind']]: readonly Extract<GatewaySubject, { kind: Kind }>['id'][] };

/** The subjects by kind, each once. */
function sorted(subjects: readonly GatewaySubject[]): Ids {
  const ids: Record<GatewaySubject['kind'], Set<string>> = {
    account: new Set(),
    'account-keys': new Set(),
    app: new Set(),
    key: new Set(),
    route: new Set(),
  };
  for (const { kind, id } of subjects) ids[kind].add(id);
  return Object.fromEntries(Object.entries(ids).map(([kind, set]) => [kind, [...set]])) as unknown as Ids;
}

async function eachPage<Id extends string, T extends { readonly id: Id }>(
  read: (selection: Selection<Id>) => Promise<readonly T[]>,
  take: (page: readonly T[]) => void,
  accountId?: AccountId,
): Promise<void> {
  for (let after: Id | null = null; ;) {
    const page: readonly T[] = await read({ after, limit: PAGE, ...(accountId === undefined ? {} : { accountId }) });
    take(page);
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = last.id;
  }
}
