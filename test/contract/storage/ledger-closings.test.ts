import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { closingDigest, NO_CLOSING } from '../../../adapters/storage/knex/stores/ledger/ledger-closings.ts';
import { monthAt } from '../../../adapters/storage/knex/stores/ledger/posting-months.ts';
import {
  checkLedger,
  checkpointLedger,
  auditRow,
  closeMonths,
  OPERATOR,
  reopenMonth,
  verifyAudit,
} from '../../../core/index.ts';
import type { AccountId, LedgerClosing, Millis, MonthNote, PostingSearch, Storage } from '../../../core/index.ts';
import { CryptoDigest } from '../../../adapters/crypto/index.ts';
import { connected } from '../../support/pg-client.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { FakeClock } from '../../support/fakes.ts';
import type { TestStorage } from '../../support/storage.ts';
import { waitFor } from '../../support/wait.ts';
import { entry, nextId, NOW, storedAccount } from './fixtures.ts';

const LISTED: PostingSearch = { accountId: null, from: null, to: null, after: null, limit: 1_000 };
const month = (later: number): ReturnType<typeof monthAt> => monthAt(Date.now(), later);
const [FIRST, SECOND, THIRD] = [month(0).name, month(1).name, month(2).name] as const;
const tableName = (name: string): string => `ledger_postings_${name.replace('-', '_')}`;
/** Two months are old enough to be closed. */
const CLOCK = new FakeClock(month(4).from);
const AUDIT = { ids: { next: nextId }, clock: CLOCK };
const unnoted: MonthNote = async ({ month: subjectId }) =>
  auditRow(AUDIT, OPERATOR, { action: 'ledger.close', accountId: null, subjectId });

const deps = (storage: Storage) => ({ storage, clock: CLOCK, ids: { next: nextId } });
const close = (storage: Storage, before = THIRD) => closeMonths(deps(storage), OPERATOR, before);
const reopen = (storage: Storage, name = SECOND) => reopenMonth(deps(storage), OPERATOR, name);
const broken = async (storage: Storage, full: boolean): Promise<string> =>
  (await checkpointLedger(storage, { full })).breaches
    .map(({ invariant, detail }) => `${invariant}: ${detail}`)
    .join('\n');

let booked = 0;
async function book(storage: Storage, account: AccountId, at: Millis, units = 5n): Promise<void> {
  await storage.transaction((tx) => tx.ledger.append(entry(account, `booked ${++booked}`, units, { at })));
}

/** A merchant with credits in three months. */
async function filled(t: Pick<TestContext, 'after'>, open: (t: Pick<TestContext, 'after'>) => Promise<TestStorage>) {
  const store = await open(t);
  const { id } = await storedAccount(store.storage);
  for (const at of [NOW, month(1).from, month(1).until - 1, month(2).from]) await book(store.storage, id, at);
  return { ...store, id };
}

/** The state that a move changes, and the state that it does not. */
async function state({ storage, sql }: TestStorage): Promise<unknown> {
  return {
    closings: await storage.ledger.closings(),
    sums: await sql('SELECT * FROM ledger_closing_sums ORDER BY 1, 2, 3'),
    open: await storage.ledger.openMonths(),
    listed: await storage.ledger.postings(LISTED),
    audit: (await storage.audit.head()).seq,
  };
}

eachStorage((name, open) => {
  if (name !== 'pg') {
    test('SQLite has no months to close, and says so', async (t) => {
      const { storage } = await open(t);
      for (const work of [close(storage), reopen(storage), storage.ledger.closeMonth(FIRST, unnoted)])
        await assert.rejects(work, { code: 'UNSUPPORTED', message: /PostgreSQL only/ });
      assert.deepEqual(await storage.ledger.closings(), []);
    });
    return;
  }

  test('closed months are detached, lists end where the oldest open one begins, and every check counts them', async (t) => {
    const { storage, sql, id } = await filled(t, open);
    await checkpointLedger(storage, { full: false });
    const closed = await close(storage);
    assert.deepEqual(
      closed.map(({ month: each, postings, until }) => [each, postings, until]),
      [
        [FIRST, 2, month(1).from],
        [SECOND, 4, month(2).from],
      ],
    );
    assert.deepEqual(await storage.ledger.closings(), closed);
    assert.deepEqual(
      (await storage.ledger.postings(LISTED)).map(({ position }) => position.createdAt),
      [month(2).from, month(2).from],
    );
    await book(storage, id, month(2).from + 1, 7n);
    for (const full of [false, true, false]) assert.equal(await broken(storage, full), '');
    assert.deepEqual(await checkLedger(storage), []);
    for (const each of [FIRST, SECOND]) {
      const table = tableName(each);
      assert.ok(Number((await sql(`SELECT count(*) AS kept FROM ${table}`))[0]?.['kept']) > 0);
      await assert.rejects(sql(`DELETE FROM ${table}`), /append-only/);
    }
    assert.deepEqual(
      (await sql('SELECT action, subject_id FROM audit_trail ORDER BY seq')).map((row) => [
        row['action'],
        row['subject_id'],
      ]),
      [
        ['ledger.close', FIRST],
        ['ledger.close', SECOND],
      ],
    );
    assert.equal((await verifyAudit({ audit: storage.audit, digest: new CryptoDigest() }, null)).breach, null);
    await sql(`DROP TABLE ${tableName(FIRST)}`);
    const months = await storage.ledger.openMonths();
    // A clock that was set back requests no closed month.
    assert.deepEqual(await storage.ledger.makePostingMonths(month(0).from), []);
    assert.deepEqual(await storage.ledger.openMonths(), months);
    assert.equal(await broken(storage, true), '');
  });

  test('fault 325: a closing that was changed is found by every check, also where its hash was made to fit', async (t) => {
    const { storage, sql, id } = await filled(t, open);
    const [first, second] = (await close(storage)) as [LedgerClosing, LedgerClosing];
    const hide = (by: number): Promise<unknown> =>
      sql(
        `UPDATE ledger_closing_sums SET units = units + CASE WHEN account LIKE 'custody%' THEN ${-by} ELSE ${by} END WHERE month = ?`,
        [SECOND],
      );
    await hide(3);
    await sql(`UPDATE ledger_balances SET units = units + CASE WHEN account LIKE 'custody%' THEN -3 ELSE 3 END`);
    const changed = new RegExp(`a closing stays as it was written: the closing of ${SECOND}`);
    for (const full of [false, true]) assert.match(await broken(storage, full), changed);
    const sums = new Map([
      ['custody:ETH USDT-ERC20', -13n],
      [`merchant:${id}:pending USDT-ERC20`, 13n],
    ]);
    await sql('UPDATE ledger_closings SET digest = ? WHERE month = ?', [
      closingDigest(first.digest, second, sums),
      SECOND,
    ]);
    const found = await broken(storage, true);
    assert.doesNotMatch(found, changed);
    assert.match(
      found,
      /what was checked does not change: the postings of merchant:\d+:pending in USDT-ERC20 are 3 units/,
    );
    // The same holds for a missing closing, and for one whose predecessor was changed.
    await sql('UPDATE ledger_closings SET digest = ? WHERE month = ?', [closingDigest(NO_CLOSING, first, sums), FIRST]);
    assert.match(await broken(storage, false), new RegExp(`the closing of ${FIRST}[^]*the closing of ${SECOND}`));
    await sql(`DELETE FROM ledger_closing_sums`);
    await sql(`DELETE FROM ledger_closings`);
    assert.match(
      await broken(storage, true),
      /what was checked does not change: checkpoint \d+ had 8 postings, now there are 2/,
    );
  });

  test('nothing is closed that is too young, not checked, not in order, or asked for by anybody else', async (t) => {
    const store = await filled(t, open);
    const { storage, sql, id } = store;
    const before = await state(store);
    const notYet = new FakeClock(month(2).from + 34 * 86_400_000);
    const young = closeMonths({ ...deps(storage), clock: notYet }, OPERATOR, THIRD);
    await assert.rejects(young, { code: 'INVALID_FIELDS', message: /--before: must have begun 35 days ago/ });
    for (const wrong of ['2026', '2026-13', '2026-01-01', 'now'])
      await assert.rejects(close(storage, wrong), { code: 'INVALID_FIELDS', message: /a month in UTC like 2026-01/ });
    const merchant = { ...OPERATOR, role: 'user', accountId: id } as const;
    await assert.rejects(closeMonths(deps(storage), merchant, THIRD), { code: 'FORBIDDEN' });
    await assert.rejects(reopenMonth(deps(storage), merchant, FIRST), { code: 'FORBIDDEN' });
    const unchecked = { code: 'STATE_CONFLICT', message: /An entry of \d{4}-\d\d was booked since the last check/ };
    await assert.rejects(storage.ledger.closeMonth(FIRST, unnoted), unchecked);
    assert.equal(await storage.ledger.closeMonth(SECOND, unnoted), null, 'an older one is open');
    await sql(`UPDATE ledger_balances SET units = units + 1 WHERE account LIKE 'merchant:%'`);
    await assert.rejects(close(storage), {
      code: 'STATE_CONFLICT',
      message: /so no month is closed: a balance is the sum/,
    });
    await sql(`UPDATE ledger_balances SET units = units - 1 WHERE account LIKE 'merchant:%'`);
    assert.deepEqual(await state(store), before);
    assert.equal((await close(storage)).length, 2);
  });

  test('months are closed once, by however many at a time', async (t) => {
    const { storage, another } = await filled(t, open);
    const all = [storage, await another(), await another()];
    const done = await Promise.allSettled(all.map((each) => close(each)));
    for (const each of done) if (each.status === 'rejected') assert.match(String(each.reason), /try again/);
    await waitFor(() => close(storage).then(() => true), { describe: 'the months to be closed' });
    const closed = await storage.ledger.closings();
    assert.deepEqual(
      closed.map(({ month: each }) => each),
      [FIRST, SECOND],
    );
    assert.deepEqual(await close(storage), []);
    assert.deepEqual(await storage.ledger.closings(), closed);
    assert.equal(await broken(storage, true), '');
  });

  test('fault 326: a closing whose connection is lost before its end has changed nothing', async (t) => {
    const store = await filled(t, open);
    const { storage, sql } = store;
    await checkpointLedger(storage, { full: true });
    const before = await state(store);
    const killed = storage.ledger.closeMonth(FIRST, async (closing) => {
      await sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND state = 'idle in transaction' AND pid <> pg_backend_pid()`);
      return unnoted(closing);
    });
    await assert.rejects(killed, { code: 'NOT_READY' });
    assert.deepEqual(await state(store), before);
    assert.equal((await close(storage)).length, 2);
  });

  test('fault 326: credits go on while months are closed and opened, and none is lost', async (t) => {
    const { storage, another, id } = await filled(t, open);
    const writers = [await another(), await another()];
    const moves = { late: true, done: false };
    const credits = writers.map(async (writer) => {
      let count = 0;
      // Books into the newest month, and into an older one until that is being closed: its closing would wait for a check.
      for (; !moves.done || count < 20; count++)
        await book(writer, id, moves.late && count % 10 === 0 ? month(1).from + 1 : month(2).from + count);
      return count;
    });
    const patient = (work: () => Promise<unknown>): Promise<unknown> =>
      waitFor(() => work().then(() => true), { describe: 'a move of a month' });
    for (let round = 0; round < 3; round++) {
      await patient(() => close(storage, SECOND));
      await patient(() => storage.ledger.reopenMonth(FIRST, unnoted));
    }
    moves.late = false;
    await patient(() => close(storage));
    await book(storage, id, month(1).from + 2);
    moves.done = true;
    const counts = await Promise.all(credits);
    assert.equal(await broken(storage, true), '');
    assert.deepEqual(await checkLedger(storage), []);
    const [balance] = await storage.ledger.balances(`merchant:${id}:pending`);
    assert.equal(balance?.units, 5n * BigInt(5 + counts.reduce((sum, count) => sum + count, 0)));
  });

  test('while somebody reads for long nothing is closed, and credits have waited for a moment only', async (t) => {
    const store = await filled(t, open);
    const { storage, id } = store;
    await checkpointLedger(storage, { full: true });
    const before = await state(store);
    const reader = await connected(t, store);
    await reader.query('BEGIN');
    await reader.query('SELECT 1 FROM ledger_postings');
    const closing = storage.ledger.closeMonth(FIRST, unnoted);
    const started = performance.now();
    await Promise.all([
      assert.rejects(closing, { code: 'NOT_READY', message: /nothing was changed; try again/ }),
      book(storage, id, month(2).from),
    ]);
    assert.ok(performance.now() - started < 5_000);
    const months = await storage.ledger.openMonths();
    assert.deepEqual(await storage.ledger.makePostingMonths(month(6).from), []);
    assert.deepEqual(await storage.ledger.openMonths(), months, 'they are made later');
    await reader.query('COMMIT');
    const { listed, ...rest } = (await state(store)) as { listed: unknown[] };
    assert.deepEqual({ ...rest, listed: listed.slice(2) }, before);
    assert.equal((await close(storage)).length, 2);
  });

  test('fault 326: a closing that waits for a credit keeps nobody else waiting, that credit least of all', async (t) => {
    const store = await filled(t, open);
    const { storage, sql, id } = store;
    await checkpointLedger(storage, { full: true });
    const [writer, reader] = [await connected(t, store), await connected(t, store)];
    await writer.query('BEGIN');
    await writer.query(
      `INSERT INTO ledger_entries (id, booked_at, kind, reference) VALUES ('1', ${month(2).from}, 'slow', 'slow')`,
    );
    const closing = storage.ledger.closeMonth(FIRST, unnoted).catch((error: unknown) => String(error));
    await waitFor(async () => (await sql('SELECT 1 FROM pg_locks WHERE NOT granted')).length > 0, {
      timeoutMs: 10_000,
      describe: 'the closing to wait for the entries',
    });
    // A closing that waits while it holds locks on postings would make these wait until it gives up.
    for (const client of [reader, writer]) await client.query(`SET lock_timeout = '200ms'`);
    await reader.query('SELECT 1 FROM ledger_postings LIMIT 1');
    await writer.query(
      `INSERT INTO ledger_postings (entry_id, line, account, currency, units, booked_at)
       VALUES ('1', 0, 'custody:ETH', 'USDT-ERC20', 0, ${month(2).from}), ('1', 1, 'merchant:${id}:pending', 'USDT-ERC20', 0, ${month(2).from})`,
    );
    await writer.query('COMMIT');
    const answer = await closing;
    if (typeof answer === 'string') assert.match(answer, /try again/);
    await close(storage);
    assert.equal(await broken(storage, true), '');
  });

  test('a check that has begun sees a month either open or closed: it keeps it from being closed meanwhile', async (t) => {
    const store = await filled(t, open);
    const { storage, sql } = store;
    await checkpointLedger(storage, { full: true });
    const holder = await connected(t, store);
    await holder.query('BEGIN');
    await holder.query('LOCK TABLE ledger_checkpoint_sums');
    const checking = broken(storage, true);
    await waitFor(async () => (await sql('SELECT 1 FROM pg_locks WHERE NOT granted')).length > 0, {
      timeoutMs: 10_000,
      describe: 'the check to wait',
    });
    await assert.rejects((await store.another()).ledger.closeMonth(FIRST, unnoted), { code: 'NOT_READY' });
    await holder.query('ROLLBACK');
    assert.equal(await checking, '');
    assert.equal((await close(storage)).length, 2);
  });

  test('the newest closed month is opened again as it was, and closed again with the same hash', async (t) => {
    const store = await filled(t, open);
    const { storage } = store;
    const listed = await storage.ledger.postings(LISTED);
    await assert.rejects(reopen(storage), { code: 'STATE_CONFLICT', message: /No month is closed/ });
    const closed = await close(storage);
    const newest = { code: 'STATE_CONFLICT', message: new RegExp(`open ${SECOND} first`) };
    await assert.rejects(reopen(storage, FIRST), newest);
    assert.equal((await reopen(storage)).month, SECOND);
    assert.equal(await broken(storage, true), '');
    await reopen(storage, FIRST);
    assert.equal(await broken(storage, false), '');
    assert.deepEqual(await storage.ledger.postings(LISTED), listed);
    const again = await close(storage);
    const hashes = (some: readonly LedgerClosing[]): readonly string[] => some.map(({ digest }) => digest);
    assert.deepEqual(hashes(again), hashes(closed));
  });

  test('a table that is not what was closed is not attached again', async (t) => {
    const store = await filled(t, open);
    const { storage, sql, id } = store;
    await close(storage);
    const before = await state(store);
    const table = tableName(SECOND);
    await sql(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
    const raise = (by: number): Promise<unknown> =>
      sql(`UPDATE ${table} SET units = units + ${by} WHERE booked_at = ? AND account LIKE 'merchant%'`, [
        month(1).from,
      ]);
    await raise(4);
    await assert.rejects(reopen(storage), {
      code: 'STATE_CONFLICT',
      message: /merchant:\d+:pending USDT-ERC20 is off by 4/,
    });
    await raise(-4);
    await sql(`INSERT INTO ${table} SELECT entry_id, 9, account, currency, 0, booked_at FROM ${table} LIMIT 1`);
    await assert.rejects(reopen(storage), { code: 'STATE_CONFLICT', message: /5 postings, and the closing says 4/ });
    await sql(`DELETE FROM ${table} WHERE line = 9`);
    await sql(`ALTER TABLE ${table} RENAME TO elsewhere`);
    await assert.rejects(reopen(storage), { code: 'NOT_FOUND', message: /restore it from its dump first/ });
    await sql(`ALTER TABLE elsewhere RENAME TO ${table}`);
    assert.deepEqual(await state(store), before);
    await sql(`DROP TRIGGER ledger_postings_append_only ON ${table}`);
    await reopen(storage);
    await assert.rejects(sql(`DELETE FROM ${table}`), /append-only/);
    await close(storage);
    await book(storage, id, month(1).from + 1);
    await assert.rejects(reopen(storage), { code: 'STATE_CONFLICT', message: /were booked after it was closed/ });
    assert.equal(await broken(storage, true), '');
  });
});
