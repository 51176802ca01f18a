import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { elementsOf, hasDistinctIds, joinBatch } from '../../../core/index.ts';

const reply = (id: string, result = '"new"'): string => `{"jsonrpc":"2.0","id":${id},"result":${result}}`;
const KEPT = '"result":"kept"';
const kept = (id: string): string => `{"jsonrpc":"2.0","id":${id},${KEPT}}`;

describe('fault 449: the joined answer to a batch', () => {
  const ids = ['1', '"a"', null, '3.0'];
  const known = [KEPT, null, null, null];

  for (const [what, body, expected] of [
    ['in order', `[${reply('"a"')},${reply('3')}]`, [kept('1'), reply('"a"'), reply('3.0')]],
    ['in another order', `[${reply('3')}, ${reply('"a"')}]`, [kept('1'), reply('"a"'), reply('3.0')]],
    ['too few', `[${reply('3.0')}]`, [kept('1'), reply('3.0')]],
    ['none', '[]', [kept('1')]],
  ] as const)
    test(`has the order of the calls and their ids as received: ${what}`, () =>
      assert.equal(joinBatch(ids, known, body)?.text, `[${expected.join(',')}]`));

  for (const [what, replies, expected] of [
    ['a foreign id', [reply('"a"'), reply('4')], [reply('"a"'), reply('4'), kept('1')]],
    ['the id of a call that was not sent', [reply('1'), reply('"a"')], [reply('1'), reply('"a"')]],
    ['an id twice', [reply('"a"', '1'), reply('"a"', '2')], [reply('"a"', '1'), reply('"a"', '2'), kept('1')]],
    ['an element that is no reply', [reply('"a"'), '5'], [reply('"a"'), '5', kept('1')]],
    [
      'a further member',
      ['{"jsonrpc":"2.0","id":"a","result":1,"x":2}'],
      ['{"jsonrpc":"2.0","id":"a","result":1,"x":2}', kept('1')],
    ],
    [
      'an error without an id',
      ['{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}'],
      ['{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}', kept('1')],
    ],
  ] as const)
    test(`leaves the replies as they are, and caches none, where it is not certain whose they are: ${what}`, () => {
      const joined = joinBatch(ids, known, `[${replies.join(',')}]`);
      assert.equal(joined?.text, `[${expected.join(',')}]`);
      assert.equal(joined.fresh.size, 0);
    });

  for (const body of [
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32005,"message":"batch too large"}}',
    '<html>',
    '',
    '[1',
  ])
    test(`is the node's alone where that is no list: ${JSON.stringify(body)}`, () =>
      assert.equal(joinBatch(ids, known, body), null));

  test('needs no answer of the node to notifications', () =>
    assert.equal(joinBatch(['1', null], [KEPT, null], '')?.text, `[${kept('1')}]`));

  test('names the call of each new answer', () =>
    assert.deepEqual([...(joinBatch(ids, known, `[${reply('3')}]`)?.fresh ?? [])], [[3, '"result":"new"']]));

  test('calls whose ids nodes could take for the same have no answers of their own', () => {
    for (const same of [
      ['1', '1.0'],
      ['"a"', '"\\u0061"'],
      ['9007199254740992', '9007199254740993'],
      ['null', '1'],
    ])
      assert.equal(hasDistinctIds(same), false, String(same));
    assert.equal(hasDistinctIds(['1', '"1"', null, null]), true);
  });

  test('whatever a node makes of any calls, each call has at most one answer, which is its own', () => {
    const id = fc.oneof(fc.integer(), fc.string());
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(id, fc.boolean()), { selector: ([each]) => JSON.stringify(each), maxLength: 6 }),
        fc.func(fc.integer()),
        (calls, order) => {
          const asked = calls.flatMap(([each, cached]) => (cached ? [] : [each]));
          const sent = [...asked].sort((one, other) => order(one) - order(other));
          const body = JSON.stringify(sent.map((each) => ({ jsonrpc: '2.0', id: each, result: ['new', each] })));
          const joined = joinBatch(
            calls.map(([each]) => JSON.stringify(each)),
            calls.map(([each, cached]) => (cached ? `"result":${JSON.stringify(['kept', each])}` : null)),
            body,
          );
          assert.deepEqual(
            JSON.parse(joined?.text ?? ''),
            calls.map(([each, cached]) => ({ jsonrpc: '2.0', id: each, result: [cached ? 'kept' : 'new', each] })),
          );
        },
      ),
    );
  });

  test('the elements of a list are those that JSON.parse finds', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), (list) => {
        const elements = elementsOf(` ${JSON.stringify(list, null, 1)} `) ?? [];
        assert.deepEqual(
          elements.map((text) => JSON.parse(text) as unknown),
          JSON.parse(JSON.stringify(list)),
        );
      }),
    );
    assert.equal(elementsOf('{"a":[1]}'), null);
  });
});
