import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { lagMs } from '../../../core/chain/chain-reports.ts';
import { recordAgain } from '../../../core/deposits/reread-blocks.ts';
import type { RecordDeps } from '../../../core/deposits/owned-transfers.ts';
import { scanBlocks } from '../../../core/deposits/scan-blocks.ts';
import type { BlockRef, ChainAdapter, ChainState, DepositStore, ScannedRange, WatchList } from '../../../core/index.ts';

const block = (height: number, branch = 'a'): BlockRef => ({
  height,
  hash: `${height}${branch}`,
  parentHash: `${height - 1}${branch}`,
  time: height,
});

/** A chain whose blocks pay to these receivers, and how often it was scanned. */
function chainOf(receivers: readonly string[], branches: readonly string[] = ['a']) {
  let scans = 0;
  const scan = async (from: number, to: number, watch: WatchList): Promise<ScannedRange> => {
    const branch = branches[Math.min(scans, branches.length - 1)];
    scans += 1;
    const transfers = receivers.filter((key) => watch.has(key)).map((toKey) => ({ toKey }));
    return { blocks: [block(from, branch), block(to, branch)], transfers } as unknown as ScannedRange;
  };
  return { chain: { code: 'ETH', scan } as unknown as ChainAdapter, scans: () => scans };
}

const known = (keys: readonly string[]) =>
  ({
    owners: async (_chain: string, asked: readonly string[]) =>
      asked.filter((key) => keys.includes(key)).map((key) => ({ key })),
  }) as unknown as Pick<DepositStore, 'owners'>;

const watching = (keys: readonly string[]): WatchList => ({ has: (key) => keys.includes(key), nativeKeys: () => [] });

describe('a scan of blocks', () => {
  test('asks the chain once where only open orders were paid', async () => {
    const { chain, scans } = chainOf(['open', 'stranger']);
    const found = await scanBlocks(chain, known(['former']), [5, 6], watching(['open']));
    assert.deepEqual([found?.transfers.map(({ toKey }) => toKey), scans()], [['open'], 1]);
  });

  test('asks once more for addresses of former orders', async () => {
    const { chain, scans } = chainOf(['open', 'former']);
    const found = await scanBlocks(chain, known(['former']), [5, 6], watching(['open']));
    assert.deepEqual([found?.transfers.map(({ toKey }) => toKey), scans()], [['open', 'former'], 2]);
  });

  test('is no result when the chain changed between the two', async () => {
    const { chain } = chainOf(['former'], ['a', 'b']);
    assert.equal(await scanBlocks(chain, known(['former']), [5, 6], watching([])), null);
  });
});

describe('another reading of blocks', () => {
  const { chain } = chainOf([]);
  const scanned = { blocks: [block(5), block(6)], transfers: [] };
  const depsOf = (held: readonly string[]): RecordDeps =>
    ({
      clock: { now: () => 0 },
      storage: {
        deposits: known([]),
        transaction: (work: (tx: unknown) => unknown) =>
          work({ chains: { holds: async (_code: string, { hash }: BlockRef) => held.includes(hash) } }),
      },
    }) as unknown as RecordDeps;

  test('counts while its last block is one of the followed chain', async () => {
    assert.deepEqual(await recordAgain(chain, scanned, depsOf(['6a'])), []);
    assert.equal(await recordAgain(chain, scanned, depsOf(['5a', '6b'])), null);
  });

  test('stores nothing when it is not confirmed', async () => {
    assert.equal(await recordAgain(chain, scanned, depsOf(['6a']), { confirm: async () => false }), null);
  });
});

describe('how far a chain lags', () => {
  const lag = (state: Partial<ChainState>): number =>
    lagMs({ caughtUpAt: null, trouble: null, ...state } as ChainState, 100);
  const trouble = { since: 40 } as ChainState['trouble'];

  test('counts from when it was caught up, else from its first trouble', () => {
    assert.deepEqual(
      [lag({ caughtUpAt: 90 }), lag({ caughtUpAt: 90, trouble }), lag({ trouble }), lag({}), lag({ caughtUpAt: 101 })],
      [10, 10, 60, 0, 0],
    );
  });
});
