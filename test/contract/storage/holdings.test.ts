import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { HOLDING_STATUSES } from '../../../core/index.ts';
import type {
  AccountId,
  CoinOwner,
  PayoutId,
  Holding,
  HoldingStatus,
  NewHolding,
  TakenCoins,
} from '../../../core/index.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { deposit, entry, nextId } from './fixtures.ts';
import { attempt, payout, held, holding, kept, merchant, open, paidOrder } from './money-out-fixtures.ts';

const MAX = 2n ** 256n - 1n;
const LEGAL: Readonly<Record<HoldingStatus, readonly HoldingStatus[]>> = {
  FREE: ['TAKEN', 'GONE'],
  TAKEN: ['FREE', 'SPENT', 'GONE'],
  SPENT: ['GONE'],
  GONE: ['FREE', 'TAKEN', 'SPENT'],
};

eachStorage((_name, opened) => {
  test('a holding comes back as it was added, with 2^256−1 units, and is added once', async (t) => {
    const { storage } = await opened(t);
    const made = [
      holding({ units: MAX }),
      holding({ index: null, units: 2n ** 53n + 1n, address: '0xhot' }),
      holding({ chain: 'BSC' }),
    ];
    await held(storage, made);
    assert.deepEqual(
      [...(await kept(storage)).values()],
      made.slice(0, 2).map((each) => ({ ...each, status: 'FREE', payoutId: null })),
    );
    const again = await storage.transaction(async (tx) => [
      await tx.transfers.addHolding({ ...made[0]!, units: 1n }),
      await tx.transfers.addHolding({ ...made[0]!, chain: 'LTC' }),
    ]);
    assert.deepEqual(again, [false, true]);
    assert.equal((await kept(storage)).get(made[0]!.ref)?.units, MAX);
  });

  test('fault 88: coins are read by their owner, and change belongs to whose coins it is left of', async (t) => {
    const { storage } = await opened(t);
    const [a, b] = ['101', '102'] as AccountId[];
    assert.ok(a !== undefined && b !== undefined);
    const owned = [
      { ...holding({ ref: 'a:0', units: 5n }), accountId: a },
      { ...holding({ ref: 'a:1', units: 90n }), accountId: a },
      { ...holding({ ref: 'b:0', units: 10n }), accountId: b },
      { ...holding({ ref: 'n:0', units: 7n }), accountId: null },
    ];
    await held(storage, owned);
    const free = async (owner: CoinOwner): Promise<readonly string[]> =>
      (await storage.transfers.freeCoins('ETH', 'ETH', 9, owner)).map(({ ref }) => ref);
    assert.deepEqual(
      [await free({ of: a }), await free({ of: b }), await free({ of: null })],
      [['a:1', 'a:0'], ['b:0'], ['n:0']],
    );
    assert.deepEqual(
      [await free({ notOf: a }), await free({ notOf: null })],
      [
        ['b:0', 'n:0'],
        ['a:1', 'b:0', 'a:0'],
      ],
    );
    const [own, mixed, nobodys] = [payout(), payout(), payout()];
    for (const each of [own, mixed, nobodys]) await open(storage, each);
    await storage.transaction(async (tx) => {
      await tx.transfers.takeHoldings('ETH', ['a:1'], own.id);
      await tx.transfers.takeHoldings('ETH', ['a:0', 'b:0'], mixed.id);
      await tx.transfers.takeHoldings('ETH', ['n:0'], nobodys.id);
      assert.deepEqual(
        [
          await tx.transfers.ownerOfChange(own.id, a),
          await tx.transfers.ownerOfChange(own.id, null),
          await tx.transfers.ownerOfChange(mixed.id, a),
          await tx.transfers.ownerOfChange(nobodys.id, a),
          await tx.transfers.ownerOfChange(nobodys.id, null),
        ],
        [a, a, b, null, null],
      );
      await tx.transfers.settleHoldings(mixed.id, 'SPENT');
    });
    const taken = await Promise.all([a, b, null].map((id) => storage.transfers.hasTakenCoins('ETH', 'ETH', id)));
    assert.deepEqual(taken, [true, false, true]);
  });

  test('fault 102: coins that the till has or had, and outputs of its transactions, are known; what is gone is not', async (t) => {
    const { storage } = await opened(t);
    await held(storage, [
      holding({ ref: 'free:0' }),
      holding({ ref: 'gone:0' }),
      holding({ ref: 'bsc:0', chain: 'BSC' }),
    ]);
    const made = payout();
    await open(storage, made);
    await storage.transaction(async (tx) => {
      await tx.transfers.addAttempt(attempt(made.id, { txid: 'made' }));
      await tx.transfers.dropHolding('ETH', 'gone:0');
    });
    const asked = ['free:0', 'gone:0', 'bsc:0', 'made:0', 'made:change', 'free:1', 'other:0'];
    assert.deepEqual([...(await storage.transfers.knownCoins('ETH', asked))].sort(), [
      'free:0',
      'made:0',
      'made:change',
    ]);
    assert.deepEqual((await storage.transfers.knownCoins('ETH', [])).size, 0);
  });

  test('holdings are paged by ref, those that must lie on chain alone', async (t) => {
    const { storage } = await opened(t);
    const refs = ['a:0', 'b:0', 'b:1', 'c:0', 'd:0'];
    await held(
      storage,
      refs.map((ref) => holding({ ref })),
    );
    const [one, two] = [payout(), payout()];
    for (const each of [one, two]) await open(storage, each);
    await storage.transaction(async (tx) => {
      await tx.transfers.takeHoldings('ETH', ['b:0'], one.id);
      await tx.transfers.takeHoldings('ETH', ['c:0'], two.id);
      await tx.transfers.settleHoldings(two.id, 'SPENT');
      await tx.transfers.dropHolding('ETH', 'd:0');
    });
    const page = async (after: string | null, limit: number): Promise<readonly string[]> =>
      (await storage.transfers.holdings('ETH', after, limit)).map(({ ref, status }) => `${ref} ${status}`);
    assert.deepEqual(await page(null, 2), ['a:0 FREE', 'b:0 TAKEN']);
    assert.deepEqual([await page('b:0', 9), await page('b:1', 9)], [['b:1 FREE'], []]);
  });

  test('a payout takes all of its coins or none, and what it did not get is free for the next', async (t) => {
    const { storage } = await opened(t);
    const refs = await held(storage, [holding(), holding(), holding()]);
    const [one, two] = [payout(), payout()];
    for (const each of [one, two]) await open(storage, each);
    const take = (id: PayoutId, wanted: readonly string[], chain = 'ETH'): Promise<boolean> =>
      storage.transaction((tx) => tx.transfers.takeHoldings(chain, wanted, id));
    assert.equal(await take(one.id, [refs[0]!]), true);
    // The refused transaction continues, and has taken nothing.
    const refused = await storage.transaction(async (tx) => [
      await tx.transfers.takeHoldings('ETH', [refs[1]!, refs[0]!], two.id),
      await tx.transfers.takeHoldings('ETH', [refs[1]!, 'unknown'], two.id),
      await tx.transfers.takeHoldings('BSC', [refs[1]!], two.id),
    ]);
    assert.deepEqual(refused, [false, false, false]);
    assert.deepEqual(
      [...(await kept(storage)).values()].map(({ status }) => status),
      ['TAKEN', 'FREE', 'FREE'],
    );
    assert.equal(await take(two.id, [refs[2]!, refs[1]!, refs[1]!]), true);
    assert.deepEqual(
      (await storage.transfers.coinsOf(two.id)).map(({ ref }) => ref),
      refs.slice(1),
    );
    assert.equal(await take(two.id, []), true);
    assert.equal(await take(two.id, [refs[2]!]), false, 'what it has is not free for itself either');
  });

  test('of several payouts that take overlapping coins at once, on two instances, one gets each coin', async (t) => {
    const { storage, another } = await opened(t);
    const second = await another();
    const refs = await held(
      storage,
      Array.from({ length: 6 }, () => holding()),
    );
    const payouts = Array.from({ length: 8 }, () => payout());
    for (const each of payouts) await open(storage, each);
    const wanted = (n: number): readonly string[] => [refs[n % 6]!, refs[(n + 1) % 6]!, refs[(n + 5) % 6]!];
    const taken = await Promise.all(
      payouts.map(({ id }, n) =>
        (n % 2 === 0 ? storage : second).transaction((tx) => tx.transfers.takeHoldings('ETH', wanted(n), id)),
      ),
    );
    const coins = await Promise.all(payouts.map(({ id }) => storage.transfers.coinsOf(id)));
    coins.forEach((own, n) => assert.deepEqual(new Set(own.map(({ ref }) => ref)), new Set(taken[n] ? wanted(n) : [])));
    assert.ok(taken.some(Boolean));
    const one = await held(storage, [holding()]);
    const race = await Promise.all(
      payouts.map(({ id }, n) =>
        (n % 2 === 0 ? storage : second).transaction((tx) => tx.transfers.takeHoldings('ETH', one, id)),
      ),
    );
    assert.equal(race.filter(Boolean).length, 1);
  });

  test('what a payout took is spent with its payment, or free again', async (t) => {
    const { storage } = await opened(t);
    const made = [holding(), holding(), holding()];
    const refs = await held(storage, made);
    const [paid, failed] = [payout(), payout()];
    for (const each of [paid, failed]) await open(storage, each);
    await storage.transaction(async (tx) => {
      await tx.transfers.takeHoldings('ETH', refs.slice(0, 1), paid.id);
      await tx.transfers.takeHoldings('ETH', refs.slice(1, 2), failed.id);
    });
    await storage.transaction((tx) => tx.transfers.settleHoldings(paid.id, 'SPENT'));
    await storage.transaction((tx) => tx.transfers.settleHoldings(failed.id, 'FREE'));
    assert.deepEqual(
      [...(await kept(storage)).values()],
      made.slice(1).map((each) => ({ ...each, status: 'FREE', payoutId: null })),
    );
    const { ref, address, index, units } = made[0]!;
    assert.deepEqual(
      await storage.transfers.coinsOf(paid.id),
      [{ ref, address, index, units }],
      'a spent coin stays its payout’s',
    );
    assert.deepEqual(await storage.transfers.coinsOf(failed.id), []);
    await storage.transaction((tx) => tx.transfers.settleHoldings(paid.id, 'FREE'));
    assert.deepEqual((await storage.transfers.coinsOf(paid.id)).length, 1, 'nor is it free again');
  });

  test('fault 51: what a reorganisation took away comes back once, as what its payout made of it', async (t) => {
    const { storage, sql } = await opened(t);
    const status = async (ref: string): Promise<unknown> => {
      const [row] = await sql('SELECT status, payout_id FROM holdings WHERE ref = ?', [ref]);
      return [row?.['status'], row?.['payout_id']];
    };
    const cases: readonly [('LIVE' | 'DONE' | 'VOID') | null, HoldingStatus][] = [
      [null, 'FREE'],
      ['LIVE', 'TAKEN'],
      ['DONE', 'SPENT'],
      ['VOID', 'FREE'],
    ];
    for (const [end, expected] of cases) {
      const made = holding();
      await held(storage, [made]);
      const own = payout();
      await open(storage, own);
      if (end !== null) await storage.transaction((tx) => tx.transfers.takeHoldings('ETH', [made.ref], own.id));
      assert.equal(await storage.transaction((tx) => tx.transfers.dropHolding('ETH', made.ref)), true);
      assert.equal((await kept(storage)).has(made.ref), false);
      assert.deepEqual(await status(made.ref), ['GONE', end === null ? null : own.id]);
      if (end !== null)
        assert.equal((await storage.transfers.coinsOf(own.id)).length, 1, 'its signed bytes still spend it');
      if (end === 'DONE' || end === 'VOID') {
        await storage.transaction(async (tx) => {
          await tx.transfers.closePayout(own.id, end, {});
          await tx.transfers.settleHoldings(own.id, end === 'DONE' ? 'SPENT' : 'FREE');
        });
      }
      const back = (): Promise<boolean> => storage.transaction((tx) => tx.transfers.addHolding(made));
      assert.deepEqual([await back(), await back()], [true, false], `after ${end}`);
      assert.deepEqual(await status(made.ref), [expected, expected === 'FREE' ? null : own.id], `after ${end}`);
    }
    assert.equal(await storage.transaction((tx) => tx.transfers.dropHolding('ETH', 'unknown')), false);
    const [other] = [...(await kept(storage)).keys()];
    assert.equal(await storage.transaction((tx) => tx.transfers.dropHolding('BSC', other!)), false);
  });

  test('fault 330: a coin that comes back with other facts is another coin: free, and its present owner’s', async (t) => {
    const { storage, sql } = await opened(t);
    const [former, present] = ['101', '102'] as AccountId[];
    assert.ok(former !== undefined && present !== undefined);
    const rowOf = async (ref: string): Promise<unknown> =>
      (await sql('SELECT status, payout_id, account_id, address FROM holdings WHERE ref = ?', [ref]))[0];
    const changes: readonly Partial<NewHolding>[] = [{ units: 1n }, { address: '0xother' }, { currency: 'USDT-ERC20' }];
    for (const change of changes) {
      const made = holding({ units: 5n });
      await storage.transaction((tx) => tx.transfers.addHolding({ ...made, accountId: former }));
      const own = payout();
      await open(storage, own);
      await storage.transaction((tx) => tx.transfers.takeHoldings('ETH', [made.ref], own.id));
      await storage.transaction((tx) => tx.transfers.dropHolding('ETH', made.ref));
      const again: NewHolding = { ...made, ...change, accountId: present };
      assert.equal(await storage.transaction((tx) => tx.transfers.addHolding(again)), true);
      assert.deepEqual(await rowOf(made.ref), {
        status: 'FREE',
        payout_id: null,
        account_id: present,
        address: again.address,
      });
    }
  });

  test('fault 398: what a mined payout took of removed coins becomes the part of another deposit that brought it', async (t) => {
    const { storage, sql } = await opened(t);
    const made = holding({ units: 5n });
    const own = payout();
    await held(storage, [made]);
    await open(storage, own);
    const { chain, address, currency } = made;
    const taken = (): Promise<readonly TakenCoins[]> =>
      storage.transaction((tx) => tx.transfers.lockTaken({ chain, address, currency }));
    await storage.transaction(async (tx) => {
      await tx.transfers.takeHoldings('ETH', [made.ref], own.id);
      await tx.transfers.dropHolding('ETH', made.ref);
    });
    assert.deepEqual(await taken(), [], 'its payout is not mined');
    await storage.transaction((tx) => tx.transfers.closePayout(own.id, 'DONE', {}));
    for (const [ref, units, left] of [
      ['first:balance:0', 2n, [{ ref: made.ref, units: 3n }]],
      ['second:balance:0', 3n, []],
    ] as const) {
      await storage.transaction((tx) => tx.transfers.passTaken('ETH', { ref: made.ref, units }, ref));
      assert.equal(await storage.transaction((tx) => tx.transfers.addHolding({ ...made, ref, units })), true);
      const rows = await sql('SELECT status, payout_id FROM holdings WHERE ref = ?', [ref]);
      assert.deepEqual(rows, [{ status: 'SPENT', payout_id: own.id }]);
      assert.deepEqual(await taken(), left);
    }
  });

  test('fault 399: of two effects that take turns, the one that a payout took is spent each time it comes back', async (t) => {
    const { storage, sql } = await opened(t);
    const made = holding({ units: 5n });
    const own = payout();
    await held(storage, [made]);
    await open(storage, own);
    await storage.transaction(async (tx) => {
      await tx.transfers.takeHoldings('ETH', [made.ref], own.id);
      await tx.transfers.closePayout(own.id, 'DONE', {});
      await tx.transfers.settleHoldings(own.id, 'SPENT');
    });
    const { chain, address, currency } = made;
    const place = { chain, address, currency };
    for (const [effect, status, taken] of [
      [{ ...made, units: 7n }, 'FREE', [5n]],
      [made, 'SPENT', []],
      [{ ...made, units: 7n }, 'FREE', [5n]],
      [{ ...made, units: 9n }, 'FREE', [5n]],
    ] as const) {
      const left = await storage.transaction(async (tx) => {
        await tx.transfers.dropHolding('ETH', made.ref);
        assert.equal(await tx.transfers.addHolding(effect), true);
        return tx.transfers.lockTaken(place);
      });
      const [row] = await sql('SELECT status, units FROM holdings WHERE ref = ?', [made.ref]);
      assert.deepEqual([row?.['status'], String(row?.['units'])], [status, String(effect.units)]);
      assert.deepEqual(
        left.map(({ units }) => units),
        taken,
      );
    }
  });

  test('a coin that comes back while its payout is being closed ends as the payout does', async (t) => {
    const { storage, another } = await opened(t);
    const second = await another();
    for (let n = 0; n < 8; n++) {
      const made = holding();
      await held(storage, [made]);
      const own = payout();
      await open(storage, own);
      await storage.transaction(async (tx) => {
        await tx.transfers.takeHoldings('ETH', [made.ref], own.id);
        await tx.transfers.dropHolding('ETH', made.ref);
      });
      const [to, settled] = n % 2 === 0 ? (['DONE', 'SPENT'] as const) : (['VOID', 'FREE'] as const);
      const closing = storage.transaction(async (tx) => {
        if (n % 4 < 2) await tx.transfers.closePayout(own.id, to, {});
        await tx.transfers.settleHoldings(own.id, settled);
        if (n % 4 >= 2) await tx.transfers.closePayout(own.id, to, {});
      });
      const returning = second.transaction((tx) => tx.transfers.addHolding(made));
      await Promise.all([closing, returning]);
      const isFree = (await kept(storage)).get(made.ref)?.status;
      assert.equal(isFree, settled === 'FREE' ? 'FREE' : undefined, `${to}, run ${n}`);
    }
  });

  test('every move of a holding that is not in the table is refused by the database', async (t) => {
    const { storage, sql } = await opened(t);
    const own = payout();
    await open(storage, own);
    for (const from of HOLDING_STATUSES) {
      for (const to of HOLDING_STATUSES) {
        const ref = `${nextId()}:0`;
        const of = (status: HoldingStatus): string | null => (status === 'FREE' ? null : own.id);
        await sql(
          "INSERT INTO holdings (chain, ref, address, currency, units, further, status, payout_id) VALUES ('ETH', ?, 'a', 'ETH', '1', FALSE, ?, ?)",
          [ref, from, of(from)],
        );
        const moved = sql('UPDATE holdings SET status = ?, payout_id = ? WHERE ref = ?', [to, of(to), ref]);
        if (from === to || LEGAL[from].includes(to)) await moved;
        else await assert.rejects(moved, /illegal change of status/, `${from} → ${to}`);
      }
    }
    const takenByNobody = sql(
      "INSERT INTO holdings (chain, ref, address, currency, units, further, status) VALUES ('ETH', 'x:0', 'a', 'ETH', '1', FALSE, 'TAKEN')",
    );
    await assert.rejects(takenByNobody);
  });

  test('free coins come with the most units first, as numbers and not as text', async (t) => {
    const { storage } = await opened(t);
    const amounts = [9n, 10n, 2n ** 53n, 2n ** 53n + 1n, MAX, 100n, 0n];
    const refs = await held(
      storage,
      amounts.map((units) => holding({ units, currency: 'BTC', chain: 'BTC' })),
    );
    await held(storage, [
      holding({ units: MAX, currency: 'X', chain: 'BTC' }),
      holding({ units: MAX, currency: 'BTC', chain: 'LTC' }),
    ]);
    const coins = await storage.transfers.freeCoins('BTC', 'BTC', 10);
    assert.deepEqual(
      coins.map(({ units }) => units),
      [MAX, 2n ** 53n + 1n, 2n ** 53n, 100n, 10n, 9n, 0n],
    );
    assert.deepEqual(coins[0], { ref: refs[4], address: '0xdeposit', index: 3, units: MAX });
    assert.deepEqual((await storage.transfers.freeCoins('BTC', 'BTC', 2)).length, 2);
    const own = payout({ chain: 'BTC' });
    await open(storage, own);
    await storage.transaction((tx) => tx.transfers.takeHoldings('BTC', refs.slice(0, 6), own.id));
    assert.deepEqual(
      (await storage.transfers.freeCoins('BTC', 'BTC', 10)).map(({ units }) => units),
      [0n],
    );
  });

  test('sweep candidates are summed by address and currency, most units first, and no currency is left out for another', async (t) => {
    const { storage } = await opened(t);
    const at = (address: string, currency: string, units: bigint, given: Partial<Holding> = {}) =>
      holding({ address, currency, units, index: 1, ...given });
    const refs = await held(storage, [
      at('0xa', 'ETH', MAX - 1n),
      at('0xb', 'ETH', 9n),
      at('0xa', 'USDT', 1n),
      at('0xb', 'ETH', 2n),
      at('0xc', 'ETH', 10n),
      at('0xb', 'USDT', 3n),
      at('0xd', 'ETH', 2n ** 53n),
      at('0xe', 'ETH', 2n ** 53n + 1n),
      at('0xhot', 'ETH', MAX, { index: null }),
      at('0xf', 'ETH', MAX, { chain: 'BSC' }),
      at('0xg', 'ETH', 50n),
    ]);
    const own = payout();
    await open(storage, own);
    await storage.transaction((tx) => tx.transfers.takeHoldings('ETH', [refs[10]!], own.id));
    const all = await storage.transfers.sweepCandidates('ETH', 100);
    assert.deepEqual(
      all.map(({ address, currency, units }) => [address, currency, units]),
      [
        ['0xa', 'ETH', MAX - 1n],
        ['0xe', 'ETH', 2n ** 53n + 1n],
        ['0xd', 'ETH', 2n ** 53n],
        ['0xb', 'ETH', 11n],
        ['0xc', 'ETH', 10n],
        ['0xb', 'USDT', 3n],
        ['0xa', 'USDT', 1n],
      ],
    );
    assert.deepEqual(all[3], { address: '0xb', index: 1, currency: 'ETH', units: 11n, refs: [refs[1], refs[3]] });
    const few = await storage.transfers.sweepCandidates('ETH', 3);
    assert.deepEqual(
      few.map(({ address, currency }) => `${address} ${currency}`),
      ['0xa ETH', `${few[1]!.address} ETH`, '0xb USDT'],
    );
    assert.deepEqual(await storage.transfers.sweepCandidates('LTC', 3), []);
    const free = await storage.transfers.freeAt('ETH', '0xb', 'ETH');
    assert.deepEqual(
      free.map(({ ref, status, units }) => [ref, status, units]),
      [
        [refs[1], 'FREE', 9n],
        [refs[3], 'FREE', 2n],
      ],
    );
    assert.deepEqual(await storage.transfers.freeAt('ETH', '0xg', 'ETH'), []);
  });

  test('an address that many small deposits came to is a candidate before larger single ones, and stays one when some come back', async (t) => {
    const { storage } = await opened(t);
    const small = await held(
      storage,
      Array.from({ length: 30 }, () => holding({ address: '0xmany', units: 2n })),
    );
    await held(
      storage,
      Array.from({ length: 5 }, (_, n) => holding({ address: `0xone${n}`, units: 50n + BigInt(n) })),
    );
    const best = async (limit: number): Promise<readonly string[]> =>
      (await storage.transfers.sweepCandidates('ETH', limit)).map(({ address, units }) => `${address} ${units}`);
    assert.deepEqual(await best(2), ['0xmany 60', '0xone4 54']);
    const own = payout();
    await open(storage, own);
    await storage.transaction((tx) => tx.transfers.takeHoldings('ETH', small, own.id));
    await held(storage, [holding({ address: '0xmany', units: 3n })]);
    assert.deepEqual(await best(1), ['0xone4 54']);
    await storage.transaction((tx) => tx.transfers.settleHoldings(own.id, 'FREE'));
    assert.deepEqual(await best(1), ['0xmany 63']);
  });

  test('any holdings are ranked by their exact sums', async (t) => {
    const { storage } = await opened(t);
    const made = fc.record({
      address: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      currency: fc.constantFrom('X', 'Y'),
      units: fc.oneof(fc.bigInt({ min: 1n, max: 3n }), fc.bigInt({ min: 1n, max: 1n << 90n })),
    });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(made, { maxLength: 14 }), fc.integer({ min: 1, max: 6 }), async (each, limit) => {
        const chain = `C${++run}`;
        await held(
          storage,
          each.map((given) => holding({ ...given, chain })),
        );
        const sums = new Map<string, bigint>();
        for (const { address, currency, units } of each)
          sums.set(`${currency} ${address}`, (sums.get(`${currency} ${address}`) ?? 0n) + units);
        const found = await storage.transfers.sweepCandidates(chain, limit);
        for (const { currency, address, units } of found) assert.equal(units, sums.get(`${currency} ${address}`));
        for (const currency of ['X', 'Y']) {
          const expected = [...sums]
            .filter(([key]) => key.startsWith(currency))
            .map(([, sum]) => sum)
            .sort((a, b) => (a > b ? -1 : 1));
          const own = found.filter((candidate) => candidate.currency === currency).map(({ units }) => units);
          assert.deepEqual(own, expected.slice(0, own.length));
        }
        assert.equal(found.length, Math.min(limit, sums.size));
      }),
      { numRuns: 25 },
    );
  });

  test('what must lie on chain is what the ledger says, less what is credited and not spendable yet', async (t) => {
    const { storage } = await opened(t);
    const accountId = await merchant(storage);
    const order = await paidOrder(storage, accountId);
    await storage.transaction(async (tx) => {
      await tx.ledger.append(entry(accountId, 'in', MAX));
      const postings = [
        { account: 'custody:ETH', currency: 'ETH', units: -7n },
        { account: 'clearing', currency: 'ETH', units: 7n },
      ] as const;
      await tx.ledger.append(entry(accountId, 'eth', 0n, { postings }));
      await tx.deposits.add(deposit(order, { status: 'CREDITED', units: 5n }));
      await tx.deposits.add(deposit(order, { status: 'CREDITED', units: 6n }));
      for (const status of ['SEEN', 'SPENDABLE', 'ORPHANED'] as const)
        await tx.deposits.add(deposit(order, { status, units: 100n }));
      await tx.deposits.add(deposit(order, { status: 'CREDITED', units: 100n, chain: 'BSC' }));
    });
    assert.deepEqual(
      await storage.transfers.expectedCustody('ETH'),
      new Map([
        ['ETH', 7n],
        ['USDT-ERC20', MAX - 11n],
      ]),
    );
    assert.deepEqual(await storage.transfers.expectedCustody('LTC'), new Map());
  });

  test('what must lie in the hot wallet is what must lie on chain less what lies at deposit addresses, gas included', async (t) => {
    const { storage } = await opened(t);
    const accountId = await merchant(storage);
    const book = (reference: string, currency: string, units: bigint, gas = 0n): Promise<boolean> =>
      storage.transaction((tx) =>
        tx.ledger.append(
          entry(accountId, reference, 0n, {
            postings: [
              { account: 'custody:ETH', currency, units: -units },
              { account: 'gas:ETH', currency, units: -gas },
              { account: 'clearing', currency, units: units + gas },
            ],
          }),
        ),
      );
    await book('coins', 'ETH', 1_000n, 30n);
    await book('tokens', 'USDT', 500n);
    const lying = [
      { currency: 'USDT', units: 40n },
      { currency: 'USDT', units: 2n },
      { currency: 'ETH', units: 7n },
      { currency: 'ETH', units: 100n, index: null },
      { currency: 'ETH', units: 100n, chain: 'BSC' },
      { currency: 'USDT', units: 300n },
    ];
    const gone = (await held(storage, lying.map(holding))).at(-1)!;
    await storage.transaction((tx) => tx.transfers.dropHolding('ETH', gone));
    const total = await storage.transfers.expectedCustody('ETH');
    assert.deepEqual([total.get('ETH'), total.get('USDT')], [1_030n, 500n]);
    const hot = await storage.transfers.hotCustody('ETH');
    assert.deepEqual([hot.get('ETH'), hot.get('USDT')], [993n, 458n]);
  });
});
