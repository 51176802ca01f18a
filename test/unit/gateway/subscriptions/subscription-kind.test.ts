import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  logMatcher,
  logsOfBlock,
  readHeader,
  readLogs,
  readSharedKind,
  removedText,
  unionOf,
} from '../../../../core/index.ts';
import type { LogFilter, SharedKind } from '../../../../core/index.ts';

const address = (digit: string): string => `0x${digit.repeat(40)}`;
const word = (digit: string): string => `0x${digit.repeat(64)}`;
const keyOf = (...params: unknown[]): string | null => readSharedKind(params)?.key ?? null;

describe('the kinds of subscriptions that are shared', () => {
  const equal: readonly (readonly [readonly unknown[], readonly unknown[]])[] = [
    [['newHeads'], ['newHeads', null]],
    [['newPendingTransactions'], ['newPendingTransactions', false]],
    [['logs'], ['logs', {}]],
    [
      ['logs', {}],
      ['logs', { address: null, topics: null }],
    ],
    [
      ['logs', {}],
      ['logs', { address: [], topics: [] }],
    ],
    [
      ['logs', { address: address('a') }],
      ['logs', { address: [address('A'), address('a')], topics: [] }],
    ],
    [
      ['logs', { address: [address('b'), address('a')] }],
      ['logs', { address: [address('a'), address('b')] }],
    ],
    [
      ['logs', { topics: [word('a'), null, [word('b'), word('c')]] }],
      ['logs', { topics: [[word('A')], [], [word('c'), word('b'), word('c')]] }],
    ],
    [
      ['logs', { topics: [null] }],
      ['logs', { topics: [[word('a'), null]] }],
    ],
  ];
  for (const [one, other] of equal)
    it(`${JSON.stringify(one)} is ${JSON.stringify(other)}`.slice(0, 120), () => {
      assert.notEqual(keyOf(...one), null);
      assert.equal(keyOf(...one), keyOf(...other));
    });

  it('others are different', () => {
    const keys = [
      keyOf('newHeads'),
      keyOf('newPendingTransactions'),
      keyOf('newPendingTransactions', true),
      keyOf('logs'),
      keyOf('logs', { topics: [null] }),
      keyOf('logs', { address: address('a') }),
      keyOf('logs', { topics: [word('a')] }),
      keyOf('logs', { topics: [null, word('a')] }),
    ];
    assert.equal(new Set(keys).size, keys.length);
    assert(!keys.includes(null));
  });

  it('what only a node can judge is not shared', () => {
    const params: readonly unknown[] = [
      null,
      {},
      [],
      ['syncing'],
      ['newheads'],
      ['newHeads', {}],
      ['newHeads', null, 1],
      ['newPendingTransactions', 'true'],
      ['logs', []],
      ['logs', 'x'],
      ['logs', { address: '0x1' }],
      ['logs', { address: 5 }],
      ['logs', { fromBlock: 'latest' }],
      ['logs', { Address: address('a') }],
      ['logs', { topics: word('a') }],
      ['logs', { topics: [word('a'), 1] }],
      ['logs', { topics: [[null, 'x']] }],
      ['logs', { topics: [null, null, null, null, null] }],
      ['logs', { topics: [Array.from({ length: 1001 }, () => word('a'))] }],
      ['logs', { address: Array.from({ length: 1001 }, () => address('a')) }],
    ];
    for (const each of params) assert.equal(readSharedKind(each), null, JSON.stringify(each).slice(0, 80));
  });
});

const filterOf = (value: unknown): LogFilter => {
  const kind = readSharedKind(['logs', value]) as SharedKind & { readonly kind: 'logs' };
  return kind.filter;
};

describe('a filter of logs', () => {
  const log = { address: address('a'), topics: [word('1'), word('2')] };
  const matches: readonly (readonly [unknown, boolean])[] = [
    [{}, true],
    [{ address: address('A') }, true],
    [{ address: [address('b'), address('a')] }, true],
    [{ address: address('b') }, false],
    [{ topics: [word('1')] }, true],
    [{ topics: [word('2')] }, false],
    [{ topics: [null, word('2')] }, true],
    [{ topics: [null, [word('3'), word('2')]] }, true],
    [{ topics: [null, null] }, true],
    [{ topics: [null, null, null] }, false],
    [{ address: address('b'), topics: [word('1')] }, false],
  ];
  for (const [filter, expected] of matches)
    it(`${JSON.stringify(filter).slice(0, 100)} ${expected ? 'has' : 'does not have'} the log`, () => {
      assert.equal(logMatcher(filterOf(filter))(log), expected);
    });

  it('one for all of several asks for no more than their addresses', () => {
    const [a, b] = [
      filterOf({ address: address('a'), topics: [word('1'), null] }),
      filterOf({ address: address('b') }),
    ];
    assert.deepEqual(logsOfBlock(unionOf([a]), word('9')), {
      blockHash: word('9'),
      address: [address('a')],
      topics: [[word('1')], null],
    });
    assert.deepEqual(logsOfBlock(unionOf([b, a]), word('9')), {
      blockHash: word('9'),
      address: [address('a'), address('b')],
    });
    assert.deepEqual(logsOfBlock(unionOf([b, filterOf({ topics: [word('1')] })]), word('9')), { blockHash: word('9') });
  });
});

describe('what a node says of a block', () => {
  const header = { number: '0x10', hash: word('A'), parentHash: word('b'), gasUsed: '0x1' };

  it('is its header alone, whether announced or asked for', () => {
    const whole = {
      ...header,
      transactions: [word('c')],
      uncles: [],
      size: '0x1',
      withdrawals: [],
      totalDifficulty: '0x0',
    };
    assert.deepEqual(readHeader(whole), readHeader(header));
    const { text, ...rest } = readHeader(header)!;
    assert.deepEqual(rest, { number: 16, hash: word('a'), parentHash: word('b') });
    assert.deepEqual(JSON.parse(text), header);
  });

  it('fault 427: is nothing where it is malformed, or too large', () => {
    for (const wrong of [
      null,
      'x',
      [],
      { ...header, number: 16 },
      { ...header, number: '0x010' },
      { ...header, hash: '0x1' },
      { ...header, parentHash: null },
      { ...header, extraData: 'x'.repeat(64 * 1024) },
    ])
      assert.equal(readHeader(wrong), null);
  });

  it('fault 427: logs are those of the block alone', () => {
    const log = { address: address('A'), topics: [word('B')], blockHash: word('C'), data: '0x', removed: true };
    const [read] = readLogs([log], word('c'))!;
    assert.deepEqual([read?.address, read?.topics], [address('a'), [word('b')]]);
    assert.deepEqual(JSON.parse(read!.text), { ...log, removed: false });
    assert.deepEqual(JSON.parse(removedText(read!)), log);
    for (const wrong of [
      null,
      {},
      [null],
      [{ ...log, blockHash: word('d') }],
      [{ ...log, topics: [1] }],
      [{ ...log, address: 1 }],
    ])
      assert.equal(readLogs(wrong, word('c')), null);
  });
});
