import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CallsInFlight, isRefusal, readJsonRpc, replyIds } from '../../../../core/index.ts';
import type { JsonRpcRequest } from '../../../../core/index.ts';

function requestOf(text: string): JsonRpcRequest {
  const request = readJsonRpc(text, 10);
  assert(!isRefusal(request));
  return request;
}

const call = (id: string, method = 'eth_call', params = '[]'): JsonRpcRequest =>
  requestOf(`{"id":${id},"method":"${method}","params":${params}}`);
const batchOf = (...calls: JsonRpcRequest[]): JsonRpcRequest =>
  requestOf(`[${calls.map(({ text }) => text).join(',')}]`);

describe('the ids in what a node sends', () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['{"jsonrpc":"2.0","id":1,"result":"0x"}', ['1']],
    [' {"result":{"id":5,"list":[{"id":6}]},"id" : "a\\"b"}', ['"a\\"b"']],
    ['{"id":12345678901234567890}', ['12345678901234567890']],
    ['[{"id":1,"result":[{"id":9}]}, {"error":{"id":8},"id":"x"}]', ['1', '"x"']],
    ['{"method":"eth_subscription","params":{"id":3}}', []],
    ['{"result":"{\\"id\\":4}","id":null}', ['null']],
    ['{"a":"b', []],
    ['{"id', []],
    ['{"id":', []],
    ['{"id":"', []],
    ['}}]]{"id":1}', []],
    ['', []],
    ['"id"', []],
    ['[[{"id":1}]]', []],
  ];
  for (const [text, ids] of cases)
    it(`of ${text || 'nothing'} are ${ids.join(' ') || 'none'}`, () => assert.deepEqual(replyIds(text), ids));
});

describe('the calls that a node has not answered', () => {
  it('fault 431: are reads, which are sent again once, and what must not be sent twice', () => {
    const calls = new CallsInFlight();
    const read = call('1');
    for (const each of [read, call('2', 'eth_sendRawTransaction'), batchOf(call('3'), call('4', 'eth_subscribe'))])
      calls.sent(each);
    const { again, lost } = calls.take();
    assert.deepEqual(
      again.map(({ text }) => text),
      [read.text],
    );
    assert.deepEqual(
      lost.map(({ ids }) => ids),
      [['2'], ['3', '4']],
    );
    calls.sentAgain(again[0]!);
    assert.deepEqual(calls.take().again, []);
  });

  it('are no longer those that were answered, however a node writes their ids', () => {
    const calls = new CallsInFlight();
    for (const each of [call('"a\\u0062"'), call('7', 'eth_subscribe', '["syncing"]'), batchOf(call('8'), call('9'))])
      calls.sent(each);
    assert.equal(calls.answered('{"id":"ab","result":1}')?.subscribes, false);
    assert.equal(calls.answered('{"id":7,"result":"0x1"}')?.subscribes, true);
    assert.deepEqual(calls.answered('[{"id":9},{"id":8}]')?.ids, ['8', '9']);
    assert.equal(calls.answered('{"id":7}'), null);
    assert.equal(calls.count, 0);
  });

  it('fault 433: are bounded in number and in what is kept of them', () => {
    const calls = new CallsInFlight();
    for (let id = 0; id < 10_000; id++) calls.sent(call(String(id)));
    assert.equal(calls.count, 4_096);
    calls.take();
    const long = `["${'a'.repeat(300_000)}"]`;
    for (let id = 0; id < 10; id++) calls.sent(call(String(id), 'eth_call', long));
    assert.deepEqual([calls.take().again.length, calls.count], [3, 0]);
    for (let round = 0; round < 10; round++) {
      calls.sent(call('1', 'eth_call', long));
      assert.equal(calls.answered('{"id":1}')?.ids.length, 1);
    }
    calls.sent(call('1'));
    assert.equal(calls.take().again.length, 1);
  });

  it('a notification, and a second call with the same id, leave nothing behind', () => {
    const calls = new CallsInFlight();
    calls.sent(requestOf('{"method":"eth_call"}'));
    calls.sent(call('1'));
    calls.sent(call('1', 'eth_sendRawTransaction'));
    assert.equal(calls.count, 1);
    assert.deepEqual(calls.take().again, []);
  });
});
