import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { z } from 'zod';
import { manageOperations } from '../../adapters/http/index.ts';
import type { ManageDeps, Operation } from '../../adapters/http/index.ts';
import type { AccountId, AlertId, AuditId, ManageAction, Notice, NoticeId, PayoutBatch } from '../../core/index.ts';
import {
  callback,
  deposit,
  entry,
  nextId,
  NOW,
  storedAccount,
  storedOrder,
  transactionRow,
} from '../contract/storage/fixtures.ts';
import { payee, payoutBatch, payoutBatchRow } from '../contract/storage/batch-fixtures.ts';
import { storedClaim } from '../contract/storage/claim-fixtures.ts';
import { watchAddress, withdrawal, withdrawalAddress } from '../contract/storage/money-out-fixtures.ts';
import { eachStorage } from '../support/each-storage.ts';
import type { TestStorage } from '../support/storage.ts';
import { assertRefused, managed, startFixture } from './fixture.ts';
import type { Fixture, List } from './fixture.ts';

type Item = Readonly<Record<string, unknown>>;
type Query = Readonly<Record<string, string>>;

/** How the records of a list are made, and what the list is sorted by. */
interface Seed {
  /** Adds a record. @returns what its items are recognised by, in the order of the list */
  readonly add: () => Promise<readonly string[]>;
  /** What an item is recognised by; its `id` by default. */
  readonly key?: (item: Item) => string;
  /** The record whose list it is, in place of `{id}` in the path. */
  readonly of?: () => string;
  /** Filters that the list requires. */
  readonly query?: Query;
  /** Records that are added later come later in the list. */
  readonly ascending?: true;
}

const RECORDS = 5;
const BASE = '/manage/v1';

/** The operations that answer with a page and the cursor of the next one. */
function cursorLists(): readonly (Operation & { readonly id: ManageAction })[] {
  // Only described here, never called.
  const settings = { secureCookies: true, allowPrivateNetworks: false };
  const table = manageOperations({ settings, manage: {}, assets: {} } as unknown as ManageDeps);
  const hasCursor = ({ reply }: Operation): boolean =>
    reply.kind === 'data' && reply.schema instanceof z.ZodObject && 'next_cursor' in reply.schema.shape;
  return table.filter((row): row is Operation & { readonly id: ManageAction } => hasCursor(row));
}

eachStorage((_name, open) => {
  describe('every list of the management API that is read by cursors', () => {
    let store: TestStorage;
    let fixture: Fixture;
    let account: AccountId;
    /** A batch with {@link RECORDS} rows, which are added all at once. */
    let rowsOf: PayoutBatch;
    let listedRows = 0;
    /** What the items of each list are recognised by, in the order of the list. */
    const expected = new Map<ManageAction, readonly string[]>();
    after(async () => {
      await fixture.close();
      await store.close();
    });

    const posted = async (path: string, body: object) => [
      managed<{ id: string }>(await fixture.admin.client.post(`${BASE}${path}`, body), 201).id,
    ];
    const transaction: TestStorage['storage']['transaction'] = (work) => store.storage.transaction(work);

    const notice = (id: NoticeId): Notice => ({
      ...{ id, notifier: 'mail', accountId: account, type: 'security.changed', subject: 'Changed', text: 'By: me' },
      ...{ status: 'PENDING', attempts: 0, nextAt: NOW, createdAt: NOW, sentAt: null, lastError: null, day: null },
    });

    const SEEDS: Partial<Record<ManageAction, Seed>> = {
      listAccounts: { add: async () => [(await storedAccount(store.storage)).id] },
      listApps: { add: () => posted('/apps', { name: 'Shop', chains: ['ETH'] }) },
      listGateways: {
        add: () =>
          posted('/gateways', {
            ...{ host: `gate-${nextId()}.example`, chain: 'ETH', network: 'mainnet', protocol: 'jsonrpc' },
            upstreams: ['https://node.example/rpc'],
          }),
      },
      listCredentials: { add: () => posted('/credentials', {}) },
      listCallbacks: {
        add: async () => {
          const row = callback(await storedOrder(store.storage, account));
          await transaction((tx) => tx.callbacks.add(row));
          return [row.id];
        },
      },
      listWebhooks: { add: () => posted('/webhooks', { url: 'https://shop.example/hook', events: ['order.*'] }) },
      listLinks: { add: () => posted('/links', { title: 'Concert', currency: 'USD' }) },
      listAlerts: {
        add: async () => {
          const id = nextId() as AlertId;
          await transaction((tx) =>
            tx.alerts.raise({
              ...{ id, kind: 'loss', subject: id, reason: 'once', status: 'OPEN', firstAt: NOW, lastAt: NOW },
              ...{ count: 1, acknowledgedAt: null, acknowledgedBy: null },
            }),
          );
          return [id];
        },
      },
      listNotices: {
        add: async () => {
          const [added] = await transaction((tx) => tx.notices.add([notice(nextId() as NoticeId)]));
          return [String(added?.id)];
        },
      },
      searchOrders: { add: async () => [(await storedOrder(store.storage, account)).id] },
      searchTransactions: {
        add: async () => {
          const row = transactionRow(deposit(await storedOrder(store.storage, account)));
          await transaction((tx) => tx.deposits.addTransaction(row));
          return [row.id];
        },
      },
      listLedger: {
        key: ({ entry: of, line }) => `${String(of)} ${String(line)}`,
        add: async () => {
          const made = entry(account, `=list:${nextId()}`, 5n);
          await transaction((tx) => tx.ledger.append(made));
          return [`${made.id} 1`, `${made.id} 0`];
        },
      },
      listWithdrawalAddresses: {
        key: ({ account: owner }) => String(owner),
        ascending: true,
        add: async () => {
          const { id } = await storedAccount(store.storage);
          await transaction((tx) => tx.wallets.saveWithdrawalAddress(withdrawalAddress(id)));
          return [id];
        },
      },
      listWatchAddresses: {
        add: async () => {
          const made = watchAddress(account);
          await transaction((tx) => tx.wallets.addWatchAddress(made));
          return [made.id];
        },
      },
      listTransfers: {
        add: async () => {
          const made = withdrawal(account);
          await transaction((tx) => tx.transfers.add(made));
          return [made.id];
        },
      },
      listPayoutBatches: {
        add: async () => {
          const made = payoutBatch(account);
          await transaction((tx) => tx.batches.add(made, []));
          return [made.id];
        },
      },
      listPayoutBatchRows: {
        of: () => rowsOf.id,
        key: ({ line }) => String(line),
        ascending: true,
        add: async () => [String(++listedRows)],
      },
      listPayees: {
        add: async () => {
          const made = payee(account);
          await transaction((tx) => tx.payees.add(made));
          return [made.id];
        },
      },
      listPullPayments: { add: () => posted('/pull-payments', { name: 'Prize', currency: 'EUR', amount: '5' }) },
      listClaims: { add: async () => [(await storedClaim(store.storage, account)).id] },
      listDeposits: {
        query: { status: 'unassigned' },
        add: async () => {
          const made = deposit(await storedOrder(store.storage, account), { assignment: 'UNASSIGNED' });
          await transaction((tx) => tx.deposits.add(made));
          return [made.id];
        },
      },
      listAudit: {
        add: async () => {
          const id = nextId() as AuditId;
          await transaction(async (tx) =>
            tx.record({
              type: 'audit',
              row: {
                ...{ id, at: NOW, actorId: null, accountId: account, action: 'app.update', subjectType: 'app' },
                ...{ subjectId: id, changes: {}, ip: null, traceId: null },
              },
            }),
          );
          return [id];
        },
      },
    };

    const lists = cursorLists();
    const seedOf = (id: ManageAction): Seed => SEEDS[id] ?? assert.fail(`no records for ${id}`);
    const ask = ({ id, path }: (typeof lists)[number], query: Query) =>
      fixture.admin.client.get(
        `${path.replace('{id}', seedOf(id).of?.() ?? '')}?${new URLSearchParams({ ...seedOf(id).query, ...query }).toString()}`,
      );
    const page = async (list: (typeof lists)[number], query: Query) => managed<List>(await ask(list, query));

    before(async () => {
      store = await open();
      fixture = await startFixture(store);
      account = (await storedAccount(store.storage)).id;
      rowsOf = payoutBatch(account);
      const rows = Array.from({ length: RECORDS }, (_, at) => payoutBatchRow(rowsOf.id, at + 1));
      await transaction((tx) => tx.batches.add(rowsOf, rows));
      for (const list of lists) {
        const { add, ascending } = seedOf(list.id);
        // An admin's first reading of a kind of record is recorded in the audit log, which is one of the lists.
        await page(list, {});
        const made: (readonly string[])[] = [];
        while (made.length < RECORDS) made.push(await add());
        expected.set(list.id, (ascending ? made : made.toReversed()).flat());
      }
    });

    test('is in this test', () => {
      assert.ok(lists.length >= 17, `only ${lists.length} lists`);
      assert.deepEqual(Object.keys(SEEDS).toSorted(), lists.map(({ id }) => id).toSorted());
    });

    for (const list of lists)
      test(`${list.id}: its pages have each record once and in order, and the last one has no next cursor`, async () => {
        const { key = ({ id }: Item) => String(id) } = seedOf(list.id);
        const made = expected.get(list.id) ?? [];
        const whole = await page(list, { limit: '100' });
        assert.equal(whole.next_cursor, null);
        assert.deepEqual(
          whole.items.map(key).filter((one) => made.includes(one)),
          made,
        );
        for (const limit of [1, 2, whole.items.length - 1, whole.items.length]) {
          const pages: List[] = [await page(list, { limit: String(limit) })];
          for (let cursor = pages[0]?.next_cursor ?? null; cursor !== null;) {
            const next = await page(list, { limit: String(limit), cursor });
            assert.ok(next.items.length > 0 && pages.push(next) <= whole.items.length, `the pages of ${limit} end`);
            cursor = next.next_cursor;
          }
          assert.ok(pages.slice(0, -1).every(({ items }) => items.length === limit));
          assert.deepEqual(
            pages.flatMap(({ items }) => items.map(key)),
            whole.items.map(key),
            `in pages of ${limit}`,
          );
        }
      });

    test('refuses a cursor that it did not issue, and a limit that is none, by name', async () => {
      const cursors = await Promise.all(lists.map(async (list) => (await page(list, { limit: '1' })).next_cursor));
      for (const [at, list] of lists.entries()) {
        const cursor = cursors[at] ?? assert.fail(list.id);
        const ofAnother = cursors[(at + 1) % lists.length] ?? assert.fail(list.id);
        const last = cursor.at(-1) === '0' ? '1' : '0';
        for (const wrong of [ofAnother, cursor.slice(0, -1) + last, cursor.slice(0, -1), `${cursor}0`, `1${cursor}`])
          assertRefused(await ask(list, { cursor: wrong }), 400, 'cursor');
        for (const wrong of ['x', '', '0-0-0', '\u0000', 'a'.repeat(200)])
          assertRefused(await ask(list, { cursor: wrong }), 400, 'cursor');
        if ('account' in (list.schemas.query?.shape ?? {}))
          assertRefused(await ask(list, { cursor, account }), 400, 'cursor');
        for (const limit of ['0', '-1', '101', '1.5', '1e1', '01', 'ten', '', '99999999999999999999'])
          assertRefused(await ask(list, { limit }), 400, 'limit');
      }
    });
  });
});
