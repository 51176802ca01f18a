import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { readCsv } from '../../../adapters/http/read-csv.ts';
import { isTillgateError } from '../../../core/index.ts';

const read = (text: string) => readCsv(Buffer.from(text));
const refuses = (text: string, line: number): void =>
  assert.throws(
    () => read(text),
    (error) => isTillgateError(error, 'MALFORMED_REQUEST') && error.message.includes(`line ${line} `),
    text,
  );

describe('reading CSV', () => {
  test('columns are in any order, with a byte order mark, quotes, and either end of line', () => {
    const expected = [
      { address: 'bc1q', reference: 'a, "b"' },
      { address: '', reference: ' c ' },
    ];
    for (const end of ['\n', '\r\n'])
      for (const last of ['', end])
        assert.deepEqual(
          read(`\uFEFFaddress,reference${end}bc1q,"a, ""b"""${end}"", c ${last}`).map((record) => ({ ...record })),
          expected,
        );
    assert.deepEqual(read('a\n'), []);
  });

  test('what two readers could understand differently is refused with its line', () => {
    refuses('', 1);
    refuses('a,a\n1,2', 1);
    refuses('a,\n1,2', 1);
    refuses('__proto__\n1', 1);
    refuses('a,b\n1,2\n1', 3);
    refuses('a,b\n1,2,3', 2);
    refuses('a,b\n1,2\n\n3,4', 3);
    refuses('a\n"1', 2);
    refuses('a\n"1\n2"', 2);
    refuses('a,b\n"1"2,3', 2);
    refuses('a,b\n1"2",3', 2);
  });

  test('every text without control characters that is written by RFC 4180 is read back', () => {
    const text = fc.string({ unit: 'grapheme' }).filter((value) => !/[\r\n\uFEFF]|\p{Surrogate}/u.test(value));
    const written = (cells: readonly string[]): string =>
      cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',');
    fc.assert(
      fc.property(fc.array(fc.tuple(text, text), { maxLength: 5 }), (rows) => {
        const file = ['a,b', ...rows.map(written)].join('\r\n');
        assert.deepEqual(
          read(file).map(({ a, b }) => [a, b]),
          rows,
        );
      }),
    );
  });
});
