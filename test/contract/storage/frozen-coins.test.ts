import assert from 'node:assert/strict';
import { test } from 'node:test';
import { merchantAccount, reservationOf } from '../../../core/index.ts';
import type { AccountId, CoinPlace, NewHolding, PayoutId, Storage } from '../../../core/index.ts';
import { eachStorage } from '../../support/each-storage.ts';
import { entry, nextId, NOW } from './fixtures.ts';
import { held, holding, merchant, withdrawal } from './money-out-fixtures.ts';

const ids = { next: nextId };
const REASON = 'The network would revert the payment: blocked.';

/** A merchant with 1,000 units, of which 600 are at one address in two coins, and 400 at another. */
async function funded(
  storage: Storage,
): Promise<{ readonly accountId: AccountId; readonly at: CoinPlace; readonly coins: readonly NewHolding[] }> {
  const accountId = await merchant(storage);
  const postings = [
    { account: 'custody:ETH' as const, currency: 'ETH', units: -1_000n },
    { account: merchantAccount(accountId, 'available'), currency: 'ETH', units: 1_000n },
  ];
  await storage.transaction((tx) => tx.ledger.append(entry(accountId, `funds:${accountId}`, 0n, { postings })));
  const address = `0xfrozen${accountId}`;
  const coins = [
    { ...holding({ address, units: 500n }), accountId },
    { ...holding({ address, units: 100n }), accountId },
    { ...holding({ address: `0xother${accountId}`, units: 400n }), accountId },
  ];
  await held(storage, coins);
  return { accountId, at: { chain: 'ETH', address, currency: 'ETH' }, coins };
}

const refs = (coins: readonly { readonly ref: string }[]): readonly string[] => coins.map(({ ref }) => ref).sort();
const freeze = (storage: Storage, at: CoinPlace) =>
  storage.transaction((tx) => tx.transfers.freezeCoins(at, REASON, NOW));

eachStorage((_name, opened) => {
  test('fault 356: frozen coins are neither swept, taken nor expected, and thaw as they were', async (t) => {
    const { storage } = await opened(t);
    const { accountId, at, coins } = await funded(storage);
    const [a, b, other] = coins.map(({ ref }) => ref) as [string, string, string];
    const expected = await storage.transfers.expectedCustody('ETH');
    assert.deepEqual(refs(await freeze(storage, at)), [a, b].sort());
    assert.deepEqual(await freeze(storage, at), [], 'they are frozen once');
    const frozen = await storage.transfers.frozenCoins('ETH');
    assert.deepEqual(
      frozen.map(({ accountId: owner, units, reason, frozenAt }) => [owner, units, reason, frozenAt]),
      [500n, 100n].map((units) => [accountId, units, REASON, NOW]),
    );
    assert.deepEqual(refs(await storage.transfers.freeCoins('ETH', 'ETH', 9, { of: accountId })), [other]);
    assert.deepEqual(await storage.transfers.freeAt('ETH', at.address, 'ETH'), []);
    assert.ok((await storage.transfers.sweepCandidates('ETH', 9)).every(({ address }) => address !== at.address));
    assert.ok((await storage.transfers.holdings('ETH', null, 99)).every(({ address }) => address !== at.address));
    assert.equal((await storage.transfers.expectedCustody('ETH')).get('ETH'), (expected.get('ETH') ?? 0n) - 600n);
    const taken = await storage.transaction((tx) => tx.transfers.takeHoldings('ETH', [a], 'none' as PayoutId));
    assert.equal(taken, false);
    assert.deepEqual(refs(await storage.transaction((tx) => tx.transfers.thawCoins(at))), [a, b].sort());
    assert.deepEqual(refs(await storage.transfers.freeAt('ETH', at.address, 'ETH')), [a, b].sort());
    assert.deepEqual(await storage.transfers.expectedCustody('ETH'), expected);
  });

  test('fault 356: what arrives at a frozen address is frozen too, and what a reorganisation removes is not', async (t) => {
    const { storage } = await opened(t);
    const { at, coins } = await funded(storage);
    await freeze(storage, at);
    const later = holding({ address: at.address, units: 7n });
    await held(storage, [later]);
    assert.equal((await storage.transfers.frozenCoins('ETH')).length, 3);
    await storage.transaction((tx) => tx.transfers.dropHolding('ETH', later.ref));
    assert.equal((await storage.transfers.frozenCoins('ETH')).length, 2);
    const [first] = coins;
    assert.ok(first !== undefined);
    const dropped = await storage.transaction(async (tx) => [
      await tx.transfers.dropFrozen('ETH', first.ref),
      await tx.transfers.dropFrozen('ETH', first.ref),
    ]);
    assert.deepEqual(dropped, [true, false]);
  });

  test('fault 356: no more is reserved than an account has beside its frozen coins', async (t) => {
    const { storage } = await opened(t);
    const { accountId, at } = await funded(storage);
    await freeze(storage, at);
    const reserve = async (units: bigint) =>
      (await storage.transfers.reserve(reservationOf({ ...withdrawal(accountId, { units }), accountId }, ids, null)))
        .kind;
    assert.deepEqual([await reserve(401n), await reserve(400n), await reserve(1n)], ['lacking', 'reserved', 'lacking']);
    assert.deepEqual(await storage.transfers.ownerCover('ETH', accountId, 'ETH'), { owed: 1_000n, frozen: 600n });
    assert.equal(await storage.transaction((tx) => tx.transfers.frozenUnits(accountId, 'ETH')), 600n);
    assert.equal(await storage.transaction((tx) => tx.transfers.frozenUnits(null, 'ETH')), 0n);
  });

  test('fault 357: a currency has one stop for each cause, which its own check ends', async (t) => {
    const { storage } = await opened(t);
    const { transfers } = storage;
    const stop = { currency: 'DAI-ERC20', cause: 'refused', reason: 'blocked', at: NOW } as const;
    assert.equal(await transfers.stopCurrency('ETH', stop), true);
    assert.equal(await transfers.stopCurrency('ETH', { ...stop, reason: 'paused', at: NOW + 1 }), false);
    assert.equal(await transfers.stopCurrency('ETH', { ...stop, cause: 'short' }), true);
    assert.deepEqual(await transfers.currencyStops('ETH'), [
      { ...stop, reason: 'paused' },
      { ...stop, cause: 'short' },
    ]);
    assert.deepEqual(await transfers.currencyStops('BSC'), []);
    assert.deepEqual(
      [await transfers.resumeCurrency('ETH', stop), await transfers.resumeCurrency('ETH', stop)],
      [true, false],
    );
    assert.equal((await transfers.currencyStops('ETH')).length, 1);
  });
});
