import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  BITCOIN_ERRORS,
  EVM_ERRORS,
  faultOfStatus,
  meaningOfBody,
  meaningOfError,
  UpstreamAbilities,
} from '../../../core/index.ts';
import type { MeaningRow, Need } from '../../../core/index.ts';
import { RECORDED_ERRORS } from '../../gateway/recorded-answers.ts';

const bodyOf = (...errors: readonly ({ readonly code: number; readonly message: string } | null)[]): string => {
  const replies = errors.map((error, id) => ({
    jsonrpc: '2.0',
    id,
    ...(error === null ? { result: '0x1' } : { error }),
  }));
  return JSON.stringify(replies.length === 1 ? replies[0] : replies);
};
const errorOf = (part: string) => {
  const found = RECORDED_ERRORS.find(({ message }) => message.includes(part));
  assert.ok(found);
  return found;
};

describe('fault 419: what an answer of a node means', () => {
  for (const { by, family, code, message, kind, reason } of RECORDED_ERRORS)
    test(`${by}: ${message.slice(0, 60)}`, () => {
      const expected = reason === undefined ? { kind } : { kind, reason };
      assert.deepEqual(meaningOfError({ code, message }, family), expected);
      assert.deepEqual(meaningOfBody(bodyOf({ code, message }), family), expected);
    });

  test('each row of the table has an answer that only it decides', () => {
    const decides = (rows: readonly MeaningRow[], row: MeaningRow, family: 'evm' | 'bitcoin'): boolean =>
      RECORDED_ERRORS.some(
        (recorded) =>
          recorded.family === family &&
          rows.find(
            ({ codes, words }) => words?.test(recorded.message) === true || codes?.includes(recorded.code) === true,
          ) === row,
      );
    for (const row of EVM_ERRORS) assert.ok(decides(EVM_ERRORS, row, 'evm'), `${row.meaning}: ${row.source}`);
    for (const row of BITCOIN_ERRORS)
      assert.ok(decides(BITCOIN_ERRORS, row, 'bitcoin'), `${row.meaning}: ${row.source}`);
  });

  test('a result is an answer whatever it contains, and an error that no row knows is the chain’s answer', () => {
    const result = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { error: 'missing trie node' } });
    assert.deepEqual(meaningOfBody(result, 'evm'), { kind: 'answer' });
    assert.deepEqual(meaningOfBody('{"result":null,"error":null,"id":1}', 'bitcoin'), { kind: 'answer' });
    assert.equal(meaningOfError({ code: -39999, message: 'something else' }, 'evm').kind, 'caller');
  });

  test('of a batch the worst reply counts, and what is no JSON-RPC is a fault', () => {
    const [lacks, fault, caller] = [
      errorOf('missing trie node'),
      errorOf('Must be authenticated'),
      errorOf('reverted'),
    ];
    assert.equal(meaningOfBody(bodyOf(null, caller, null), 'evm').kind, 'caller');
    assert.equal(meaningOfBody(bodyOf(lacks, caller), 'evm').kind, 'lacks');
    assert.equal(meaningOfBody(bodyOf(lacks, null, fault), 'evm').kind, 'fault');
    assert.deepEqual(meaningOfBody('<html>502</html>', 'evm'), { kind: 'fault', reason: 'internal' });
    assert.deepEqual(meaningOfBody('"ok"', 'evm'), { kind: 'fault', reason: 'internal' });
  });

  test('never throws, whatever a node answers', () => {
    fc.assert(fc.property(fc.json(), (body) => void meaningOfBody(body, 'evm')));
    fc.assert(fc.property(fc.string(), (body) => void meaningOfBody(body, null)));
    fc.assert(fc.property(fc.jsonValue(), (error) => void meaningOfBody(JSON.stringify({ error }), 'bitcoin')));
  });

  test('a status is the node’s fault where no call can cause it', () => {
    const reasonOf = (rpc: boolean) => (status: number) => faultOfStatus(status, rpc);
    assert.deepEqual([401, 403, 407, 408, 429].map(reasonOf(true)), [
      'unauthorised',
      'unauthorised',
      'unauthorised',
      'timeout',
      'rate_limited',
    ]);
    assert.deepEqual([502, 503, 504, 520].map(reasonOf(true)), [
      'unavailable',
      'unavailable',
      'timeout',
      'unavailable',
    ]);
    // Bitcoin Core answers every error with 500 or 404: its body decides.
    assert.deepEqual([200, 400, 404, 413, 500].map(reasonOf(true)), [null, null, null, null, null]);
    assert.deepEqual([401, 403].map(reasonOf(false)), ['unauthorised', null]);
  });
});

describe('fault 420: what an upstream was found not to have', () => {
  const HOUR = 3_600_000;
  const need = (method: string, block = Infinity, range = 0): Need => ({ methods: [method], block, range });

  test('a method, for an hour', () => {
    const abilities = new UpstreamAbilities();
    assert.equal(abilities.lacksAnything(0), false);
    abilities.learn('no_method', need('trace_block'), null, 0);
    assert.equal(abilities.lacks(need('trace_block', 5), 1), true);
    assert.equal(abilities.lacks(need('eth_call', 5), 1), false);
    assert.deepEqual(abilities.view(1), { missingMethods: ['trace_block'], oldestState: null });
    assert.equal(abilities.lacks(need('trace_block', 5), HOUR), false);
    assert.equal(abilities.lacksAnything(HOUR), false);
  });

  test('the state of a block and of those below it, for every method that reads the state', () => {
    const abilities = new UpstreamAbilities();
    abilities.learn('no_state', need('eth_getBalance', 100), null, 0);
    assert.equal(abilities.lacks(need('eth_call', 100), 1), true);
    assert.equal(abilities.lacks(need('eth_call', 99), 1), true);
    assert.equal(abilities.lacks(need('eth_call', 101), 1), false);
    assert.equal(abilities.lacks(need('eth_getBlockByNumber', 1), 1), false);
    abilities.learn('no_state', need('eth_call', 50), null, 2);
    assert.equal(abilities.view(3).oldestState, 101);
    abilities.learn('no_state', need('eth_call', 200), null, 2);
    assert.equal(abilities.view(3).oldestState, 201);
  });

  test('a block that it does not have yet, for two seconds; one below its head, for an hour', () => {
    const abilities = new UpstreamAbilities();
    abilities.learn('no_block', need('eth_getBlockByNumber', 100), 99, 0);
    assert.deepEqual(
      [99, 100, 101, Infinity].map((block) => abilities.lacks(need('eth_call', block), 1)),
      [false, true, true, false],
    );
    assert.equal(abilities.lacks(need('eth_call', 100), 2_000), false);
    assert.equal(abilities.lacksAnything(2_000), false);
    abilities.learn('no_block', need('eth_getBlockByNumber', 10), 99, 0);
    assert.deepEqual(
      [10, 11].map((block) => abilities.lacks(need('eth_getBlockByNumber', block), 1)),
      [true, false],
    );
    assert.equal(abilities.lacks(need('eth_getLogs', 10), 1), false);
  });

  test('how many blocks’ logs it reads at once, but for a range that was too full', () => {
    const abilities = new UpstreamAbilities();
    abilities.learn('range_limit', need('eth_getLogs', 5_000, 10), null, 0);
    assert.equal(abilities.lacksAnything(1), false);
    abilities.learn('range_limit', need('eth_getLogs', 5_000, 2_000), null, 0);
    abilities.learn('range_limit', need('eth_getLogs', 5_000, 5_000), null, 0);
    assert.deepEqual(
      [1_999, 2_000, 0].map((range) => abilities.lacks(need('eth_getLogs', 5_000, range), 1)),
      [false, true, false],
    );
    assert.equal(abilities.lacks(need('eth_getLogs', 5_000, 2_000), HOUR), false);
  });

  test('nothing from what a caller chooses: a batch, the newest block, or thousands of names', () => {
    const abilities = new UpstreamAbilities();
    abilities.learn('no_state', need('eth_call'), null, 0);
    abilities.learn('no_block', need('eth_call'), 5, 0);
    abilities.learn('no_method', { methods: ['a', 'b'], block: 5, range: 0 }, null, 0);
    abilities.learn('range_limit', need('eth_getLogs'), 5, 0);
    assert.equal(abilities.lacksAnything(1), false);
    for (let n = 0; n < 1_000; n++) abilities.learn('no_method', need(`x_${n}`), null, 0);
    assert.equal(abilities.view(1).missingMethods.length, 256);
  });
});
