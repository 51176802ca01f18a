import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deriveInTurns } from '../../../adapters/chains/derive-addresses.ts';
import { isTillgateError } from '../../../core/index.ts';

const made = (index: number): { address: string; key: string } => ({ address: `a${index}`, key: `k${index}` });

test('other work of the process gets its turns while many addresses are derived', async () => {
  const turns: number[] = [];
  let derived = 0;
  const other = (): void => {
    turns.push(derived);
    if (derived < 100) setImmediate(other);
  };
  setImmediate(other);
  const all = await deriveInTurns('ETH', [5, 100], (index) => {
    derived += 1;
    return made(index);
  });
  assert.deepEqual(
    all,
    Array.from({ length: 100 }, (_, n) => ({ index: n + 5, ...made(n + 5) })),
  );
  assert.ok(turns.length > 5, turns.join());
});

test('an account has no addresses below the first index and beyond the last', async () => {
  const refused = (first: number, count: number): Promise<void> =>
    assert.rejects(deriveInTurns('ETH', [first, count], made), (error) => isTillgateError(error, 'CONFIG_INVALID'));
  await refused(-1, 1);
  await refused(0x7fffffff, 2);
  assert.equal((await deriveInTurns('ETH', [0x7fffffff, 1], made)).length, 1);
});
