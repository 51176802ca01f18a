import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import type pg from 'pg';
import { checkpointLedger } from '../../../core/index.ts';
import type { AccountId, LedgerCheckpoint, Storage } from '../../../core/index.ts';
import { connected } from '../../support/pg-client.ts';
import { eachStorage } from '../../support/each-storage.ts';
import type { TestStorage } from '../../support/storage.ts';
import { waitFor } from '../../support/wait.ts';
import { deposit, entry, NOW, storedAccount, storedOrder } from './fixtures.ts';

async function book(storage: Storage, account: AccountId, reference: string, units = 5n): Promise<void> {
  await storage.transaction((tx) => tx.ledger.append(entry(account, reference, units)));
}

const check = (storage: Storage, full = false): Promise<LedgerCheckpoint> => checkpointLedger(storage, { full });
const broken = async (storage: Storage, full = false): Promise<readonly string[]> =>
  (await check(storage, full)).breaches.map(({ invariant, detail }) => `${invariant}: ${detail}`);

/** The checkpoint, and the entries that wait for the next check. */
async function kept({ sql }: TestStorage): Promise<unknown> {
  const [[checkpoint], [queue]] = [
    await sql('SELECT number, digest FROM ledger_checkpoint'),
    await sql('SELECT count(*) AS waiting FROM ledger_unchecked'),
  ];
  return [Number(checkpoint?.['number']), checkpoint?.['digest'], Number(queue?.['waiting'])];
}

eachStorage((name, open) => {
  const own = (units: number): string => (name === 'pg' ? String(units) : `'${units}'`);

  test('the first check of the ledger reads everything, a later one what came since, and each writes a checkpoint', async (t) => {
    const store = await open(t);
    const { storage } = store;
    const { id } = await storedAccount(storage);
    for (const reference of ['a', 'b', 'c']) await book(storage, id, reference);
    const first = await check(storage);
    assert.deepEqual([first.breaches, first.full, first.postings], [[], true, 6]);
    assert.deepEqual(await kept(store), [1, first.digest, 0]);
    await book(storage, id, 'd', 7n);
    const second = await check(storage);
    assert.deepEqual([second.breaches, second.full, second.postings], [[], false, 2]);
    assert.notEqual(second.digest, first.digest);
    assert.equal((await check(storage)).postings, 0);
    const whole = await check(storage, true);
    assert.deepEqual([whole.breaches, whole.full, whole.postings], [[], true, 8]);
  });

  test('fault 306: what is wrong since the checkpoint is found, and no check writes a checkpoint over it', async (t) => {
    const store = await open(t);
    const { storage, sql } = store;
    const { id } = await storedAccount(storage);
    await book(storage, id, 'a');
    await check(storage);
    const order = await storedOrder(storage, id);
    await storage.transaction(async (tx) => {
      await tx.orders.move(order.id, 'PENDING', 'SUCCESS', { received: 5n, updatedAt: NOW });
      await tx.orders.addHistory({
        orderId: order.id,
        at: NOW,
        from: 'PENDING',
        to: 'SUCCESS',
        rule: 'paid-in-time',
        inputs: {},
        rate: null,
      } as never);
      await tx.deposits.add(deposit(order, { id: '1700000000000000001' as never, status: 'SPENDABLE' }));
      for (const n of [1, 2]) await tx.ledger.append(entry(id, `deposit:1700000000000000001:credit:${n}`, 5n));
    });
    await sql(`UPDATE ledger_balances SET units = '11' WHERE account = 'merchant:${id}:pending'`);
    const before = await kept(store);
    const found = (await broken(storage)).join('\n');
    assert.match(found, /exactly one live credit, any other none: deposit 1700000000000000001 is SPENDABLE and has 2/);
    assert.match(found, /has no order\.succeeded/);
    assert.match(found, /the postings of merchant:\d+:pending in USDT-ERC20 are 4 units above its balance/);
    assert.deepEqual(await kept(store), before);
  });

  test('fault 307: a checked posting that was changed with its balance is found by the full check alone', async (t) => {
    const { storage, sql } = await open(t);
    const { id } = await storedAccount(storage);
    await book(storage, id, 'a');
    await book(storage, id, 'b');
    await check(storage);
    const table = 'ledger_postings';
    await sql(name === 'pg' ? `ALTER TABLE ${table} DISABLE TRIGGER USER` : `DROP TRIGGER ${table}_no_update`);
    const factor = `(SELECT min(entry_id) FROM ${table})`;
    await sql(
      `UPDATE ${table} SET units = CASE line WHEN 0 THEN ${own(-9)} ELSE ${own(9)} END WHERE entry_id = ${factor}`,
    );
    await sql(
      `UPDATE ledger_balances SET units = CASE WHEN account LIKE 'custody%' THEN ${own(-14)} ELSE ${own(14)} END`,
    );
    const found = (await broken(storage, true)).join('\n');
    assert.match(
      found,
      /what was checked does not change: the postings of merchant:\d+:pending in USDT-ERC20 are 4 units above/,
    );
    await sql(
      `UPDATE ledger_balances SET units = CASE WHEN account LIKE 'custody%' THEN ${own(-10)} ELSE ${own(10)} END`,
    );
    assert.deepEqual(await broken(storage), []);
  });

  test('fault 308: a checkpoint whose sums were changed is no ground for a check', async (t) => {
    const { storage, sql } = await open(t);
    const { id } = await storedAccount(storage);
    await book(storage, id, 'a');
    await check(storage);
    await sql(
      `UPDATE ledger_checkpoint_sums SET units = CASE WHEN account LIKE 'custody%' THEN ${own(-9)} ELSE ${own(9)} END`,
    );
    await sql(
      `UPDATE ledger_balances SET units = CASE WHEN account LIKE 'custody%' THEN ${own(-9)} ELSE ${own(9)} END`,
    );
    assert.match((await broken(storage)).join('\n'), /a checkpoint stays as it was written/);
  });

  test('fault 309: a check that ends in the middle of its checkpoint has written none', async (t) => {
    const store = await open(t);
    const { storage, sql } = store;
    const { id } = await storedAccount(storage);
    await book(storage, id, 'a');
    const refuse =
      name === 'pg'
        ? 'BEFORE DELETE ON ledger_unchecked FOR EACH STATEMENT EXECUTE FUNCTION ledger_entries_refuse_change()'
        : `BEFORE DELETE ON ledger_unchecked BEGIN SELECT RAISE(ABORT, 'no'); END`;
    await sql(`CREATE TRIGGER refused ${refuse}`);
    await assert.rejects(check(storage));
    assert.deepEqual(await kept(store), [0, '', 1]);
    assert.deepEqual(await sql('SELECT * FROM ledger_checkpoint_sums'), []);
    await sql(name === 'pg' ? 'DROP TRIGGER refused ON ledger_unchecked' : 'DROP TRIGGER refused');
    assert.equal((await check(storage)).postings, 2);
  });

  test('two checks at once write one checkpoint', async (t) => {
    const store = await open(t);
    const { storage } = store;
    const { id } = await storedAccount(storage);
    await book(storage, id, 'a');
    const both = await Promise.all([check(storage), check(await store.another())]);
    assert.deepEqual(
      both.map(({ breaches }) => breaches),
      [[], []],
    );
    assert.deepEqual((await check(storage, true)).breaches, []);
  });

  if (name === 'pg') {
    test('fault 310: an entry with a lower id that commits after the checkpoint is read by the next check', async (t) => {
      const store = await open(t);
      const { storage } = store;
      const { id } = await storedAccount(storage);
      const slow = await slowEntry(t, store, id);
      await book(storage, id, 'later');
      const checked = await check(storage);
      assert.deepEqual([checked.breaches, checked.postings], [[], 2]);
      await slow.query('COMMIT');
      assert.match((await broken(storage)).join('\n'), OFF);
    });

    test('fault 310: so is one that commits while the check has read and not written its checkpoint yet', async (t) => {
      const store = await open(t);
      const { storage, sql } = store;
      const { id } = await storedAccount(storage);
      const slow = await slowEntry(t, store, id);
      await book(storage, id, 'later');
      const holder = await connected(t, store);
      await holder.query('BEGIN');
      await holder.query('SELECT number FROM ledger_checkpoint FOR UPDATE');
      const checking = check(storage);
      await waitFor(async () => (await sql('SELECT 1 FROM pg_locks WHERE NOT granted')).length > 0, {
        timeoutMs: 10_000,
        describe: 'the check to wait for the checkpoint',
      });
      await slow.query('COMMIT');
      await holder.query('ROLLBACK');
      assert.deepEqual((await checking).breaches, []);
      assert.match((await broken(storage)).join('\n'), OFF);
    });
  }
});

const OFF = /entry 1 is off by -1 units of BTC/;

/** A transaction that has written an entry that does not sum to zero, and stays open. */
async function slowEntry(t: Pick<TestContext, 'after'>, store: TestStorage, account: AccountId): Promise<pg.Client> {
  const client = await connected(t, store);
  await client.query('BEGIN');
  await client.query(`INSERT INTO ledger_entries (id, booked_at, kind, reference) VALUES ('1', 1, 'slow', 'slow')`);
  await client.query(
    `INSERT INTO ledger_postings (entry_id, line, account, currency, units, booked_at)
     VALUES ('1', 0, 'custody:BTC', 'BTC', -3, 1), ('1', 1, 'merchant:${account}:pending', 'BTC', 2, 1)`,
  );
  return client;
}
