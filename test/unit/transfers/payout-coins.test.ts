import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { coinsFor } from '../../../core/payouts/payout-coins.ts';
import type { AccountId, SpendableCoin, Storage } from '../../../core/index.ts';

const OWN = 7 as unknown as AccountId;
const OTHER = 8 as unknown as AccountId;
const LIMIT = 3;

type Owner = AccountId | null;
type Coin = readonly [owner: Owner, units: bigint];

/** Coins that may pay `units` for an account, as their amounts: those that have to be spent, and those to choose from. */
async function found(
  coins: readonly Coin[],
  need: { readonly units: bigint; readonly accountId?: Owner },
  { ahead = 0n, takenBy = [] }: { readonly ahead?: bigint; readonly takenBy?: readonly Owner[] } = {},
): Promise<unknown> {
  const transfers: Pick<Storage['transfers'], 'freeCoins' | 'hasTakenCoins'> = {
    freeCoins: async (_chain, _currency, limit, whose) =>
      coins
        .filter(([owner]) =>
          whose === undefined ? true : 'of' in whose ? owner === whose.of : owner !== null && owner !== whose.notOf,
        )
        .slice(0, limit)
        .map(([, units], n) => ({ ref: `${n}:0`, address: 'a', index: 1, units })),
    hasTakenCoins: async (_chain, _currency, owner) => takenBy.includes(owner),
  };
  const result = await coinsFor(
    { code: 'BTC', payments: { maxCoins: LIMIT } } as unknown as Parameters<typeof coinsFor>[0],
    { transfers: transfers as Storage['transfers'] },
    { currency: 'BTC', accountId: OWN, ...need },
    async () => ahead,
  );
  const amounts = (list: readonly SpendableCoin[]): readonly bigint[] => list.map(({ units }) => units);
  return result.kind === 'enough' ? [amounts(result.required), amounts(result.coins)] : result;
}

const own = (...units: readonly bigint[]): readonly Coin[] => units.map((each) => [OWN, each]);
const nobodys = (...units: readonly bigint[]): readonly Coin[] => units.map((each) => [null, each]);
const others = (...units: readonly bigint[]): readonly Coin[] => units.map((each) => [OTHER, each]);

describe('the coins that may pay for an account', () => {
  test('are its own alone when these suffice to the unit', async () => {
    const coins = [...own(5n, 4n), ...nobodys(9n), ...others(9n)];
    assert.deepEqual(await found(coins, { units: 9n }), [[], [5n, 4n]]);
  });

  test('are all of its own and coins of nobody when it lacks one unit, while it has coins in flight too', async () => {
    const coins = [...own(5n, 4n), ...nobodys(1n), ...others(9n)];
    assert.deepEqual(await found(coins, { units: 10n }, { takenBy: [OWN] }), [[5n, 4n], [1n]]);
  });

  test('are never more than one transaction spends, of all owners together', async () => {
    assert.deepEqual(await found([...own(5n, 4n), ...nobodys(1n, 1n)], { units: 11n }), { kind: 'unconfirmed' });
    assert.deepEqual(await found([...own(5n), ...nobodys(1n, 1n)], { units: 7n }), [[5n], [1n, 1n]]);
  });

  test('of its own, those that one transaction spends: what more there is has to be put together first', async () => {
    const coins = [...own(5n, 4n, 3n, 2n), ...nobodys(9n)];
    assert.deepEqual(await found(coins, { units: 12n }), [[], [5n, 4n, 3n]]);
    assert.deepEqual(await found(coins, { units: 13n }), { kind: 'too-many', units: 12n });
  });

  test('exactly as many as one transaction spends leave no place for others’ coins', async () => {
    assert.deepEqual(await found([...own(5n, 4n, 3n), ...nobodys(9n)], { units: 13n }), {
      kind: 'too-many',
      units: 12n,
    });
  });

  test('are those that its payments before this one leave, largest first', async () => {
    const coins = own(5n, 4n, 3n, 2n, 1n);
    assert.deepEqual(await found(coins, { units: 6n }, { ahead: 5n }), [[], [4n, 3n, 2n]]);
    assert.deepEqual(await found(coins, { units: 6n }, { ahead: 6n }), [[], [3n, 2n, 1n]]);
    assert.deepEqual(await found(coins, { units: 1n }, { ahead: 1n }), [[], [4n, 3n, 2n]]);
    assert.deepEqual(await found(coins, { units: 1n }, { ahead: 99n }), { kind: 'unconfirmed' });
  });

  test('are all of its own where they are few, whatever is paid before', async () => {
    assert.deepEqual(await found(own(5n, 4n, 3n), { units: 12n }, { ahead: 5n }), [[], [5n, 4n, 3n]]);
  });

  test('are another account’s only while none of its own and none of nobody suffices or is in flight', async () => {
    const coins = [...own(5n), ...nobodys(1n), ...others(3n, 2n)];
    assert.deepEqual(await found(coins, { units: 8n }, { takenBy: [OWN] }), { kind: 'unconfirmed' });
    assert.deepEqual(await found(coins, { units: 8n }, { takenBy: [OTHER, null] }), [[5n], [3n, 2n]]);
    assert.deepEqual(await found(coins, { units: 11n }), { kind: 'unconfirmed' });
  });

  test('for the till’s own payment are nobody’s, and an account’s only while none of nobody’s is in flight', async () => {
    const need = { units: 6n, accountId: null };
    assert.deepEqual(await found([...nobodys(6n), ...others(9n)], need), [[], [6n]]);
    assert.deepEqual(await found([...nobodys(5n), ...others(9n)], need), [[5n], [9n]]);
    assert.deepEqual(await found([...nobodys(5n), ...others(9n)], need, { takenBy: [null] }), { kind: 'unconfirmed' });
  });
});
