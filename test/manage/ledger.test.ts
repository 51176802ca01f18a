import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { formatUnits, MERCHANT_BALANCES, present, WalletQueries } from '../../core/index.ts';
import type { AccountId, MerchantBalance, Posting } from '../../core/index.ts';
import { entry } from '../contract/storage/fixtures.ts';
import { parseCsv } from '../support/csv.ts';
import { eachStorage } from '../support/each-storage.ts';
import { START } from '../support/fakes.ts';
import type { TestStorage } from '../support/storage.ts';
import { assertRefused, managed, startFixture } from './fixture.ts';
import type { Fixture, Member } from './fixture.ts';

type Fields = Readonly<Record<string, string>>;
interface Listed {
  readonly items: readonly Fields[];
  readonly next_cursor: string | null;
}

const LEDGER = '/manage/v1/ledger';
const DAY = 86_400_000;
const CURRENCIES = ['ETH', 'USDT-ERC20', 'BTC'] as const;

eachStorage((_name, open) => {
  let store: TestStorage;
  let fixture: Fixture;
  let references = 0;
  before(async () => {
    store = await open();
    fixture = await startFixture(store);
  });
  after(async () => {
    assert.deepEqual(await store.storage.ledger.driftedBalances(10), []);
    assert.deepEqual(await store.storage.ledger.unbalancedEntries(10), []);
    await fixture.close();
    await store.close();
  });

  const target = (path: string, query: Fields): string => `${path}?${new URLSearchParams(query).toString()}`;
  const at = (day: number): string => new Date(START + day * DAY).toISOString();
  const csv = async (by: Member, query: Fields = {}): Promise<readonly Fields[]> => {
    const reply = await by.client.get(target(`${LEDGER}.csv`, query));
    assert.equal(reply.status, 200, reply.text);
    const [header = [], ...rows] = parseCsv(reply.text);
    return rows.map((row) => Object.fromEntries(header.map((name, n) => [name, row[n] ?? ''])));
  };
  const book = async (
    { id }: Member,
    day: number,
    currency: string,
    moves: readonly (readonly [MerchantBalance, bigint])[],
  ) => {
    const owned = moves.map(([part, units]): Posting => ({
      account: `merchant:${id as AccountId}:${part}`,
      currency,
      units,
    }));
    const sum = owned.reduce((total, { units }) => total + units, 0n);
    const postings = [...owned, { account: 'custody:ETH', currency, units: -sum } as const].filter(
      ({ units }) => units !== 0n,
    );
    const made = entry(id as AccountId, `=history:${++references}`, 0n, { at: START + day * DAY, postings });
    await store.storage.transaction((tx) => tx.ledger.append(made));
  };
  const decimalsOf = (currency: string): number => present(fixture.till.till.assets.find(currency), currency).decimals;
  /** Units of a plain decimal, read without the code that wrote it. */
  const unitsOf = ({ amount = '', coin = '' }: Fields): bigint => {
    const [, sign, whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(amount) ?? assert.fail(amount);
    const units = BigInt(whole + fraction.padEnd(decimalsOf(coin), '0'));
    return sign === '-' ? -units : units;
  };
  const sums = (rows: readonly Fields[]): ReadonlyMap<string, bigint> => {
    const found = new Map<string, bigint>();
    for (const row of rows) {
      const key = `${row['balance']} ${row['coin']}`;
      found.set(key, (found.get(key) ?? 0n) + unitsOf(row));
    }
    return found;
  };

  /** Credits, moves and payments on sixty days, in no order; never below zero. */
  async function history(member: Member, seed: readonly number[]): Promise<void> {
    const balances = new Map<string, bigint>();
    for (const number of seed) {
      const currency = CURRENCIES[number % 3] as string;
      const [part = 'pending', other = 'available'] = [
        MERCHANT_BALANCES[number % 2],
        MERCHANT_BALANCES[(number % 2) + 1],
      ];
      const key = `${part} ${currency}`;
      const has = balances.get(key) ?? 0n;
      const units = BigInt(number) ** 2n + 1n;
      const moves: readonly (readonly [MerchantBalance, bigint])[] =
        has < units
          ? [[part, units]]
          : number % 5 === 0
            ? [[part, -units]]
            : [
                [part, -units],
                [other, units],
              ];
      for (const [to, change] of moves)
        balances.set(`${to} ${currency}`, (balances.get(`${to} ${currency}`) ?? 0n) + change);
      await book(member, number % 60, currency, moves);
    }
  }

  test('for any history the sums of ledger.csv are the balances of the wallet, to the unit; a month and its opening balance are the closing balance', async () => {
    const { storage, assets, chains } = fixture.till.till;
    const wallets = new WalletQueries({ storage, assets, chains });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 2 ** 31 }), { minLength: 1, maxLength: 40 }),
        async (seed) => {
          const member = await fixture.newMember();
          await history(member, seed);
          const all = await csv(member);
          const found = sums(all);
          for (const { asset, ...shown } of await wallets.list(member.account.id))
            for (const part of MERCHANT_BALANCES)
              assert.equal(
                formatUnits(found.get(`${part} ${asset.currency}`) ?? 0n, asset.decimals),
                formatUnits(shown[part], asset.decimals),
              );
          const [opening, month, closing] = [
            await csv(member, { to: at(20) }),
            await csv(member, { from: at(20), to: at(50) }),
            await csv(member, { to: at(50) }),
          ];
          assert.deepEqual(
            new Map([...sums([...month, ...opening])].toSorted()),
            new Map([...sums(closing)].toSorted()),
          );
          assert.deepEqual([...month, ...opening], closing);
          assert.deepEqual([...(await csv(member, { from: at(50) })), ...closing], all);
        },
      ),
      { numRuns: 8 },
    );
    const books = await csv(fixture.admin);
    const totals = new Map<string, bigint>();
    for (const row of books) totals.set(row['coin'] ?? '', (totals.get(row['coin'] ?? '') ?? 0n) + unitsOf(row));
    assert.ok(totals.size > 0 && books.some(({ balance }) => balance === 'custody:ETH'));
    assert.deepEqual(
      [...totals.values()].filter((total) => total !== 0n),
      [],
    );
  });

  test('the list has the same records, page by page; fault 193: more than a part of them, each once', async () => {
    const member = await fixture.newMember();
    for (let n = 0; n < 260; n++)
      await book(member, n % 7, 'ETH', [
        ['pending', 5n],
        ['available', BigInt(n + 1)],
      ]);
    const rows = await csv(member);
    assert.equal(rows.length, 520);
    const items: Fields[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: Listed = managed<Listed>(
        await member.client.get(target(LEDGER, { limit: '99', ...(cursor === '' ? {} : { cursor }) })),
      );
      items.push(...page.items);
      cursor = page.next_cursor;
    }
    // Text that begins like a formula has an apostrophe in the CSV alone.
    assert.deepEqual(
      rows.map(({ reference, ...row }) => ({ ...row, reference: reference?.slice(1) })),
      items.map(({ line, ...item }) => ({ ...item, line: String(line) })),
    );
    assert.ok(rows.every(({ reference }) => reference?.startsWith(`'=history:`)));
  });

  test('fault 170: a merchant reads its own postings alone, an admin all or one account’s', async () => {
    const [member, other] = [await fixture.newMember(), await fixture.newMember()];
    await book(member, 1, 'ETH', [['pending', 9n]]);
    await book(other, 1, 'ETH', [
      ['pending', 8n],
      ['reserved', 1n],
    ]);
    for (const path of [LEDGER, `${LEDGER}.csv`]) {
      assertRefused(await member.client.get(target(path, { account: other.id })), 404);
      assertRefused(await member.client.get(target(path, { from: at(2), to: at(2) })), 400, 'from');
      assertRefused(await fixture.client.get(path), 401);
    }
    assert.deepEqual(
      (await csv(member)).map(({ account, amount }) => [account, amount]),
      [[member.id, '0.000000000000000009']],
    );
    assert.deepEqual(await csv(fixture.admin, { account: other.id }), await csv(other));
    const { next_cursor } = managed<Listed>(await other.client.get(`${LEDGER}?limit=1`));
    assert.ok(next_cursor);
    for (const [by, query] of [
      [member, { cursor: next_cursor }],
      [other, { cursor: next_cursor, from: at(0) }],
      [other, { cursor: next_cursor.replace(/-(\d)-(?=[0-9a-f]{32}$)/, (_, line) => `-${Number(line) + 1}-`) }],
      [other, { cursor: next_cursor.replace(/-\d-(?=[0-9a-f]{32}$)/, '-') }],
    ] as const)
      assertRefused(await by.client.get(target(LEDGER, query)), 400, 'cursor');
    assertRefused(await other.client.get(target('/manage/v1/orders', { cursor: next_cursor })), 400, 'cursor');
    assertRefused(await other.client.get(target(LEDGER, { limit: '101' })), 400, 'limit');
  });
});
