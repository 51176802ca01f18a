import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkLedger, merchantAccount, reservationOf } from '../../../core/index.ts';
import type { AccountId, IdempotencyClaim, ReserveOutcome, Storage } from '../../../core/index.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { claim, entry, nextId, NOW } from './fixtures.ts';
import { merchant, withdrawal } from './money-out-fixtures.ts';

const BALANCE = 1_000n;
const ids = { next: nextId };

/** A merchant with 1,000 units to withdraw. */
async function funded(storage: Storage): Promise<AccountId> {
  const accountId = await merchant(storage);
  const postings = [
    { account: 'custody:ETH' as const, currency: 'ETH', units: -BALANCE },
    { account: merchantAccount(accountId, 'available'), currency: 'ETH', units: BALANCE },
  ];
  await storage.transaction((tx) => tx.ledger.append(entry(accountId, `funds:${accountId}`, 0n, { postings })));
  return accountId;
}

function reserve(
  storage: Storage,
  accountId: AccountId,
  units: bigint,
  idempotency: IdempotencyClaim | null = null,
): Promise<ReserveOutcome> {
  return storage.transfers.reserve(reservationOf({ ...withdrawal(accountId, { units }), accountId }, ids, idempotency));
}

/** The available and the reserved balance of the account. */
async function balances(storage: Storage, accountId: AccountId): Promise<readonly bigint[]> {
  const found = await storage.ledger.balances(`merchant:${accountId}:`);
  return ['available', 'reserved'].map(
    (which) => found.find(({ account }) => account === `merchant:${accountId}:${which}`)?.units ?? 0n,
  );
}

eachStorage((_name, open) => {
  test('exactly the balance can be reserved, and not one unit more', async (t) => {
    const { storage } = await open(t);
    const accountId = await funded(storage);
    assert.deepEqual(await reserve(storage, accountId, BALANCE + 1n), { kind: 'lacking' });
    assert.deepEqual(await balances(storage, accountId), [BALANCE, 0n]);
    assert.deepEqual(await reserve(storage, accountId, BALANCE), { kind: 'reserved', left: 0n });
    assert.deepEqual(await balances(storage, accountId), [0n, BALANCE]);
    assert.deepEqual(await reserve(storage, accountId, 1n), { kind: 'lacking' });
    assert.deepEqual(await checkLedger(storage), []);
  });

  test('reservations at the same moment share one balance: what one took, the next has not', async (t) => {
    const { storage } = await open(t);
    const [accountId, other] = [await funded(storage), await funded(storage)];
    const asked = [600n, 600n, 400n, 1n].map((units) => reserve(storage, accountId, units));
    const outcomes = await Promise.all([...asked, reserve(storage, other, 600n)]);
    assert.deepEqual(outcomes.pop(), { kind: 'reserved', left: 400n });
    const reserved = outcomes.flatMap((outcome) => (outcome.kind === 'reserved' ? [outcome.left] : []));
    const [available = -1n, taken = -1n] = await balances(storage, accountId);
    assert.equal(available + taken, BALANCE);
    assert(available >= 0n);
    assert.equal(reserved.at(-1), available);
    assert(outcomes.some(({ kind }) => kind === 'lacking'));
    assert.deepEqual(await balances(storage, other), [400n, 600n]);
    assert.deepEqual(await checkLedger(storage), []);
  });

  test("each reservation has the next of its account's numbers", async (t) => {
    const { storage } = await open(t);
    const [accountId, other] = [await funded(storage), await funded(storage)];
    await Promise.all([1n, 2n, 3n].map((units) => reserve(storage, accountId, units)));
    await Promise.all([reserve(storage, other, 1n), reserve(storage, accountId, 4n)]);
    const numbers = async (id: AccountId): Promise<readonly number[]> => {
      const { items } = await storage.deposits.transactions(id, { page: 1, size: 10 });
      return items.map(({ number }) => number).sort((a, b) => a - b);
    };
    assert.deepEqual([await numbers(accountId), await numbers(other)], [[1, 2, 3, 4], [1]]);
  });

  test('a frozen account reserves nothing, and only that account', async (t) => {
    const { storage } = await open(t);
    const [accountId, other] = [await funded(storage), await funded(storage)];
    await storage.transaction((tx) => tx.transfers.freeze({ accountId, reason: 'a reversal', at: NOW }));
    const [refused, allowed] = await Promise.all([reserve(storage, accountId, 1n), reserve(storage, other, 1n)]);
    assert.deepEqual(refused, { kind: 'frozen', reason: 'a reversal' });
    assert.equal(allowed.kind, 'reserved');
    assert.deepEqual(await balances(storage, accountId), [BALANCE, 0n]);
  });

  test('a key reserves once, and a refusal leaves it unused', async (t) => {
    const { storage } = await open(t);
    const accountId = await funded(storage);
    const key = claim('k1', { route: '/withdraw' });
    assert.deepEqual(await reserve(storage, accountId, BALANCE + 1n, key), { kind: 'lacking' });
    assert.equal(await storage.transfers.claimed(accountId, key), null);
    const first = { ...withdrawal(accountId, { units: 10n }), accountId };
    assert.equal((await storage.transfers.reserve(reservationOf(first, ids, key))).kind, 'reserved');
    const repeated = { kind: 'repeated', transferId: first.id, bodyHash: key.bodyHash };
    assert.deepEqual(await reserve(storage, accountId, 10n, { ...key, bodyHash: 'another' }), repeated);
    assert.deepEqual(await Promise.all([reserve(storage, accountId, 10n, key), reserve(storage, accountId, 20n)]), [
      repeated,
      { kind: 'reserved', left: 970n },
    ]);
    assert.deepEqual(await balances(storage, accountId), [970n, 30n]);
    const stranger = await funded(storage);
    assert.equal((await reserve(storage, stranger, 10n, key)).kind, 'reserved');
    assert.deepEqual(await checkLedger(storage), []);
  });

  test('a live key stays claimed beside a later one of the same moment', async (t) => {
    const { storage } = await open(t);
    const accountId = await funded(storage);
    const key = claim('k1', { route: '/withdraw' });
    const kept = key.expiresAt - NOW;
    assert.equal((await reserve(storage, accountId, 1n, key)).kind, 'reserved');
    const again = { ...key, expiresAt: key.expiresAt + kept - 1 };
    const later = claim('k2', { route: '/withdraw', expiresAt: key.expiresAt + kept + 1 });
    const outcomes = await Promise.all([
      reserve(storage, accountId, 1n, again),
      reserve(storage, accountId, 1n, later),
    ]);
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      ['repeated', 'reserved'],
    );
  });
});
