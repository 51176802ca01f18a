import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { checkLogsRange, repeatsMember } from '../../../core/index.ts';

const HASH = `0x${'ab'.repeat(32)}`;
const LIMIT = 100;
const end = { head: 1000, finalityBlocks: 64 };

describe('fault 153: the range of eth_getLogs', () => {
  for (const [filter, expected] of [
    [{ fromBlock: '0x1', toBlock: '0x64' }, null],
    [{ fromBlock: '0x1', toBlock: '0x65' }, 'range_too_large'],
    [{ fromBlock: '0x65', toBlock: '0x1' }, null],
    [{}, null],
    [{ fromBlock: null }, null],
    [{ fromBlock: 'earliest', toBlock: 'earliest' }, null],
    [{ fromBlock: 'earliest' }, 'range_too_large'],
    [{ fromBlock: 'earliest', toBlock: '0x63' }, null],
    [{ fromBlock: 'earliest', toBlock: '0x64' }, 'range_too_large'],
    [{ fromBlock: '0x385' }, null],
    [{ fromBlock: '0x384' }, 'range_too_large'],
    [{ fromBlock: '0x384', toBlock: 'pending' }, 'range_too_large'],
    [{ fromBlock: '0x384', toBlock: 'finalized' }, 'range_too_large'],
    [{ fromBlock: 'finalized', toBlock: 'latest' }, null],
    [{ fromBlock: 'safe', toBlock: '0x415' }, 'range_too_large'],
    [{ fromBlock: 'latest', toBlock: '0xffff' }, 'range_too_large'],
    [{ blockHash: HASH }, null],
    [{ blockHash: HASH, fromBlock: '0x1', toBlock: '0x65' }, 'bad_request'],
    [{ fromBlock: '0x1', toBlock: '0x2', TOBLOCK: '0xffff' }, 'bad_request'],
    [{ FROMBLOCK: '0x1', TOBLOCK: '0x2' }, 'bad_request'],
    [{ fromBlocK: '0x1', toBlock: '0x2' }, 'bad_request'],
    [{ fromBlock: '0x1', toBlock: '0x2', until: '0xffff' }, 'bad_request'],
    [{ fromBlock: 1, toBlock: '0xffff' }, 'bad_request'],
    [{ fromBlock: '1', toBlock: '0xffff' }, 'bad_request'],
    [{ fromBlock: '0x01', toBlock: '0xffff' }, 'bad_request'],
    [{ fromBlock: 'Latest', toBlock: '0xffff' }, 'bad_request'],
    [{ fromBlock: { blockNumber: '0x1' }, toBlock: '0xffff' }, 'bad_request'],
    [[], 'bad_request'],
    [null, 'bad_request'],
    ['0x1', 'bad_request'],
  ] as const)
    test(`${JSON.stringify(filter)}: ${expected ?? 'passes'}`, () => {
      const refusal = checkLogsRange('eth_getLogs', [filter], LIMIT, end);
      assert.equal(refusal?.reason ?? null, expected);
      if (expected === 'range_too_large') {
        assert.equal(refusal?.rpcCode, -32005);
        assert.match(refusal?.message ?? '', /at most 100 blocks/);
      }
    });

  test('a filter that is read later counts too, and so does a name in another case; no other method does', () => {
    const wide = [{ fromBlock: '0x0', toBlock: '0xffff' }];
    assert.equal(checkLogsRange('eth_newFilter', wide, LIMIT, end)?.reason, 'range_too_large');
    assert.equal(checkLogsRange('ETH_GETLOGS', wide, LIMIT, end)?.reason, 'range_too_large');
    assert.equal(checkLogsRange('eth_call', wide, LIMIT, end), null);
    for (const params of [undefined, {}, 'x'])
      assert.equal(checkLogsRange('eth_getLogs', params, LIMIT, end)?.reason, 'bad_request');
  });

  test('while the head is not known, a range needs numbers', () => {
    const unknown = { ...end, head: null };
    const check = (filter: object) => checkLogsRange('eth_getLogs', [filter], LIMIT, unknown)?.reason ?? null;
    assert.equal(check({ fromBlock: '0x1', toBlock: '0x2' }), null);
    assert.equal(check({ fromBlock: 'latest', toBlock: 'latest' }), null);
    assert.equal(check({ fromBlock: '0x1' }), 'range_too_large');
  });
});

describe('a member that is there twice', () => {
  for (const [text, expected] of [
    ['{"a":1,"b":2}', false],
    ['{"a":1,"a":2}', true],
    ['[{"a":1},{"a":2}]', false],
    ['{"a":{"a":{"a":1}}}', false],
    ['{"a":[{"b":1},"a","a"],"c":{"d":1,"\\u0064":2}}', true],
    ['{"a":["x","a"],"b":"a"}', false],
    ['{"a":"}{,\\"a\\":","b":"a"}', false],
    ['{"a":{},"a":1}', true],
    ['{"a":[],"b":[{}],"a":1}', true],
  ] as const)
    test(`${text}: ${expected ? 'yes' : 'no'}`, () => assert.equal(repeatsMember(text), expected));

  test('no value that was written by JSON.stringify has one', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => !repeatsMember(JSON.stringify(value))));
  });
});
