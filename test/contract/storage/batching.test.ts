import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { GroupCommit } from '../../../adapters/storage/knex/group-commit.ts';
import { BatchLoader } from '../../../adapters/storage/knex/batch-loader.ts';
import { TillgateError } from '../../../core/index.ts';
import { waitFor } from '../../support/wait.ts';

/** A commit that the test ends. */
function held<I>() {
  const batches: { items: readonly I[]; end: (error?: Error) => void }[] = [];
  const commit = (items: readonly I[]): Promise<readonly string[]> =>
    new Promise((resolve, reject) => {
      batches.push({
        items,
        end: (error) => (error === undefined ? resolve(items.map((item) => `done ${String(item)}`)) : reject(error)),
      });
    });
  return { batches, commit };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const options = { maxSize: 3, atOnce: 1, keysOf: () => [] };

describe('group commit', () => {
  test('what comes while a batch is being committed goes together into the next, up to the limit', async () => {
    const { batches, commit } = held<number>();
    const group = new GroupCommit<number, string>({ ...options, commit });
    const first = group.add(1);
    await turn();
    const rest = [2, 3, 4, 5].map((n) => group.add(n));
    await turn();
    assert.deepEqual(
      batches.map(({ items }) => items),
      [[1]],
    );
    batches[0]!.end();
    assert.equal(await first, 'done 1');
    await waitFor(() => batches.length === 2);
    batches[1]!.end();
    assert.deepEqual(await Promise.all(rest.slice(0, 3)), ['done 2', 'done 3', 'done 4']);
    await waitFor(() => batches.length === 3);
    batches[2]!.end();
    assert.equal(await rest[3], 'done 5');
  });

  test('nothing is answered before its batch is committed', async () => {
    const { batches, commit } = held<number>();
    const group = new GroupCommit<number, string>({ ...options, commit });
    let answered = false;
    const adding = group.add(1).then(() => (answered = true));
    await turn();
    await turn();
    assert.equal(answered, false);
    batches[0]!.end();
    await adding;
  });

  test('two items of one key never share a batch, and keep their order', async () => {
    const { batches, commit } = held<string>();
    const group = new GroupCommit<string, string>({
      ...options,
      commit,
      keysOf: (item) => [null, item.startsWith('k') ? 'k' : null],
    });
    const all = Promise.all(['k1', 'k2', 'x', 'k3'].map((item) => group.add(item)));
    for (let n = 0; n < 3; n++) {
      await waitFor(() => batches.length === n + 1);
      batches[n]!.end();
    }
    await all;
    assert.deepEqual(
      batches.map(({ items }) => items),
      [['k1', 'x'], ['k2'], ['k3']],
    );
  });

  test('as many batches run at once as are allowed', async () => {
    const { batches, commit } = held<number>();
    const group = new GroupCommit<number, string>({ ...options, atOnce: 2, maxSize: 1, commit });
    const all = Promise.all([1, 2, 3].map((n) => group.add(n)));
    await waitFor(() => batches.length === 2);
    await turn();
    assert.equal(batches.length, 2);
    batches[1]!.end();
    await waitFor(() => batches.length === 3);
    for (const { end } of batches) end();
    await all;
  });

  test('after a failed batch each item is tried alone; a database that is away fails all at once', async () => {
    const tried: (readonly number[])[] = [];
    const commit = async (items: readonly number[]): Promise<readonly string[]> => {
      tried.push(items);
      if (items.includes(2)) throw new Error('two is bad');
      if (items.includes(9)) throw new TillgateError('NOT_READY', 'away');
      return items.map(String);
    };
    const group = new GroupCommit<number, string>({ ...options, commit });
    const mixed = await Promise.allSettled([1, 2, 3].map((n) => group.add(n)));
    assert.deepEqual(
      mixed.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    assert.deepEqual(tried, [[1, 2, 3], [1], [2], [3]]);
    const away = await Promise.allSettled([8, 9].map((n) => group.add(n)));
    assert.deepEqual(
      away.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    assert.deepEqual(tried.at(-1), [8, 9]);
  });
});

describe('look-ups that wait together', () => {
  test('one query answers all of one turn, each key asked for once, the next turn asks again', async () => {
    const asked: (readonly string[])[] = [];
    const loader = new BatchLoader<string>(async (keys) => {
      asked.push(keys);
      return new Map(keys.filter((key) => key !== 'none').map((key) => [key, `value of ${key}`]));
    });
    assert.deepEqual(await Promise.all(['a', 'b', 'a', 'none'].map((key) => loader.get(key))), [
      'value of a',
      'value of b',
      'value of a',
      null,
    ]);
    assert.equal(await loader.get('a'), 'value of a');
    assert.deepEqual(asked, [['a', 'b', 'none'], ['a']]);
  });

  test('a call made while a query is on its way is not answered by it', async () => {
    const answers: ((found: ReadonlyMap<string, string>) => void)[] = [];
    const loader = new BatchLoader<string>(() => new Promise((resolve) => answers.push(resolve)));
    const before = loader.get('a');
    await turn();
    const after = loader.get('a');
    await turn();
    answers[0]!(new Map([['a', 'old']]));
    answers[1]!(new Map([['a', 'new']]));
    assert.deepEqual([await before, await after], ['old', 'new']);
  });

  test('a query carries a limited number of keys, and its failure is the failure of those calls', async () => {
    let calls = 0;
    const loader = new BatchLoader<string>(async (keys) => {
      calls += 1;
      if (keys.includes('bad')) throw new Error('refused');
      return new Map();
    }, 2);
    const results = await Promise.allSettled(['a', 'b', 'bad', 'c', 'd'].map((key) => loader.get(key)));
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'rejected', 'rejected', 'fulfilled'],
    );
    assert.equal(calls, 3);
  });
});
