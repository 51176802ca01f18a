import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DepositId, OrderLinks } from '../../../core/index.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { callback, deposit, entry, NOW, storedAccount, storedOrder } from './fixtures.ts';

eachStorage((name, open) => {
  test('a reference is booked once, at the same time on two instances too', async (t) => {
    const { storage, another } = await open(t);
    const second = await another();
    const { id } = await storedAccount(storage);
    const book = (n: number): Promise<boolean> =>
      (n % 2 === 0 ? storage : second).transaction((tx) => tx.ledger.append(entry(id, 'once', 5n)));
    assert.equal((await Promise.all(Array.from({ length: 10 }, (_, n) => book(n)))).filter(Boolean).length, 1);
    assert.deepEqual(
      (await storage.ledger.balances(`merchant:${id}:`)).map(({ units }) => units),
      [5n],
    );
  });

  test('parallel entries of shared accounts add up exactly', async (t) => {
    const { storage } = await open(t);
    const accounts = await Promise.all([1, 2].map(() => storedAccount(storage)));
    await Promise.all(
      Array.from({ length: 30 }, (_, n) =>
        storage.transaction((tx) =>
          tx.ledger.append(entry(accounts[n % 2]!.id, `parallel:${n}`, 2n ** 60n + BigInt(n))),
        ),
      ),
    );
    assert.deepEqual(await storage.ledger.driftedBalances(10), []);
    const [custody] = await storage.ledger.balances('custody:');
    assert.equal(custody?.units, -(30n * 2n ** 60n + 435n));
  });

  test('fault 38: of parallel debits of one balance only as many win as it covers', async (t) => {
    const { storage, another } = await open(t);
    const second = await another();
    const { id } = await storedAccount(storage);
    await storage.transaction((tx) => tx.ledger.append(entry(id, 'funds', 10n)));
    const account = `merchant:${id}:pending`;
    const debit = (n: number): Promise<boolean> =>
      (n % 2 === 0 ? storage : second).transaction(async (tx) => {
        if ((await tx.ledger.lockBalance(account, 'USDT-ERC20')) < 4n) return false;
        return tx.ledger.append(entry(id, `debit:${n}`, -4n));
      });
    assert.equal((await Promise.all(Array.from({ length: 8 }, (_, n) => debit(n)))).filter(Boolean).length, 2);
    assert.deepEqual(
      (await storage.ledger.balances(account)).map(({ units }) => units),
      [2n],
    );
  });

  test('the database refuses a merchant balance below zero, and nothing of that entry stays', async (t) => {
    const { storage, sql } = await open(t);
    const { id } = await storedAccount(storage);
    await storage.transaction((tx) => tx.ledger.append(entry(id, 'funds', 10n)));
    await assert.rejects(storage.transaction((tx) => tx.ledger.append(entry(id, 'too much', -11n))));
    assert.deepEqual(
      (await storage.ledger.balances('merchant:')).map(({ units }) => units),
      [10n],
    );
    assert.equal(Number((await sql('SELECT count(*) AS n FROM ledger_entries'))[0]?.['n']), 1);
    assert.deepEqual(await storage.ledger.negativeMerchants(10), []);
    assert.deepEqual(await storage.ledger.driftedBalances(10), []);
  });

  test('a balance without postings is zero', async (t) => {
    const { storage } = await open(t);
    assert.equal(await storage.transaction((tx) => tx.ledger.lockBalance('merchant:1:available', 'ETH')), 0n);
    assert.deepEqual(await storage.ledger.driftedBalances(10), []);
  });

  test('entries and postings can be neither changed nor deleted', async (t) => {
    const { storage, sql } = await open(t);
    const { id } = await storedAccount(storage);
    await storage.transaction((tx) => tx.ledger.append(entry(id, 'for good', 1n)));
    for (const table of ['ledger_entries', 'ledger_postings']) {
      const column = table === 'ledger_entries' ? 'reference' : 'account';
      await assert.rejects(sql(`UPDATE ${table} SET ${column} = 'x'`), /append-only/);
      await assert.rejects(sql(`DELETE FROM ${table}`), /append-only/);
    }
  });

  test('each broken invariant is found and named, and none is seen where there is none', async (t) => {
    const { storage, sql } = await open(t);
    const { id } = await storedAccount(storage);
    await storage.transaction((tx) => tx.ledger.append(entry(id, 'sound', 2n ** 70n)));
    for (const check of [
      'unbalancedEntries',
      'driftedBalances',
      'negativeMerchants',
      'mismatchedDeposits',
      'missingCallbacks',
    ] as const) {
      assert.deepEqual(await storage.ledger[check](10), [], check);
    }
    const lopsided = [
      { account: 'clearing', currency: 'ETH', units: 2n ** 60n },
      { account: 'fees:network', currency: 'ETH', units: 1n - 2n ** 60n },
    ] as const;
    await storage.transaction((tx) => tx.ledger.append(entry(id, 'lopsided', 0n, { postings: lopsided })));
    assert.deepEqual(
      (await storage.ledger.unbalancedEntries(10)).map(({ detail }) => /off by 1 /.test(detail)),
      [true, true],
    );
    assert.equal((await storage.ledger.unbalancedEntries(1)).length, 1);
    await sql(`UPDATE ledger_balances SET units = '${2n ** 70n - 1n}' WHERE account LIKE 'merchant:%'`);
    const [drift] = await storage.ledger.driftedBalances(10);
    assert.match(drift!.detail, new RegExp(`merchant:${id}:pending in USDT-ERC20 are 1 units above`));
  });

  test('an entry whose digits carry is balanced, and one among thousands of them that is not is found', async (t) => {
    const { storage, sql } = await open(t);
    const each = `WITH RECURSIVE n (i) AS (SELECT 10000 UNION ALL SELECT i + 1 FROM n WHERE i < 15000) SELECT 'carry-' || i`;
    await sql(
      `INSERT INTO ledger_entries (id, kind, reference, booked_at) ${each}, 'deposit-credited', 'carry-' || i, 1 FROM n`,
    );
    const posted = [
      ['clearing', 10n ** 24n],
      ['fees:network', 1n - 10n ** 24n],
      ['custody:ETH', -1n],
    ] as const;
    for (const [line, [account, units]] of posted.entries()) {
      const lastOff = line === 2 ? `CASE WHEN i = 15000 THEN '2' ELSE '${units}' END` : `'${units}'`;
      const value = `CAST(${lastOff} AS ${name === 'pg' ? 'NUMERIC' : 'TEXT'})`;
      await sql(
        `INSERT INTO ledger_postings (entry_id, line, account, currency, units, booked_at)
         ${each}, ${line}, '${account}', 'ETH', ${value}, 1 FROM n`,
      );
    }
    assert.deepEqual(
      (await storage.ledger.unbalancedEntries(10)).map(({ detail }) => detail),
      ['ETH is off by 3 units', 'entry carry-15000 is off by 3 units of ETH'],
    );
  });

  test('a deposit must have exactly the live credits that its status means', async (t) => {
    const { storage } = await open(t);
    const made = await storedOrder(storage, (await storedAccount(storage)).id);
    const references: Record<string, [Parameters<typeof deposit>[1], string[]]> = {
      soundCredited: [{ status: 'CREDITED' }, ['credit:1']],
      soundAgain: [{ status: 'SPENDABLE' }, ['credit:1', 'reverse:1', 'credit:2']],
      soundOrphan: [{ status: 'ORPHANED' }, ['credit:1', 'reverse:1']],
      soundSeen: [{ status: 'SEEN' }, []],
      badSeen: [{ status: 'SEEN' }, ['credit:1']],
      badCredited: [{ status: 'CREDITED' }, []],
      badTwice: [{ status: 'SPENDABLE' }, ['credit:1', 'credit:2']],
      badOrphan: [{ status: 'ORPHANED' }, ['credit:1']],
    };
    const bad: DepositId[] = [];
    for (const [name, [given, booked]] of Object.entries(references)) {
      const some = deposit(made, given);
      if (name.startsWith('bad')) bad.push(some.id);
      await storage.transaction(async (tx) => {
        await tx.deposits.add(some);
        for (const what of booked) await tx.ledger.append(entry(made.accountId, `deposit:${some.id}:${what}`, 1n));
      });
    }
    const found = await storage.ledger.mismatchedDeposits(10);
    assert.deepEqual(
      found.map(({ detail }) => /^deposit (\d+) /.exec(detail)?.[1]),
      bad,
    );
    assert.equal((await storage.ledger.mismatchedDeposits(2)).length, 2);
  });

  test('an unassigned account must hold what came in for no order and what is being paid back, less what that has cost', async (t) => {
    const { storage } = await open(t);
    const made = await storedOrder(storage, (await storedAccount(storage)).id);
    const cases: readonly Parameters<typeof deposit>[1][] = [
      { assignment: 'UNASSIGNED', status: 'CREDITED', units: 2n ** 100n },
      { assignment: 'UNASSIGNED', status: 'SPENDABLE', units: 20n, returnCostUnits: 4n },
      { assignment: 'RETURNING', status: 'SPENDABLE', units: 3n, returnCostUnits: 1n },
      { assignment: 'UNASSIGNED', status: 'SEEN', units: 1_000n },
      { assignment: 'UNASSIGNED', status: 'ORPHANED', units: 1_000n },
      { assignment: 'ORDER', status: 'SPENDABLE', units: 1_000n },
    ];
    await storage.transaction(async (tx) => {
      for (const given of cases)
        await tx.deposits.add(deposit(made, { currency: 'ETH', unassignedReason: null, ...given }));
    });
    const book = (reference: string, units: bigint, chain = 'ETH'): Promise<boolean> => {
      const postings = [
        { account: `unassigned:${chain}`, currency: 'ETH', units },
        { account: 'clearing', currency: 'ETH', units: -units },
      ] as const;
      return storage.transaction((tx) => tx.ledger.append(entry(made.accountId, reference, 0n, { postings })));
    };
    const details = async (limit = 10) => (await storage.ledger.driftedUnassigned(limit)).map(({ detail }) => detail);
    const owed = 2n ** 100n + 18n;
    assert.deepEqual(await details(), [`unassigned:ETH in ETH is ${owed} units below their sum`]);
    await book('all but one', owed - 1n);
    assert.deepEqual(await details(), ['unassigned:ETH in ETH is 1 units below their sum']);
    await book('the last', 1n);
    assert.deepEqual(await details(), []);
    await book('one too many', 1n);
    await book('of another chain', 5n, 'BSC');
    assert.deepEqual((await details()).sort(), [
      'unassigned:BSC in ETH is -5 units below their sum',
      'unassigned:ETH in ETH is -1 units below their sum',
    ]);
    assert.equal((await details(1)).length, 1);
  });

  test('a terminal event that was owed and has no row in the outbox is found, by status and by history', async (t) => {
    const { storage } = await open(t);
    const { id: accountId } = await storedAccount(storage);
    const both: OrderLinks = {
      succeedUrl: null,
      timeoutUrl: null,
      callbackUrl: 'https://a.example',
      timeoutCallback: 'https://b.example',
    };
    const make = (status: 'SUCCESS' | 'RESOLVED' | 'OVERDUE' | 'PARTIAL' | 'PENDING' | 'TERMINATED', links = both) =>
      storedOrder(storage, accountId, { status, links });
    const success = await make('SUCCESS');
    const resolved = await make('RESOLVED');
    const overdue = await make('OVERDUE');
    for (const status of ['PENDING', 'TERMINATED'] as const) await make(status);
    await make('PARTIAL', { ...both, timeoutCallback: null });
    await storage.transaction(async (tx) => {
      await tx.callbacks.add(callback(resolved, { event: 'order.succeeded' }));
      await tx.orders.addHistory({
        orderId: resolved.id,
        at: NOW,
        from: 'PENDING',
        to: 'OVERDUE',
        rule: 'deadline-nothing-seen',
        inputs: {},
        rate: null,
      });
    });
    const found = (await storage.ledger.missingCallbacks(10)).map(({ detail }) => detail);
    assert.deepEqual(found, [
      `order ${success.id} (SUCCESS) has no order.succeeded`,
      `order ${resolved.id} (RESOLVED) has no order.timeout`,
      `order ${overdue.id} (OVERDUE) has no order.timeout`,
    ]);
    await storage.transaction(async (tx) => {
      await tx.callbacks.add(callback(success));
      for (const late of [resolved, overdue]) await tx.callbacks.add(callback(late, { event: 'order.timeout' }));
    });
    assert.deepEqual(await storage.ledger.missingCallbacks(10), []);
  });
});
