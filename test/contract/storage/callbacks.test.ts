import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CALLBACK_STATUSES } from '../../../core/index.ts';
import type {
  AccountId,
  Callback,
  CallbackAttempt,
  CallbackId,
  CallbackSearch,
  Order,
  Storage,
  WebhookId,
} from '../../../core/index.ts';
import { callbackSearchSql } from '../../../adapters/storage/knex/stores/notify/callback-search.ts';
import { tablesOf } from '../../../adapters/storage/knex/tables.ts';
import { eachStorage } from '../../support/each-storage.ts';
import type { TestStorage } from '../../support/storage.ts';
import { subscribe } from '../../support/subscribe.ts';
import { waitFor } from '../../support/wait.ts';
import { callback, EVERY_CALLBACK, NOW, storedAccount, storedOrder } from './fixtures.ts';

const LEASE = 60_000;
const delivered = { status: 'DELIVERED', attempts: 1, nextAt: NOW, deliveredAt: NOW + 1 } as const;
const attempt = (of: Callback, given: Partial<CallbackAttempt> = {}): CallbackAttempt => ({
  callbackId: of.id,
  at: NOW,
  durationMs: 12,
  httpStatus: 200,
  error: null,
  ...given,
});

async function outbox(storage: Storage, rows: readonly Callback[]): Promise<void> {
  await storage.transaction(async (tx) => {
    for (const row of rows) assert.equal(await tx.callbacks.add(row), true);
  });
}

async function orders(storage: Storage, count: number): Promise<Order[]> {
  const { id } = await storedAccount(storage);
  return Promise.all(Array.from({ length: count }, () => storedOrder(storage, id)));
}

eachStorage((name, open) => {
  test('one row for each event of an order', async (t) => {
    const { storage } = await open(t);
    const [made] = await orders(storage, 1);
    const first = callback(made!, { method: 'POST', body: '{"a":1}', credentialId: '7' as never, deliveredAt: NOW });
    await outbox(storage, [first]);
    assert.equal(await storage.transaction((tx) => tx.callbacks.add(callback(made!))), false);
    await outbox(storage, [callback(made!, { event: 'order.timeout' })]);
    assert.deepEqual(await storage.callbacks.find(first.id), first);
    assert.deepEqual(
      (await storage.callbacks.byOrder(made!.id)).map(({ event }) => event),
      ['order.succeeded', 'order.timeout'],
    );
    assert.equal(await storage.callbacks.find('404' as CallbackId), null);
    assert.equal(await storage.callbacks.find('\0' as CallbackId), null);
  });

  test('parallel claims of several instances never hold the same callback, and none is left over', async (t) => {
    const { storage, another } = await open(t);
    const instances = [storage, await another(), await another()];
    const made = await orders(storage, 40);
    await outbox(
      storage,
      made.map((order) => callback(order)),
    );
    const claims: string[] = [];
    const drain = async (instance: Storage): Promise<void> => {
      for (;;) {
        const some = await instance.callbacks.claimDue(NOW, LEASE, 3);
        if (some.length === 0) return;
        claims.push(...some.map((each) => each.callback.id));
      }
    };
    await Promise.all([...instances, ...instances].map(drain));
    await drain(storage);
    assert.equal(claims.length, 40);
    assert.equal(new Set(claims).size, 40);
  });

  test('only what is due is claimed, oldest due first, and never past the limit', async (t) => {
    const { storage } = await open(t);
    const made = await orders(storage, 4);
    const rows = made.map((order, n) => callback(order, { nextAt: NOW - n * 10 + 10 }));
    await outbox(storage, rows);
    assert.equal(await storage.callbacks.nextDueAt(), NOW - 20);
    assert.deepEqual(
      (await storage.callbacks.claimDue(NOW, LEASE, 2)).map((each) => each.callback.id),
      [rows[3]!.id, rows[2]!.id],
    );
    assert.deepEqual(
      (await storage.callbacks.claimDue(NOW, LEASE, 9)).map((each) => each.callback.id),
      [rows[1]!.id],
    );
    assert.deepEqual(await storage.callbacks.claimDue(NOW, LEASE, 9), []);
  });

  test('the second callback of an order waits for the first, also while that one waits for a retry', async (t) => {
    const { storage } = await open(t);
    const [made] = await orders(storage, 1);
    const timeout = callback(made!, { event: 'order.timeout', nextAt: NOW - 5 });
    const success = callback(made!, { createdAt: NOW + 1, nextAt: NOW - 50 });
    await outbox(storage, [timeout, success]);
    const [first, none] = await storage.callbacks.claimDue(NOW, LEASE, 9);
    assert.deepEqual([first?.callback.id, none], [timeout.id, undefined]);
    assert.equal(
      await storage.callbacks.finish(
        first!,
        { status: 'PENDING', attempts: 1, nextAt: NOW + 100, deliveredAt: null },
        attempt(timeout, { httpStatus: 500 }),
      ),
      true,
    );
    assert.deepEqual(await storage.callbacks.claimDue(NOW, LEASE, 9), []);
    const [again] = await storage.callbacks.claimDue(NOW + 100, LEASE, 9);
    assert.equal(again?.callback.attempts, 1);
    assert.ok(again.fence > first!.fence);
    assert.equal(await storage.callbacks.finish(again, delivered, attempt(timeout)), true);
    assert.deepEqual(
      (await storage.callbacks.claimDue(NOW + 100, LEASE, 9)).map((each) => each.callback.id),
      [success.id],
    );
    assert.deepEqual(
      (await storage.callbacks.attempts(timeout.id)).map(({ httpStatus }) => httpStatus),
      [500, 200],
    );
  });

  test('an order’s callbacks go out in the order in which they were made, whatever the clocks of the instances say', async (t) => {
    const { storage, another } = await open(t);
    const [made] = await orders(storage, 1);
    await outbox(storage, [callback(made!, { event: 'order.timeout', id: '2' as CallbackId, createdAt: NOW + 50 })]);
    await outbox(await another(), [
      callback(made!, { event: 'order.succeeded', id: '1' as CallbackId, createdAt: NOW }),
    ]);
    const first = await storage.callbacks.claimDue(NOW, LEASE, 10);
    assert.deepEqual(
      first.map((each) => each.callback.event),
      ['order.timeout'],
    );
    for (const each of first) await storage.callbacks.finish(each, delivered, attempt(each.callback));
    assert.deepEqual(
      (await storage.callbacks.claimDue(NOW, LEASE, 10)).map((each) => each.callback.event),
      ['order.succeeded'],
    );
  });

  test('a claim lapses by the database’s clock, and its former holder can not finish it any more', async (t) => {
    const { storage, another } = await open(t);
    const second = await another();
    const [made] = await orders(storage, 1);
    const row = callback(made!);
    await outbox(storage, [row]);
    const [lost] = await storage.callbacks.claimDue(NOW, 1, 9);
    // The caller's own clock has no effect: moving it by an hour releases no lease that the database still holds.
    const [held] = await waitFor(async () => {
      const claims = await second.callbacks.claimDue(NOW, LEASE, 9);
      return claims.length > 0 ? claims : null;
    });
    assert.deepEqual(await second.callbacks.claimDue(NOW + 3_600_000, LEASE, 9), []);
    assert.equal(
      await storage.callbacks.finish(
        lost!,
        { ...delivered, status: 'DEAD' },
        attempt(row, { error: 'too late', httpStatus: null }),
      ),
      false,
    );
    assert.equal((await storage.callbacks.find(row.id))?.status, 'PENDING');
    assert.equal(await second.callbacks.finish(held!, delivered, attempt(row)), true);
    assert.deepEqual(await storage.callbacks.find(row.id), { ...row, ...delivered });
    assert.deepEqual(
      (await storage.callbacks.attempts(row.id)).map(({ error }) => error),
      ['too late', null],
      'a late attempt is recorded all the same',
    );
    assert.equal(await second.callbacks.finish(held!, delivered, attempt(row)), false);
  });

  test('bodies of what was delivered before a day are removed, the oldest first, and such a callback is not sent again', async (t) => {
    const { storage } = await open(t);
    const made = await orders(storage, 6);
    const posted = { method: 'POST', body: '{"a":1}', status: 'DELIVERED' } as const;
    const [late, early, kept, dead, got, waiting] = [
      callback(made[0]!, { ...posted, deliveredAt: NOW - 1 }),
      callback(made[1]!, { ...posted, deliveredAt: NOW - 2 }),
      callback(made[2]!, { ...posted, deliveredAt: NOW }),
      callback(made[3]!, { ...posted, status: 'DEAD' }),
      callback(made[4]!, { status: 'DELIVERED', deliveredAt: NOW - 3 }),
      callback(made[5]!, { ...posted, status: 'PENDING' }),
    ] as const;
    await outbox(storage, [late, early, kept, dead, got, waiting]);
    assert.equal(await storage.callbacks.dropBodies(NOW, 1), 1);
    assert.deepEqual(await storage.callbacks.find(early.id), { ...early, body: null });
    assert.deepEqual(await storage.callbacks.find(late.id), late);
    assert.equal(await storage.callbacks.dropBodies(NOW, 9), 1);
    assert.equal(await storage.callbacks.dropBodies(NOW, 9), 0);
    for (const row of [kept, dead, got, waiting]) assert.deepEqual(await storage.callbacks.find(row.id), row);
    const again = await Promise.all([early, late, kept, dead, got].map(({ id }) => storage.callbacks.replay(id, NOW)));
    assert.deepEqual(again, [false, false, true, true, true]);
    assert.equal((await storage.callbacks.find(early.id))?.status, 'DELIVERED');
  });

  test('a dead or delivered callback is replayed, a pending one is not', async (t) => {
    const { storage } = await open(t);
    const made = await orders(storage, 3);
    const rows = [
      callback(made[0]!, { status: 'DEAD', attempts: 11 }),
      callback(made[1]!, { status: 'DELIVERED', deliveredAt: NOW }),
      callback(made[2]!),
    ];
    await outbox(storage, rows);
    assert.deepEqual(await Promise.all(rows.map(({ id }) => storage.callbacks.replay(id, NOW + 5))), [
      true,
      true,
      false,
    ]);
    assert.equal(await storage.callbacks.replay('404' as CallbackId, NOW), false);
    assert.deepEqual(await storage.callbacks.find(rows[0]!.id), {
      ...rows[0],
      status: 'PENDING',
      attempts: 0,
      nextAt: NOW + 5,
    });
    assert.equal((await storage.callbacks.claimDue(NOW + 5, LEASE, 9)).length, 3);
  });

  test('the database refuses a move that is not in the table', async (t) => {
    const { storage, sql } = await open(t);
    const made = await orders(storage, 1);
    for (const from of CALLBACK_STATUSES.filter((status) => status !== 'PENDING')) {
      const row = callback(made[0]!, { status: from, event: from === 'DEAD' ? 'order.timeout' : 'order.succeeded' });
      await outbox(storage, [row]);
      const to = from === 'DEAD' ? 'DELIVERED' : 'DEAD';
      await assert.rejects(
        sql('UPDATE callbacks SET status = ? WHERE id = ?', [to, row.id]),
        /illegal change of status/,
      );
    }
  });

  test('the list is cut by account and status, newest first, and goes on after any of its rows', async (t) => {
    const { storage } = await open(t);
    const [one, two] = [await orders(storage, 3), await orders(storage, 1)];
    const rows = [callback(one[0]!), callback(one[1]!, { status: 'DEAD' }), callback(one[2]!), callback(two[0]!)];
    await outbox(storage, rows);
    const { accountId } = one[0]!;
    const list = (search: Partial<CallbackSearch>) => storage.callbacks.list({ ...EVERY_CALLBACK, ...search });
    assert.deepEqual(await list({ accountId, limit: 2 }), [rows[2], rows[1]]);
    assert.deepEqual(await list({ accountId, before: rows[1]!.id }), [rows[0]]);
    assert.deepEqual(await list({ accountId, status: 'PENDING' }), [rows[2], rows[0]]);
    assert.equal((await list({})).length, 4);
    assert.deepEqual(await list({ status: 'DEAD' }), [rows[1]]);
    assert.deepEqual(await list({ status: 'DEAD', before: rows[1]!.id }), []);
    assert.equal(await storage.callbacks.nextDueAt(), NOW);
  });

  test('fault 305: no list of callbacks counts, sorts or reads more than its page', async (t) => {
    const { storage, sql } = await open(t);
    const [[order], { id: another }] = [await orders(storage, 1), await storedAccount(storage)];
    await outbox(storage, [callback(order!, { status: 'DELIVERED' })]);
    await multiply(sql, { pg: name === 'pg', another, count: 20_000 });
    const { accountId } = order!;
    const endpointId = 'an endpoint' as WebhookId;
    for (const owner of [null, accountId])
      for (const status of [null, ...CALLBACK_STATUSES])
        for (const endpoint of [null, endpointId])
          for (const before of [null, '1600000000000009000' as CallbackId]) {
            const search = { accountId: owner, status, endpointId: endpoint, before, limit: 21 };
            const found = callbackSearchSql(tablesOf(''), search);
            const rows = await sql(
              `${name === 'pg' ? 'EXPLAIN' : 'EXPLAIN QUERY PLAN'} ${found.sql}`,
              found.bindings as (string | number)[],
            );
            const plan = rows.map((row) => String(row['QUERY PLAN'] ?? row['detail'])).join('\n');
            assert.doesNotMatch(plan, unread(search), `${JSON.stringify(search)}\n${plan}`);
            if (name !== 'pg') assert.match(plan, expectedIndex(search), JSON.stringify(search));
          }
  });

  test('rows of endpoints that are added together are dated after those that wait, each record for itself', async (t) => {
    const { storage } = await open(t);
    const { accountId } = await orders(storage, 1).then(([order]) => order!);
    const endpoint = await subscribe(storage, accountId);
    const event = (id: string, subjectId: string, createdAt: number): Callback => ({
      ...{ id: id as CallbackId, accountId, orderId: null, endpointId: endpoint.id, subjectId, event: 'deposit.seen' },
      ...{ credentialId: null, method: 'POST', url: endpoint.url, body: '{}', status: 'PENDING', attempts: 0 },
      ...{ nextAt: createdAt, createdAt, deliveredAt: null },
    });
    const [ahead, ...others] = [
      event('1600000000000000001', 'one', NOW + 50),
      event('1600000000000000002', 'one', NOW),
      event('1600000000000000003', 'two', NOW),
      event('1600000000000000004', 'one', NOW),
    ];
    await storage.transaction((tx) => tx.callbacks.addAll([ahead]));
    await storage.transaction((tx) => tx.callbacks.addAll(others));
    await storage.transaction((tx) => tx.callbacks.addAll([]));
    const stored = (await storage.callbacks.list({ ...EVERY_CALLBACK, accountId })).toReversed();
    assert.deepEqual(
      stored.map(({ subjectId, createdAt }) => [subjectId, createdAt - NOW]),
      [
        ['one', 50],
        ['one', 51],
        ['two', 0],
        ['one', 52],
      ],
    );
  });

  // PostgreSQL chooses by its statistics.
  if (name !== 'pg') {
    test('fault 378: an event is dated after those of its own record, by their index, however many wait for its endpoint', async (t) => {
      const { sql } = await open(t);
      const waiting = `SELECT subject_id, max(created_at) AS at FROM callbacks
        WHERE endpoint_id = ? AND subject_id IN (SELECT value FROM json_each(?)) AND status = 'PENDING' GROUP BY subject_id`;
      const rows = await sql(`EXPLAIN QUERY PLAN ${waiting}`, ['endpoint', '["record"]']);
      const plan = rows.map((row) => String(row['detail'])).join('\n');
      assert.match(plan, /COVERING INDEX callbacks_subject \(endpoint_id=\? AND subject_id=\?\)/);
    });
  }

  test('nothing is due in an empty outbox', async (t) => {
    const { storage } = await open(t);
    assert.equal(await storage.callbacks.nextDueAt(), null);
    assert.deepEqual(await storage.callbacks.claimDue(NOW, LEASE, 9), []);
  });
});

/**
 * Patterns that no plan may contain. Nearly all callbacks are delivered, so another index than that of the status reads
 * hardly any extra row; few are pending.
 */
const unread = ({ status }: CallbackSearch): RegExp =>
  status === 'DEAD' ? /Seq Scan|Sort|Filter: .*status|TEMP B-TREE/ : /Seq Scan|TEMP B-TREE/;

/** The index of a list on SQLite, whose plans do not show which rows are only filtered. */
function expectedIndex({ accountId, status, endpointId }: CallbackSearch): RegExp {
  if (endpointId !== null) return status === null ? /callbacks_endpoint/ : /callbacks_sent/;
  if (accountId !== null) return status === null ? /callbacks_account/ : /callbacks_listed/;
  return status === null ? /callbacks_pkey|autoindex_callbacks|SCAN callbacks USING INDEX/ : /callbacks_status/;
}

interface Copies {
  readonly pg: boolean;
  /** The owner of every second callback. */
  readonly another: AccountId;
  readonly count: number;
}

/** Copies of a stored callback, of two accounts and in every status. */
async function multiply(sql: TestStorage['sql'], { pg, another, count }: Copies): Promise<void> {
  const columns = Object.keys((await sql('SELECT * FROM callbacks'))[0] ?? {});
  const given: Readonly<Record<string, string>> = {
    id: 'CAST(1600000000000000000 + n AS TEXT)',
    event: `'event ' || n`,
    account_id: `CASE n % 2 WHEN 0 THEN '${another}' ELSE sample.account_id END`,
    // PostgreSQL knows which status is rare; SQLite only counts distinct values.
    status: pg
      ? `CASE WHEN n / 2 % 100 = 1 THEN 'DEAD' WHEN n / 2 % 100 = 2 THEN 'PENDING' ELSE 'DELIVERED' END`
      : `CASE n % 3 ${CALLBACK_STATUSES.map((status, at) => `WHEN ${at} THEN '${status}'`).join(' ')} END`,
  };
  const values = columns.map((column) => given[column] ?? `sample.${column}`);
  const numbers = pg
    ? `WITH numbers (n) AS (SELECT generate_series(2::bigint, ${count}::bigint))`
    : `WITH RECURSIVE numbers (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM numbers LIMIT ${count - 1})`;
  await sql(
    `INSERT INTO callbacks (${columns.join(', ')}) ${numbers} SELECT ${values.join(', ')} FROM numbers CROSS JOIN (SELECT * FROM callbacks) AS sample`,
  );
  await sql('ANALYZE');
}
