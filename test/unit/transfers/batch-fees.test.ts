import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { BUILT_IN_ASSETS, present, TillgateError } from '../../../core/index.ts';
import type { AccountId, ChainRegistry } from '../../../core/index.ts';
import { estimateRows, feesOf } from '../../../core/payouts/batch-fees.ts';
import type { PayoutFeeEstimator } from '../../../core/payouts/fee-estimator.ts';

const ETH = present(
  BUILT_IN_ASSETS.find(({ currency }) => currency === 'ETH'),
  'ETH',
);
const FEES = { feeUnits: 10n, maxFeeUnits: 20n };
const chains = { get: () => ({ payments: { dust: () => 5n } }) } as unknown as ChainRegistry;
const ACCOUNT = '1' as AccountId;
const row = (toAddress: string, units: bigint) => ({ toAddress, units });

/** An estimator that refuses some receivers, and the payments that it was asked about. */
function estimator(refuse: (to: string) => Error | null) {
  const asked: (readonly (readonly [string, bigint])[])[] = [];
  const estimateTogether: PayoutFeeEstimator['estimateTogether'] = (_chain, _asset, list) => {
    asked.push(list.map(({ to, units }) => [to, units]));
    const error = refuse(list[0]?.to ?? '');
    return error === null ? Promise.resolve(FEES) : Promise.reject(error);
  };
  return { asked, deps: { chains, fees: { estimateTogether } as unknown as PayoutFeeEstimator } };
}
const unpayable = (to: string): Error => new TillgateError('DESTINATION_UNPAYABLE', `${to} refuses payments.`);

describe('the fees of the rows of a batch', () => {
  test('are priced by the largest payments', async () => {
    const { asked, deps } = estimator(() => null);
    const rows = [row('b', 2n), row('a', 1n), row('d', 4n), row('c', 3n), row('same', 3n)];
    assert.deepEqual(await estimateRows(deps, ETH, ACCOUNT, rows), { estimate: FEES, dust: 5n, unpayable: [] });
    assert.deepEqual(asked, [
      [
        ['d', 4n],
        ['c', 3n],
        ['same', 3n],
        ['b', 2n],
        ['a', 1n],
      ],
    ]);
  });

  test('leave out receivers that cannot be paid, and name them', async () => {
    const { asked, deps } = estimator((to) => (to === 'b' ? null : unpayable(to)));
    const found = await estimateRows(deps, ETH, ACCOUNT, [row('a', 1n), row('b', 2n), row('c', 3n)]);
    assert.deepEqual(found, {
      ...{ estimate: FEES, dust: 5n },
      unpayable: [{ toAddress: 'c', reason: 'c refuses payments.' }],
    });
    assert.deepEqual(asked.at(-1), [
      ['b', 2n],
      ['a', 1n],
    ]);
  });

  test('are unknown when the three largest cannot be paid', async () => {
    const { asked, deps } = estimator(unpayable);
    const found = await estimateRows(
      deps,
      ETH,
      ACCOUNT,
      [1n, 2n, 3n, 4n].map((units) => row(`to-${units}`, units)),
    );
    assert.equal(found.estimate, null);
    assert.deepEqual(
      found.unpayable.map(({ toAddress }) => toAddress),
      ['to-4', 'to-3', 'to-2'],
    );
    assert.equal(asked.length, 3);
  });

  test('are not hidden by another error', async () => {
    const { deps } = estimator(() => new TillgateError('NODE_FAILED', 'The node does not answer.'));
    await assert.rejects(estimateRows(deps, ETH, ACCOUNT, [row('a', 1n)]), /does not answer/);
  });

  test('leave each receiver at least the smallest amount of the network', () => {
    const cases: readonly (readonly [units: bigint, fees: ReturnType<typeof feesOf>])[] = [
      [100n, FEES],
      [25n, FEES],
      [24n, { feeUnits: 10n, maxFeeUnits: 19n }],
      [15n, { feeUnits: 10n, maxFeeUnits: 10n }],
      [14n, null],
    ];
    for (const [units, fees] of cases) assert.deepEqual(feesOf(FEES, units, 5n), fees, `${units}`);
  });
});
