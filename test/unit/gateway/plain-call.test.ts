import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isRefusal, methodOfPlainCall, readJsonRpc } from '../../../core/index.ts';

const CALL = '{"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0xab",{"a":[-1.5e+3,true,null]}]}';
const whole = (text: string): string | null => methodOfPlainCall(text, 0, text.length);

test('the method of an ordinary call is found without parsing it', () => {
  assert.equal(whole(CALL), 'eth_getBalance');
  assert.equal(whole(' {\t"method" : "a" ,\r\n"id":"x"}\n'), 'a');
  assert.equal(methodOfPlainCall(`head${CALL}{"next":1}`, 4, 4 + CALL.length), 'eth_getBalance');
});

/** What makes a text another one than it seems to be. */
const ODD = [
  ['a batch', `[${CALL}]`],
  ['a notification', '{"jsonrpc":"2.0","method":"eth_call","params":[]}'],
  ['a member twice', '{"id":1,"method":"eth_call","method":"personal_sign"}'],
  ['a member twice, once with an escape', '{"id":1,"method":"eth_call","metho\\u0064":"personal_sign"}'],
  ['an escape in the method', '{"id":1,"method":"eth\\u005fcall"}'],
  ['another case', '{"id":1,"Method":"eth_call"}'],
  ['a further member', '{"id":1,"method":"eth_call","extra":1}'],
  ['a name that begins alike', '{"id":1,"method":"eth_call","params2":1}'],
  ['a member of parameters', '{"id":1,"params":{"method":"eth_call"}}'],
  ['a method in a string', '{"id":1,"params":"\\",\\"method\\":\\"eth_call\\""}'],
  ['an id of another type', '{"id":[1],"method":"eth_call"}'],
  ['two values', `${CALL}${CALL}`],
  ['a comma at the end', '{"id":1,"method":"eth_call",}'],
  ['a leading zero', '{"id":01,"method":"eth_call"}'],
  ['a bare minus', '{"id":1,"method":"eth_call","params":[-]}'],
  ['an unfinished exponent', '{"id":1,"method":"eth_call","params":[1e]}'],
  ['a blank that is none of JSON', '{"id":1,\u00a0"method":"eth_call"}'],
  ['a byte of another encoding', '{"id":1,"method":"eth_call","params":["\u00e9"]}'],
  ['a control character', '{"id":1,"method":"eth_call","params":["\n"]}'],
  ['a method with a blank', '{"id":1,"method":"eth call"}'],
  ['an empty method', '{"id":1,"method":""}'],
  ['a long method', `{"id":1,"method":"${'a'.repeat(129)}"}`],
  ['a long id', `{"id":"${'1'.repeat(300)}","method":"eth_call"}`],
  ['deep parameters', `{"id":1,"method":"eth_call","params":${'['.repeat(40)}${']'.repeat(40)}}`],
  ['nothing', ''],
] as const;

for (const [title, text] of ODD)
  test(`fault 531: ${title} is left to the parser`, () => {
    assert.equal(whole(text), null);
  });

/** Fails if both readers could decide differently about the text. */
function agree(text: string): void {
  const method = whole(text);
  if (method === null) return;
  const read = readJsonRpc(text, 1);
  assert.ok(!isRefusal(read), text);
  assert.deepEqual([read.batch, read.methods, typeof read.ids[0]], [false, [method], 'string'], text);
  assert.equal((JSON.parse(text) as { readonly method: unknown }).method, method, text);
}

const PIECES =
  `{ } [ ] , : "id" "method" "params" "jsonrpc" "2.0" "eth_call" "a\\" 1 0 01 -1 1.5 1. .5 1e5 1E+2 1e - + true false null nul "\\u0069d" "\\"" " \\ é`
    .split(' ')
    .concat(' ', '\n', '\u0000', '\ud800', '"id":1', '"method":"eth_call"', '"params":[]', '{"id":1,"method":"x"');

test('fault 531: whatever a text is made of, the parser finds the same method in what is taken without it', () => {
  const pieces = fc.array(fc.constantFrom(...PIECES), { maxLength: 24 }).map((all) => all.join(''));
  fc.assert(fc.property(pieces, agree), { numRuns: 20_000 });
  const object = pieces.map((text) => `{"id":1,"method":"eth_call"${text}}`);
  fc.assert(fc.property(object, agree), { numRuns: 20_000 });
});

test('fault 531: a call that was changed somewhere is read alike or left to the parser', () => {
  const changed = fc
    .tuple(fc.nat(CALL.length), fc.nat(4), fc.constantFrom(...PIECES), fc.nat(CALL.length))
    .map(([at, removed, piece, again]) => {
      const text = CALL.slice(0, at) + piece + CALL.slice(at + removed);
      return again % 3 === 0 ? text + CALL.slice(again) : text;
    });
  fc.assert(fc.property(changed, agree), { numRuns: 20_000 });
});

test('fault 531: every call that a client may make is read alike or left to the parser', () => {
  const call = fc
    .record(
      { jsonrpc: fc.constantFrom('2.0', 2), id: fc.jsonValue(), method: fc.string(), params: fc.jsonValue() },
      { requiredKeys: [] },
    )
    .map((value) => JSON.stringify(value));
  fc.assert(fc.property(call, agree), { numRuns: 5_000 });
});
