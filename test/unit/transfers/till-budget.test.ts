import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { floatLacking, TillBudget } from '../../../core/payouts/till-budget.ts';
import type { PayingChain, Storage, Transfer } from '../../../core/index.ts';

const HOT = '0xhot';
const payments = { hotAddress: HOT, feeAsset: { currency: 'ETH', decimals: 2 } };
const chain = { code: 'ETH', payments } as unknown as PayingChain;

type Live = Awaited<ReturnType<Storage['transfers']['live']>>[number];
type InFlight = Awaited<ReturnType<Storage['transfers']['inFlight']>>[number];

/** The till's own accounts and its transfers; nothing unless given. */
interface Books {
  readonly fees?: bigint;
  readonly loss?: bigint;
  readonly operator?: bigint;
  readonly gas?: bigint;
  readonly live?: readonly Partial<Live>[];
  readonly inFlight?: readonly Partial<InFlight>[];
  readonly budget?: string;
}

function opened({ live = [], inFlight = [], budget, ...accounts }: Books): Promise<TillBudget> {
  const units: Readonly<Record<string, bigint | undefined>> = {
    'fees:network': accounts.fees,
    'loss:reorganisation': accounts.loss,
    'operator:ETH': accounts.operator,
    'gas:ETH': accounts.gas,
  };
  const storage = {
    transfers: {
      position: (_chain: string, names: readonly string[]) =>
        Promise.resolve({
          balances: names.map((account) => ({ account, currency: 'ETH', units: units[account] ?? 0n })),
          live: live.map((each) => ({
            currency: 'ETH',
            isMerchants: true,
            units: 0n,
            feeUnits: 0n,
            maxFeeUnits: 0n,
            ...each,
          })),
          inFlight: inFlight.map((each) => ({ sourceAddress: HOT, currency: 'ETH', units: 0n, ...each })),
        }),
    },
  } as unknown as Storage;
  return TillBudget.open(chain, storage, budget === undefined ? undefined : new Map([['ETH', budget]]));
}

const waiting = (maxFeeUnits: bigint): Partial<Live> => ({ kind: 'withdrawal', status: 'REQUESTED', maxFeeUnits });
const charged = (feeUnits: bigint, maxFeeUnits: bigint) => ({ feeUnits, maxFeeUnits }) as Transfer;

describe('what the till may spend of its own', () => {
  test('is the sum of its accounts, to the unit', async () => {
    const budget = await opened({ fees: 50n, loss: -8n, operator: 30n, gas: -12n });
    assert.equal(budget.covers(60n), true);
    assert.equal(budget.covers(61n), false);
    assert.deepEqual([budget.lacking(60n), budget.lacking(61n)], [0n, 1n]);
  });

  test('is less by what signed transactions may cost, and more by the fees that signed payments are charged', async () => {
    const budget = await opened({
      fees: 100n,
      live: [
        { kind: 'withdrawal', status: 'BROADCAST', feeUnits: 7n },
        { kind: 'withdrawal', status: 'SIGNED', feeUnits: 2n, currency: 'USDT' },
        { kind: 'gas', status: 'SIGNED', isMerchants: false, units: 20n, feeUnits: 1n },
        { kind: 'gas', status: 'REQUESTED', isMerchants: false, units: 999n },
        { kind: 'refund', status: 'HELD', feeUnits: 999n },
      ],
      inFlight: [{ nativeFeeUnits: 5n }, { currency: 'USDT', nativeFeeUnits: 3n }],
    });
    assert.equal(budget.lacking(79n), 0n);
    assert.equal(budget.lacking(80n), 1n);
  });

  test('does not count the gas of a token’s sweep again, which lies at its address, but that of a coin’s sweep', async () => {
    const budget = await opened({
      fees: 100n,
      inFlight: [
        { sourceAddress: '0xdeposit', currency: 'USDT', nativeFeeUnits: 50n },
        { sourceAddress: '0xdeposit', currency: 'ETH', nativeFeeUnits: 4n },
      ],
    });
    assert.deepEqual([budget.lacking(96n), budget.lacking(97n)], [0n, 1n]);
  });

  test('ends at the limit of the network’s fees, whatever the operator’s float', async () => {
    const budget = await opened({ fees: -30n, operator: 1_000n, budget: '0.50', inFlight: [{ nativeFeeUnits: 5n }] });
    assert.deepEqual([budget.covers(15n), budget.covers(16n)], [true, false]);
    budget.spend(5n);
    assert.deepEqual([budget.covers(10n), budget.covers(11n)], [true, false]);
    assert.match(floatLacking(chain, budget, 11n), /reached the limit of the setting sweeps\.feeBudget\.ETH/);
  });

  test('goes down with each cost, and up with each fee', async () => {
    const budget = await opened({ operator: 20n });
    budget.spend(15n);
    assert.deepEqual([budget.covers(5n), budget.covers(6n)], [true, false]);
    budget.spend(-4n);
    assert.deepEqual([budget.covers(9n), budget.covers(10n)], [true, false]);
    assert.match(floatLacking(chain, budget, 12n), /send at least 0\.03 ETH to 0xhot/);
  });
});

describe('what waiting payments are charged for sweeps', () => {
  test('is nothing while the till’s fees are not below zero, whatever the float', async () => {
    assert.equal((await opened({ fees: 0n })).deficit, 0n);
    assert.equal((await opened({ fees: 5n })).deficit, 0n);
    assert.equal((await opened({ fees: 5n })).sweepCharge(charged(50n, 100n), 10n), 0n);
  });

  test('is what the fees are below zero, less the float that no loss uses up', async () => {
    assert.equal((await opened({ fees: -9n, gas: -1n })).deficit, 10n);
    assert.equal((await opened({ fees: -9n, operator: 5n, loss: -2n })).deficit, 6n);
    assert.equal((await opened({ fees: -9n, operator: 5n, loss: -6n })).deficit, 9n);
  });

  test('for a sweep that is planned is at most half of what all of them may be charged', async () => {
    const budget = await opened({
      fees: -10n,
      live: [waiting(60n), waiting(40n), { ...waiting(99n), status: 'HELD' }],
    });
    assert.deepEqual([budget.canAdvance(40n), budget.canAdvance(41n)], [true, false]);
    budget.advance(15n);
    assert.deepEqual([budget.canAdvance(25n), budget.canAdvance(26n)], [true, false]);
    budget.settle(charged(0n, 40n));
    assert.deepEqual([budget.canAdvance(5n), budget.canAdvance(6n)], [true, false]);
  });

  test('is as much as a payment was told beyond its own fee, where that much is missing', async () => {
    const budget = await opened({ fees: -30n, live: [waiting(100n), waiting(100n)] });
    assert.equal(budget.sweepCharge(charged(50n, 100n), 20n), 30n);
    assert.equal(budget.sweepCharge(charged(60n, 100n), 20n), 30n);
    assert.equal(budget.sweepCharge(charged(49n, 100n), 20n), 29n);
    assert.equal(budget.sweepCharge(charged(10n, 100n), 20n), 0n);
  });

  test('beyond that is only what no other payment that waits can pay', async () => {
    const budget = await opened({ fees: -70n, live: [waiting(100n), waiting(40n)] });
    assert.equal(budget.sweepCharge(charged(30n, 100n), 20n), 50n);
    assert.equal(budget.sweepCharge(charged(60n, 100n), 20n), 50n);
    assert.equal(budget.sweepCharge(charged(20n, 40n), 20n), 20n);
    budget.settle(charged(0n, 100n));
    assert.equal(budget.sweepCharge(charged(20n, 40n), 20n), 70n);
  });
});
