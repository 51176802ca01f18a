import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { keccak256, toBytes } from 'viem';
import { TRANSFER_TOPIC, matchLogs } from '../../../adapters/chains/evm/log-matching.ts';
import { isTillgateError } from '../../../core/index.ts';

const KEY = 'ab'.repeat(20);
const topic = (key: string): string => `0x${'0'.repeat(24)}${key}`;
const watch = { has: (key: string) => key === KEY };

describe('matching logs', () => {
  test('the topic is that of the standard’s event', () => {
    assert.equal(TRANSFER_TOPIC, keccak256(toBytes('Transfer(address,address,uint256)')));
  });

  test('finds watched recipients in either case and leaves senders alone', () => {
    const other = topic('cd'.repeat(20));
    const logs = [
      { topics: [TRANSFER_TOPIC, other, topic(KEY)] },
      { topics: [TRANSFER_TOPIC, topic(KEY), other] },
      { topics: [TRANSFER_TOPIC, other, topic(KEY.toUpperCase())] },
      { topics: [TRANSFER_TOPIC] },
      { topics: [] },
    ];
    assert.deepEqual(matchLogs(logs, watch), [logs[0], logs[2]]);
  });

  test('what is no list of logs is a failure of the node', () => {
    for (const bad of [
      null,
      {},
      'logs',
      [null],
      [1],
      [{}],
      [{ topics: 'x' }],
      [{ topics: [1, 2, 3] }],
      [{ topics: ['0x', '0x', '0x12'] }],
    ]) {
      assert.throws(
        () => matchLogs(bad, watch),
        (error: unknown) => isTillgateError(error, 'NODE_FAILED'),
        JSON.stringify(bad),
      );
    }
  });
});
