import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { checkLedger, OPERATOR } from '../../core/index.ts';
import type { ChainPayments } from '../../core/index.ts';
import { parseCsv } from '../support/csv.ts';
import { leaveRefundAddress } from '../support/refund-address.ts';
import { eachStorage } from '../support/each-storage.ts';
import { dataOf } from '../support/http.ts';
import type { TestStorage } from '../support/storage.ts';
import { assertRefused, managed, startFixture } from './fixture.ts';
import type { Fixture, Member } from './fixture.ts';

type Fields = Readonly<Record<string, string>>;
interface Listed {
  readonly items: readonly Record<string, string | null>[];
  readonly next_cursor: string | null;
}

const TRANSACTIONS = '/manage/v1/transactions';
const [HOT, OWN] = ['0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266', '0x90F79bf6EB2c4f870365E785982E1f101E93b906'];
const DECIMALS = 6;

eachStorage((_name, open) => {
  let store: TestStorage;
  let fixture: Fixture;
  before(async () => {
    store = await open();
    fixture = await startFixture(store, { sessionTtlSeconds: 1_000_000 });
    const chain = fixture.till.till.chains.get('ETH') as {
      payments: ChainPayments | null;
      assets: readonly ChainPayments['feeAsset'][];
    };
    // Requests need prices and what the hot wallet holds; nothing is signed here.
    chain.payments = {
      model: 'account',
      feeAsset: chain.assets.find(({ currency }) => currency === 'ETH'),
      hotAddress: HOT,
      maxLines: 1,
      dust: () => 1n,
      price: async () => ({ feeUnits: 200_000_000_000_000n, coins: [], terms: '' }),
      balance: async () => 10n ** 30n,
    } as unknown as ChainPayments;
  });
  after(async () => {
    assert.deepEqual(await checkLedger(store.storage), []);
    await fixture.close();
    await store.close();
  });

  const target = (path: string, query: Fields): string => `${path}?${new URLSearchParams(query).toString()}`;
  const list = async ({ client }: Member, query: Fields = {}): Promise<Listed> =>
    managed<Listed>(await client.get(target(TRANSACTIONS, query)));
  const csv = async ({ client }: Member, path = TRANSACTIONS, query: Fields = {}): Promise<readonly Fields[]> => {
    const reply = await client.get(target(`${path}.csv`, query));
    assert.equal(reply.status, 200, reply.text);
    const [header = [], ...rows] = parseCsv(reply.text);
    return rows.map((row) => Object.fromEntries(header.map((name, n) => [name, row[n] ?? ''])));
  };
  /** Units of a plain decimal, read without the code that wrote it. */
  const unitsOf = (amount = ''): bigint => {
    const [, sign, whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(amount) ?? assert.fail(amount);
    const units = BigInt(whole + fraction.padEnd(DECIMALS, '0'));
    return sign === '-' ? -units : units;
  };
  const sum = (rows: readonly Fields[]): bigint => rows.reduce((total, { amount }) => total + unitsOf(amount), 0n);

  const paid = async ({ client }: Member, price: string): Promise<string> => {
    const order = { chain: 'ETH', coin: 'USDT-ERC20', currency: 'USD', price };
    const { id } = managed<{ id: string }>(await client.post('/manage/v1/orders', order), 201);
    await leaveRefundAddress(fixture.till.till, id, OWN);
    fixture.till.clock.advance(1);
    dataOf(await fixture.client.post('/sandbox/v1/pay', { order_id: id }));
    dataOf(await fixture.client.post('/sandbox/v1/blocks', { chain: 'ETH', count: 1 }));
    await fixture.till.work();
    return id;
  };
  const richMember = async (): Promise<Member> => {
    const member = await fixture.newMember();
    const accountId = member.account.id;
    await store.storage.accounts.update(accountId, { verifiedCurrencies: ['*'], modifiedAt: fixture.till.clock.now() });
    await fixture.manage.addresses.register(OPERATOR, { accountId, chain: 'ETH', address: OWN }, true);
    return member;
  };
  const withdraw = async ({ client }: Member, amount: string): Promise<string> =>
    managed<{ id: string }>(await client.post('/manage/v1/payouts', { chain: 'ETH', coin: 'USDT-ERC20', amount }), 201)
      .id;
  const reject = async (id: string): Promise<unknown> =>
    managed(await fixture.admin.client.post(`/manage/v1/payouts/${id}/reject`, { reason: 'test' }));

  test('for any history the sums of transactions.csv are those of ledger.csv, to the unit', async () => {
    const step = fc.record({ cents: fc.integer({ min: 100, max: 999_999 }), then: fc.nat(3) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 4 }), async (steps) => {
        const member = await richMember();
        for (const { cents, then } of steps) {
          const price = `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
          const order = await paid(member, price);
          if (then === 1) managed(await member.client.post('/manage/v1/refunds', { order }), 201);
          if (then === 2) await withdraw(member, price);
          if (then === 3) await reject(await withdraw(member, price));
          fixture.till.clock.advance(60_000);
        }
        const rows = await csv(member);
        const ofType = (...types: string[]) =>
          rows.filter(({ type = '', status }) => types.includes(type) && status !== 'FAILED');
        const booked = (await csv(member, '/manage/v1/ledger')).filter(({ coin }) => coin === 'USDT-ERC20');
        const part = (...names: string[]) => sum(booked.filter(({ balance = '' }) => names.includes(balance)));
        assert.equal(sum(ofType('ORDER')) - sum(ofType('WITHDRAW', 'REFUND')), part('available', 'pending'));
        assert.equal(sum(ofType('WITHDRAW', 'REFUND')), part('reserved'));
        assert.equal(rows.length, steps.length + steps.filter(({ then }) => then > 0).length);
      }),
      { numRuns: 4 },
    );
  });

  test('the list has the same records by pages, and what its filters say', async () => {
    const member = await richMember();
    const orders = [await paid(member, '30'), await paid(member, '20')];
    fixture.till.clock.advance(60_000);
    const refund = managed<{ id: string }>(
      await member.client.post('/manage/v1/refunds', { order: orders[1] }),
      201,
    ).id;
    fixture.till.clock.advance(60_000);
    const withdrawal = await withdraw(member, '7.5');
    const whole = await list(member);
    const typesOf = ({ items }: Listed) => items.map(({ type }) => type);
    assert.deepEqual(typesOf(whole), ['WITHDRAW', 'REFUND', 'ORDER', 'ORDER']);
    assert.deepEqual([whole.items[0]?.['id'], whole.items[1]?.['id']], [withdrawal, refund]);
    const rows = await csv(member);
    assert.deepEqual(
      rows,
      whole.items.map((item) => Object.fromEntries(Object.entries(item).map(([name, value]) => [name, value ?? '']))),
    );
    const pages: Listed['items'][number][] = [];
    for (let cursor = ''; ;) {
      const page = await list(member, { limit: '1', ...(cursor === '' ? {} : { cursor }) });
      pages.push(...page.items);
      if (page.next_cursor === null) break;
      cursor = page.next_cursor;
    }
    assert.deepEqual(pages, whole.items);
    const [sent, , , first] = whole.items;
    const found: readonly (readonly [Fields, readonly number[]])[] = [
      [{ type: 'REFUND' }, [1]],
      [{ status: 'PENDING' }, [0, 1]],
      [{ chain: 'BTC' }, []],
      [{ coin: 'USDT-ERC20', type: 'ORDER' }, [2, 3]],
      [{ q: withdrawal }, [0]],
      [{ q: orders[1] ?? '' }, [1, 2]],
      [{ q: OWN.toLowerCase() }, [0, 1]],
      [{ q: first?.['tx_hash'] ?? '' }, [3]],
      [{ q: first?.['to_address'] ?? '' }, [3]],
      [{ from: sent?.['created_at'] ?? '' }, [0]],
      [{ to: sent?.['created_at'] ?? '' }, [1, 2, 3]],
    ];
    for (const [query, places] of found)
      assert.deepEqual(
        (await list(member, query)).items,
        places.map((place) => whole.items[place]),
        JSON.stringify(query),
      );
    const ofAll = await list(fixture.admin, { q: withdrawal });
    assert.deepEqual(ofAll.items, [sent]);
    assert.deepEqual((await list(fixture.admin, { account: member.id })).items, whole.items);
  });

  test('fault 216: a list of transactions is one’s own, and so is its cursor', async () => {
    const [member, other] = [await richMember(), await fixture.newMember()];
    const order = await paid(member, '10');
    await paid(member, '11');
    const cursor = (await list(member, { limit: '1' })).next_cursor ?? assert.fail();
    assert.deepEqual((await list(other, { q: order })).items, []);
    for (const path of [TRANSACTIONS, `${TRANSACTIONS}.csv`]) {
      assertRefused(await other.client.get(target(path, { account: member.id })), 404);
      assertRefused(await fixture.client.get(path), 401);
      assertRefused(await member.client.get(target(path, { type: 'GIFT' })), 400, 'type');
      const at = '2026-05-04T00:00:00Z';
      assertRefused(await member.client.get(target(path, { from: at, to: at })), 400, 'from');
    }
    for (const [by, query] of [
      [other, { cursor }],
      [member, { cursor, type: 'ORDER' }],
      [member, { cursor: `${cursor}0` }],
      [fixture.admin, { cursor, account: member.id }],
    ] as const)
      assertRefused(await by.client.get(target(TRANSACTIONS, query)), 400, 'cursor');
    assertRefused(await member.client.get(target('/manage/v1/ledger', { cursor })), 400, 'cursor');
    assert.equal((await list(member, { limit: '1', cursor })).items.length, 1);
  });
});
