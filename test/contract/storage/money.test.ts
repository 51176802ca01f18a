import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { AccountId } from '../../../core/index.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { deposit, entry, NOW, storedAccount, storedOrder, transactionRow } from './fixtures.ts';

const MAX = 2n ** 256n - 1n;
const EDGES = [0n, 1n, 2n ** 53n + 1n, 10n ** 18n + 1n, 2n ** 63n, 2n ** 64n + 1n, 10n ** 30n, MAX];

eachStorage((_name, open) => {
  test('fault 46: 2^53+1, 10^30 and 2^256−1 come back exactly, wherever money is kept', async (t) => {
    const { storage } = await open(t);
    const { id: accountId } = await storedAccount(storage);
    for (const units of EDGES) {
      const made = await storedOrder(storage, accountId, { vsPrice: units, received: units });
      const found = await storage.orders.find(made.id);
      assert.deepEqual([found?.vsPrice, found?.received], [units, units]);
      const seen = deposit(made, { units, lossUnits: units });
      await storage.transaction(async (tx) => {
        await tx.deposits.add(seen);
        await tx.deposits.addTransaction(transactionRow(seen, { fee: units, obtained: units }));
        await tx.ledger.append(entry(accountId, `exact:${units}`, units));
      });
      assert.deepEqual(await storage.deposits.byOrder(made.id), [seen]);
      const [row] = (await storage.deposits.transactions(accountId, { page: 1, size: 1 })).items;
      assert.deepEqual([row?.units, row?.fee, row?.obtained], [units, units, units]);
    }
    const total = EDGES.reduce((sum, units) => sum + units, 0n);
    const [balance] = await storage.ledger.balances(`merchant:${accountId}:`);
    assert.equal(balance?.units, total);
  });

  test('any units survive a round trip, and any balance is the exact sum of its postings', async (t) => {
    const { storage } = await open(t);
    const { id: accountId } = await storedAccount(storage);
    let run = 0;
    const amount = fc.bigInt({ min: 0n, max: 10n ** 76n });
    await fc.assert(
      fc.asyncProperty(fc.array(amount, { minLength: 1, maxLength: 6 }), async (amounts) => {
        const currency = `C${++run}`;
        const made = await storedOrder(storage, accountId, { vsPrice: amounts[0]! });
        assert.equal((await storage.orders.find(made.id))?.vsPrice, amounts[0]);
        for (const [n, units] of amounts.entries()) {
          const postings = [
            { account: 'custody:ETH' as const, currency, units: -units },
            { account: `merchant:${accountId}:pending` as const, currency, units },
          ];
          await storage.transaction((tx) =>
            tx.ledger.append(entry(accountId, `property:${run}:${n}`, units, { postings, at: NOW })),
          );
        }
        const sum = amounts.reduce((total, units) => total + units, 0n);
        const balances = (await storage.ledger.balances(''))
          .filter((each) => each.currency === currency)
          .map(({ units }) => units);
        assert.deepEqual(balances, [-sum, sum]);
      }),
      { numRuns: 25 },
    );
    assert.deepEqual(await storage.ledger.driftedBalances(10), []);
    assert.deepEqual(await storage.ledger.unbalancedEntries(10), []);
  });

  test('balances are found by the start of the name alone', async (t) => {
    const { storage } = await open(t);
    const posting = (account: string, units: bigint) => ({
      account: account as `custody:${string}`,
      currency: 'BTC',
      units,
    });
    const postings = [
      posting('custody:a_b', -1n),
      posting('custody:axb', -2n),
      posting('custody:a%', -3n),
      posting('clearing', 6n),
    ];
    await storage.transaction((tx) => tx.ledger.append(entry('1' as AccountId, 'names', 0n, { postings })));
    assert.deepEqual(
      (await storage.ledger.balances('custody:a_')).map(({ account }) => account),
      ['custody:a_b'],
    );
    assert.deepEqual(
      (await storage.ledger.balances('custody:a%')).map(({ units }) => units),
      [-3n],
    );
    assert.deepEqual(
      (await storage.ledger.balances('custody:a', 'clearing', 'custody:ax')).map(({ account }) => account),
      ['clearing', 'custody:a%', 'custody:a_b', 'custody:axb'],
    );
    assert.equal((await storage.ledger.balances('')).length, 4);
  });
});
