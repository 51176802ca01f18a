import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { checkLedger } from '../../core/index.ts';
import type { AccountId, Order, Storage } from '../../core/index.ts';
import { eachStorage } from '../support/each-storage.ts';
import type { Reply } from '../support/openapi.ts';
import type { TestStorage } from '../support/storage.ts';
import { parseCsv } from '../support/csv.ts';
import { assertRefused, managed, startFixture } from './fixture.ts';
import type { Fixture, Member } from './fixture.ts';

type Fields = Record<string, unknown>;
interface Listed {
  readonly items: readonly Fields[];
  readonly next_cursor: string | null;
}
type Query = Readonly<Record<string, string>>;

const LIST = '/manage/v1/orders';
/** One more than an export reads at a time. */
const MANY = 501;

eachStorage((_name, open) => {
  let store: TestStorage;
  let fixture: Fixture;
  let user: Member;
  let other: Member;
  before(async () => {
    store = await open();
    fixture = await startFixture(store);
    user = await fixture.newMember();
    other = await fixture.newMember();
  });
  after(async () => {
    assert.deepEqual(await checkLedger(store.storage), []);
    await fixture.close();
    await store.close();
  });

  const made = ({ id }: Member, more: object = {}, currency: string | null = 'ETH'): Promise<Order> => {
    const principal = { accountId: id as AccountId, credentialId: null, via: 'api-key' } as const;
    const input = { vsCurrency: 'USD', vsPrice: { digits: 25n, scale: 0 }, ...more };
    const { createOrder } = fixture.till.till;
    return currency === null
      ? createOrder.hosted(principal, input)
      : createOrder.inCoin(principal, { ...input, chain: 'ETH', currency });
  };
  const target = (path: string, query: Query): string => `${path}?${new URLSearchParams(query).toString()}`;
  const csv = (query: Query = {}, by = user): Promise<Reply> => by.client.get(target(`${LIST}.csv`, query));
  const items = async (query: Query, by: Member): Promise<readonly Fields[]> => {
    const found: Fields[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: Listed = managed<Listed>(
        await by.client.get(target(LIST, { ...query, limit: '100', ...(cursor === '' ? {} : { cursor }) })),
      );
      found.push(...page.items);
      cursor = page.next_cursor;
    }
    return found;
  };
  /** The record as the file has it: with a column for each field of its payment and its cart. */
  const flat = (record: Fields): Fields =>
    Object.fromEntries(
      Object.entries(record).flatMap(([name, value]) =>
        name === 'payment' || name === 'cart'
          ? Object.entries(value ?? {}).map(([inner, one]) => [`${name}_${inner}`, one])
          : [[name, value]],
      ),
    );
  const cellOf = (value: unknown): string => {
    if (value === null) return '';
    return typeof value === 'string' ? value : JSON.stringify(value);
  };

  test('orders.csv has the records of the list, with their fields as columns, by the same filters', async () => {
    await made(user, {
      merchantReference: 'invoice "1", late',
      metadata: { cart: '7', note: 'ä, "b"' },
      cart: { lines: [{ id: '1', name: 'Tea, green', price: 1_200n, quantity: 2 }], tip: 100n },
    });
    await made(user, {}, null);
    await made(user, {}, 'USDT-ERC20');
    await made(other);
    for (const [query, by] of [
      [{}, user],
      [{ coin: 'USDT-ERC20' }, user],
      [{ status: 'PENDING', chain: 'ETH' }, user],
      [{ q: 'invoice "1", late' }, user],
      [{ status: 'REFUNDED' }, user],
      [{}, fixture.admin],
      [{ account: other.id }, fixture.admin],
    ] as const) {
      const reply = await csv(query, by);
      assert.deepEqual(
        [
          reply.status,
          reply.headers['content-type'],
          reply.headers['content-disposition'],
          reply.headers['cache-control'],
        ],
        [200, 'text/csv; charset=utf-8', 'attachment; filename="orders.csv"', 'no-store'],
      );
      const [header = [], ...rows] = parseCsv(reply.text);
      const listed = await items(query, by);
      const columns = Object.keys(flat((await items({}, user)).find(({ cart }) => cart !== null) ?? {}));
      assert.deepEqual(header, columns);
      assert.deepEqual(
        rows,
        listed.map((item) => columns.map((column) => cellOf(flat(item)[column] ?? null))),
        JSON.stringify(query),
      );
    }
  });

  test('fault 174: a reference that a spreadsheet would run as a formula has an apostrophe in front', async () => {
    const merchant = await fixture.newMember();
    const texts = ['=HYPERLINK("http://x.example","a")', '+1', '-1.5', '@a'];
    for (const merchantReference of texts) await made(merchant, { merchantReference });
    const [header = [], ...rows] = parseCsv((await csv({}, merchant)).text);
    const column = header.indexOf('merchant_reference');
    assert.deepEqual(
      rows.map((row) => row[column]).toReversed(),
      texts.map((text) => `'${text}`),
    );
  });

  test('what the list refuses is refused here, before anything is sent', async () => {
    for (const [name, value] of [
      ['status', 'PAID'],
      ['from', 'yesterday'],
      ['q', ''],
    ] as const)
      assertRefused(await csv({ [name]: value }), 400, name);
    assertRefused(await csv({ from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' }), 400, 'from');
    assertRefused(await csv({ account: other.id }), 404);
    assertRefused(await fixture.client.get(`${LIST}.csv`), 401);
    assertRefused(await user.client.post(`${LIST}.csv`, {}), 405);
  });

  test('fault 193: an export of several parts has each order once, and none that is created meanwhile', async () => {
    const merchant = await fixture.newMember();
    const ids = await many(merchant);
    const late: Order[] = [];
    await during(
      store.storage,
      async () => void late.push(await made(merchant)),
      async () => {
        const [, ...rows] = parseCsv((await csv({}, merchant)).text);
        assert.deepEqual(rows.map((row) => row[0]).toSorted(), ids);
      },
    );
    assert.equal(late.length, 1);
  });

  test('fault 193: a session that ends meanwhile gets no further part, and a failing database gives no whole file', async () => {
    const merchant = await fixture.newMember();
    await many(merchant);
    const endSession = async () => void managed(await merchant.client.request('DELETE', '/manage/v1/session'), 200);
    await during(store.storage, endSession, () => assert.rejects(csv({}, merchant)));
    const again = await fixture.newMember();
    await many(again);
    const fail = () => Promise.reject(new Error('the database is away'));
    await during(store.storage, fail, () => assert.rejects(csv({}, again)));
  });

  async function many(merchant: Member): Promise<readonly string[]> {
    const ids: string[] = [];
    while (ids.length < MANY)
      ids.push(
        ...(
          await Promise.all(Array.from({ length: Math.min(100, MANY - ids.length) }, () => made(merchant, {}, null)))
        ).map(({ id }) => id),
      );
    return ids.toSorted();
  }
});

/** Runs something before the second read of an export, while the export is made. */
async function during(
  { orders }: Pick<Storage, 'orders'>,
  step: () => Promise<void>,
  run: () => Promise<void>,
): Promise<void> {
  const search = orders.search.bind(orders);
  let reads = 0;
  orders.search = async (wanted) => {
    reads += 1;
    if (reads === 2) await step();
    return search(wanted);
  };
  try {
    await run();
  } finally {
    orders.search = search;
  }
  assert.ok(reads >= 2, `${reads} reads`);
}
