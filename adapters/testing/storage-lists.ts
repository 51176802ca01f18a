import assert from 'node:assert/strict';
import { newApp } from '../../core/index.ts';
import type {
  AccountId,
  AlertId,
  AppId,
  AuditId,
  AuditRow,
  CredentialId,
  NewestQuery,
  Order,
  Storage,
  Transaction,
  WatchAddressId,
  WebhookId,
} from '../../core/index.ts';
import { depositOf, NOW, nextId, reservationOf, storeAccount, storeOrder } from './storage-samples.ts';
import type { StorageCase } from './storage-samples.ts';

/** A list that is sorted by id, newest first. */
interface ListCase {
  readonly name: string;
  /** Adds a record of the order's account. @returns its id */
  readonly add: (storage: Storage, order: Order) => Promise<string>;
  /** Takes a record off the list; `null` where records stay. */
  readonly remove: ((tx: Transaction, id: string) => Promise<unknown>) | null;
  /** A part of the list of an account; `null` where there is none. */
  readonly own:
    ((storage: Storage, accountId: AccountId, query: NewestQuery<never>) => Promise<readonly Listed[]>) | null;
  /** A part of the list of all accounts. */
  readonly all: (storage: Storage, query: NewestQuery<never>) => Promise<readonly Listed[]>;
}

type Listed = { readonly id: string } | { readonly account: { readonly id: string } };

const idOf = (record: Listed): string => ('account' in record ? record.account.id : record.id);

async function added<Id extends string>(
  storage: Storage,
  write: (tx: Transaction, id: Id) => Promise<unknown>,
): Promise<Id> {
  const id = nextId() as Id;
  await storage.transaction((tx) => write(tx, id));
  return id;
}

const LISTS: readonly ListCase[] = [
  {
    name: 'accounts',
    add: async (storage) => (await storeAccount(storage)).id,
    remove: null,
    own: null,
    all: ({ manage }, query) => manage.accounts(null, query),
  },
  {
    name: 'credentials',
    add: (storage, { accountId }) =>
      added(storage, (tx, id: CredentialId) =>
        tx.manage.createCredential({
          ...{ id, accountId, name: 'shop', apiKeyHash: `key ${id}`, apiTokenHash: `token ${id}`, sealed: 'sealed' },
          ...{
            status: 'active',
            scopes: ['read'],
            permissions: null,
            expiresAt: null,
            createdAt: NOW,
            revokedAt: null,
          },
        }),
      ),
    remove: null,
    own: ({ manage }, accountId, query) => manage.credentials(accountId, query),
    all: ({ manage }, query) => manage.credentials(null, query),
  },
  {
    name: 'Apps',
    add: (storage, { accountId }) =>
      added(storage, (tx, id: AppId) => tx.apps.create(newApp({ accountId, name: 'shop', chains: ['ETH'] }, id, NOW))),
    remove: null,
    own: ({ apps }, accountId, query) => apps.list(accountId, query),
    all: ({ apps }, query) => apps.list(null, query),
  },
  {
    name: 'webhook endpoints',
    add: (storage, { accountId }) =>
      added(storage, (tx, id: WebhookId) =>
        tx.webhooks.add({
          ...{
            id,
            accountId,
            url: 'https://shop.example/events',
            events: ['order.*'],
            enabled: true,
            format: 'standard',
          },
          ...{ sealed: 'sealed', previousSealed: null, previousUntil: null, createdAt: NOW, updatedAt: NOW },
        }),
      ),
    remove: (tx, id) => tx.webhooks.remove(id as WebhookId),
    own: ({ webhooks }, accountId, query) => webhooks.list(accountId, query),
    all: ({ webhooks }, query) => webhooks.list(null, query),
  },
  {
    name: 'open alerts',
    add: (storage) =>
      added(storage, (tx, id: AlertId) =>
        tx.alerts.raise({
          ...{ id, kind: 'transfer', subject: id, reason: 'once', status: 'OPEN', firstAt: NOW, lastAt: NOW, count: 1 },
          ...{ acknowledgedAt: null, acknowledgedBy: null },
        }),
      ),
    remove: (tx, id) => tx.alerts.acknowledge(id as AlertId, null, NOW),
    own: null,
    all: ({ alerts }, query) => alerts.list('OPEN', query),
  },
  {
    name: 'the audit log',
    add: (storage, { accountId }) =>
      added(storage, async (tx, id: AuditId) => {
        const row: AuditRow = {
          ...{ id, at: NOW, actorId: null, accountId, action: 'app.update', subjectType: 'app', subjectId: id },
          ...{ changes: {}, ip: null, traceId: null },
        };
        tx.record({ type: 'audit', row });
      }),
    remove: null,
    own: ({ audit }, accountId, query) => audit.list(accountId, query),
    all: ({ audit }, query) => audit.list(null, query),
  },
  {
    name: 'unassigned deposits',
    add: async (storage, order) => {
      const deposit = { ...depositOf(order, 5n), assignment: 'UNASSIGNED' as const };
      await storage.transaction((tx) => tx.deposits.add(deposit));
      return deposit.id;
    },
    remove: (tx, id) => tx.deposits.reassign(id as never, 'UNASSIGNED', 'RETURNING', {}),
    own: null,
    all: ({ deposits }, query) => deposits.unassigned(query),
  },
  {
    name: 'requested transfers',
    add: async (storage, { accountId }) => {
      const { transfer } = reservationOf(accountId, 1n);
      await storage.transaction((tx) => tx.transfers.add(transfer));
      return transfer.id;
    },
    remove: (tx, id) => tx.transfers.move(id as never, 'REQUESTED', 'HELD', { updatedAt: NOW }),
    own: ({ transfers }, accountId, query) => transfers.list('REQUESTED', query, accountId),
    all: ({ transfers }, query) => transfers.list('REQUESTED', query),
  },
  {
    name: 'watched addresses',
    add: (storage, { accountId }) =>
      added(storage, (tx, id: WatchAddressId) =>
        tx.wallets.addWatchAddress({
          ...{ id, accountId, chain: 'ETH', kind: 'address', value: `0x${id}`, label: '', createdAt: NOW },
        }),
      ),
    remove: (tx, id) => tx.wallets.removeWatchAddress(id as WatchAddressId),
    own: ({ wallets }, accountId, query) => wallets.watchAddresses(accountId, query),
    all: ({ wallets }, query) => wallets.watchAddresses(null, query),
  },
];

type Read = (query: NewestQuery<never>) => Promise<readonly Listed[]>;

/** The ids of a part of a list, and of every later part. */
async function idsFrom(read: Read, limit: number, before: string | null = null): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let last = before; ; last = ids.at(-1) ?? null) {
    const part = (await read({ before: last as never, limit })).map(idOf);
    assert.ok(part.length <= limit, `a part of ${limit} has ${part.length}`);
    assert.ok(!part.some((id) => ids.includes(id)), 'a record is in two parts');
    ids.push(...part);
    if (part.length < limit) return ids;
  }
}

async function checkList(storage: Storage, second: Storage, { add, remove, own, all }: ListCase): Promise<void> {
  const [order, other] = [await storeOrder(storage), await storeOrder(storage)];
  const made: string[] = [];
  for (let n = 0; n < 6; n++) made.unshift(await add(n % 2 === 0 ? storage : second, n === 2 ? other : order));
  const owned = made.filter((_, at) => at !== 3);
  const everyone: Read = (query) => all(second, query);
  for (const limit of [1, 2, 3, 6])
    assert.deepEqual((await idsFrom(everyone, limit)).slice(0, 6), made, `in parts of ${limit}`);
  if (own !== null)
    for (const limit of [1, 2, 5, 6])
      assert.deepEqual(await idsFrom((query) => own(second, order.accountId, query), limit), owned);
  const first = (await all(storage, { before: null, limit: 2 })).map(idOf);
  const later = await add(storage, order);
  const gone = remove === null ? [] : [made[1] ?? '', made[4] ?? ''];
  for (const id of gone) await storage.transaction(async (tx) => remove?.(tx, id));
  const rest = await idsFrom(everyone, 2, first.at(-1));
  const expected = made.slice(2).filter((id) => !gone.includes(id));
  assert.ok(!rest.some((id) => first.includes(id)), 'a record is in two parts');
  assert.deepEqual([...first, ...rest.slice(0, expected.length)], [...made.slice(0, 2), ...expected]);
  assert.equal((await all(storage, { before: null, limit: 1 })).map(idOf)[0], later);
}

/** Test cases for lists, whose parts are read one after another. */
export const storageLists: readonly StorageCase[] = [
  ...LISTS.map((list) => ({
    title: `${list.name}: the parts of the list have each record once, newest first, while others come and go`,
    run: (storage: Storage, second: Storage) => checkList(storage, second, list),
  })),
  {
    title: 'withdrawal addresses: the parts of the list have each record once, by chain and then by account',
    run: async (storage, second) => {
      const [one, two] = [await storeAccount(storage), await storeAccount(storage)];
      const save = (accountId: AccountId, chain: string): Promise<void> =>
        storage.transaction((tx) =>
          tx.wallets.saveWithdrawalAddress({
            ...{ accountId, chain, formerAddress: null, address: `0x${chain}`, activeFrom: NOW, updatedAt: NOW },
          }),
        );
      for (const chain of ['TRX', 'BTC', 'ETH']) for (const { id } of [two, one]) await save(id, chain);
      const read = async (only: AccountId | null, limit: number): Promise<readonly string[]> => {
        const found: string[] = [];
        for (let after: { readonly chain: string; readonly accountId: AccountId } | null = null; ;) {
          const part = await second.wallets.withdrawalAddresses(only, after, limit);
          assert.ok(part.length <= limit && found.length < 9, `a part of ${limit} ends the list`);
          found.push(...part.map(({ chain, accountId }) => `${chain} ${accountId}`));
          after = part.at(-1) ?? null;
          if (part.length < limit) return found;
        }
      };
      const all = ['BTC', 'ETH', 'TRX'].flatMap((chain) => [one, two].map(({ id }) => `${chain} ${id}`));
      for (const limit of [1, 2, 3, 5, 7]) {
        assert.deepEqual(await read(null, limit), all, `in parts of ${limit}`);
        assert.deepEqual(
          await read(two.id, limit),
          all.filter((name) => name.endsWith(two.id)),
        );
      }
      const [, , last] = await storage.wallets.withdrawalAddresses(null, null, 3);
      await save(one.id, 'AVAX');
      await save(two.id, 'ZEC');
      const rest = await second.wallets.withdrawalAddresses(null, last ?? null, 9);
      assert.deepEqual(
        rest.map(({ chain, accountId }) => `${chain} ${accountId}`),
        [...all.slice(3), `ZEC ${two.id}`],
      );
    },
  },
];
