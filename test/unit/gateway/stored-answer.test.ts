import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readSharedAnswer, writeSharedAnswer } from '../../../core/index.ts';

const HASH = `0x${'ab'.repeat(32)}`;
const PARAMS = ['0x10', false];
const shared = { answer: '"result":{"number":"0x10"}', block: 16, checkpoint: { number: 64, hash: HASH } };
const read = (text: string): unknown => readSharedAnswer(text, 'eth_getBlockByNumber', PARAMS);

describe('fault 452: an answer from the shared cache', () => {
  test('is what was written', () => assert.deepEqual(read(writeSharedAnswer(shared)), shared));

  for (const [what, text] of [
    ['nothing', ''],
    ['no checkpoint', shared.answer],
    ['another version', `[2,16,64,"${HASH}"]\n${shared.answer}`],
    ['a block beyond its checkpoint', writeSharedAnswer({ ...shared, block: 65 })],
    ['another block than the answer is about', writeSharedAnswer({ ...shared, block: 17 })],
    ['the answer to another call', writeSharedAnswer({ ...shared, answer: '"result":{"number":"0x11"}' })],
    ['a hash that is none', writeSharedAnswer({ ...shared, checkpoint: { number: 64, hash: '0x1' } })],
    ['a number that is none', `[1,16,"64","${HASH}"]\n${shared.answer}`],
    ['a negative block', `[1,-1,64,"${HASH}"]\n${shared.answer}`],
    ['an error', writeSharedAnswer({ ...shared, answer: '"error":{"code":1}' })],
    ['an answer that is cut off', writeSharedAnswer(shared).slice(0, -1)],
    ['a further member', writeSharedAnswer({ ...shared, answer: `${shared.answer},"id":2` })],
    ['a second reply', writeSharedAnswer({ ...shared, answer: `${shared.answer}},{"result":1` })],
    [
      'more than any answer has',
      writeSharedAnswer({ ...shared, answer: `"result":{"number":"0x10","x":"${'x'.repeat(600_000)}"}` }),
    ],
  ] as const)
    test(`is not used with ${what}`, () => assert.equal(read(text), null));
});
