import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { isRefusal, membersOf, readJsonRpc, replyWith, answerOf, coalescingKey } from '../../../core/index.ts';

function keyOf(text: string): string | null {
  const request = readJsonRpc(text, 10);
  return isRefusal(request) ? null : coalescingKey(request);
}

const call = (changes: string): string => `{"jsonrpc":"2.0","id":1,"method":"eth_call",${changes}}`;

describe('fault 154: which reads are equal', () => {
  const key = keyOf(call('"params":[{"to":"0x1"},"latest"]'));

  test('the order of members, white space and the id do not matter; parameters do, to the character', () => {
    assert.equal(keyOf(' { "params" : [{"to":"0x1"},"latest"] , "method":"eth_call","id":"x","jsonrpc":"2.0"}'), key);
    for (const params of ['[{"to":"0x1"},"pending"]', '[{"to":"0x1"}, "latest"]', '[{"to":"0x1"}]'])
      assert.notEqual(keyOf(call(`"params":${params}`)), key);
  });

  for (const [what, text] of [
    ['a batch', `[${call('"params":[]')}]`],
    ['a notification', '{"jsonrpc":"2.0","method":"eth_call","params":[]}'],
    ['an id of null', '{"jsonrpc":"2.0","id":null,"method":"eth_call","params":[]}'],
    ['a broadcast', '{"jsonrpc":"2.0","id":1,"method":"eth_sendRawTransaction","params":["0x0"]}'],
    ['a filter', '{"jsonrpc":"2.0","id":1,"method":"eth_newFilter","params":[{}]}'],
    ['a read in another case', '{"jsonrpc":"2.0","id":1,"method":"ETH_call","params":[]}'],
    ['a member of its own', call('"params":[],"networkId":"5"')],
    ['another version', '{"jsonrpc":"1.0","id":1,"method":"eth_call","params":[]}'],
    ['no version', '{"id":1,"method":"eth_call","params":[]}'],
  ] as const)
    test(`${what} shares nothing`, () => assert.equal(keyOf(text), null));
});

describe('fault 154: what is shared of a reply', () => {
  for (const [text, expected] of [
    ['{"jsonrpc":"2.0","id":7,"result":"0x1"}', '"result":"0x1"'],
    ['{"jsonrpc":"2.0","id":7,"result":1.0e2}\n', '"result":1.0e2'],
    [
      '{"result": [ 12345678901234567890.10 ,"\\u0041"] , "id":7,"jsonrpc":"2.0"}',
      '"result":[ 12345678901234567890.10 ,"\\u0041"]',
    ],
    ['{"jsonrpc":"2.0","id":7,"result":null}', '"result":null'],
    ['{"jsonrpc":"2.0","id":7,"error":{"code":3,"id":8}}', '"error":{"code":3,"id":8}'],
    ['{"jsonrpc":"2.0","id":8,"result":"0x1"}', null],
    ['{"jsonrpc":"2.0","id":"7","result":"0x1"}', null],
    ['{"jsonrpc":"2.0","id":7,"result":"0x1","result":"0x2"}', null],
    ['{"jsonrpc":"2.0","id":7,"result":"0x1","error":null}', null],
    ['{"jsonrpc":"2.0","id":7,"result":"0x1","session":"of somebody"}', null],
    ['{"jsonrpc":"2.0","id":7}', null],
    ['[{"jsonrpc":"2.0","id":7,"result":"0x1"}]', null],
    ['{"jsonrpc":"2.0","id":7,"result":"0x1"', null],
    ['null', null],
    ['', null],
  ] as const)
    test(`${JSON.stringify(text)}: ${expected ?? 'nothing'}`, () => assert.equal(answerOf(text, '7'), expected));

  test('any result comes back as it was, under any id', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.oneof(fc.string(), fc.integer()), (result, id) => {
        const sent = JSON.stringify({ jsonrpc: '2.0', id: 7, result });
        const answer = answerOf(sent, '7');
        assert(answer !== null);
        assert.deepEqual(
          JSON.parse(replyWith(answer, JSON.stringify(id))),
          JSON.parse(JSON.stringify({ jsonrpc: '2.0', id, result })),
        );
      }),
    );
  });

  test('the members of an object are those that JSON.parse finds', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true }), (object) => {
        const members = membersOf(JSON.stringify(object));
        assert.deepEqual(
          Object.fromEntries([...(members ?? [])].map(([name, text]) => [name, JSON.parse(text) as unknown])),
          JSON.parse(JSON.stringify(object)),
        );
      }),
    );
  });
});
