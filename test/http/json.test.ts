import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isLosslessNumber } from 'lossless-json';
import { writeRecord } from '../../adapters/http/exact-json.ts';
import { readJson } from '../../adapters/http/read-json.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text);
/** Numbers as doubles, for comparison with JSON.parse. */
function plain(value: unknown): unknown {
  if (isLosslessNumber(value)) return Number(value.value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, plain(item)]));
}

describe('the reader of JSON bodies', () => {
  test('reads whatever JSON.parse reads, when it is unambiguous', () => {
    const documents = fc
      .jsonValue({ maxDepth: 6, stringUnit: 'grapheme' })
      .filter((value) => !JSON.stringify(value).includes('__proto__'));
    fc.assert(
      fc.property(documents, fc.constantFrom(0, 1, '\t', '\r\n'), (value, space) => {
        const text = JSON.stringify(value, null, space);
        assert.deepEqual(plain(readJson(bytes(text))), JSON.parse(text));
      }),
      { numRuns: 1000 },
    );
  });

  test('gives each number with the digits that were sent, also where a double has others', () => {
    const written = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
      fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }).map(String),
      fc.tuple(fc.nat(), fc.stringMatching(/^\d{1,25}$/)).map(([whole, decimals]) => `${whole}.${decimals}`),
      fc.constantFrom('-0', '0.0', '10.10', '1e5', '1E-7', '1e-7', '1e+21', '1e21', '1e999', '9007199254740993'),
    );
    const digitsOf = (value: unknown): unknown => (isLosslessNumber(value) ? value.value : value);
    fc.assert(
      fc.property(fc.array(written, { minLength: 1, maxLength: 4 }), (numbers) => {
        const read = readJson(bytes(`{"10":[${numbers.join(' , ')}],"1":{"n":${numbers[0]},"text":"1.50"}}`)) as {
          readonly 10: readonly unknown[];
          readonly 1: { readonly n: unknown; readonly text: unknown };
        };
        assert.deepEqual(read[10].map(digitsOf), numbers);
        assert.deepEqual(digitsOf(read[1].n), numbers[0]);
        assert.equal(read[1].text, '1.50');
        assert(read[10].every(isLosslessNumber));
      }),
      { numRuns: 1000 },
    );
    assert.equal(digitsOf(readJson(bytes('12.50'))), '12.50');
    assert.equal(digitsOf(readJson(bytes('12.5'))), '12.5');
  });

  test('a member __proto__ is refused, whatever its value', () => {
    for (const value of ['1', '1.50', '"text"', '{}', '[2]', '{"a":1}', 'null'])
      for (const text of [
        `{"__proto__":${value}}`,
        `{"a":{"__proto__":${value}},"b":1}`,
        `{"__proto__":${value},"b":1.0}`,
      ])
        assert.throws(() => readJson(bytes(text)), { code: 'MALFORMED_REQUEST' });
    assert.equal(({} as { readonly a?: unknown }).a, undefined);
  });

  test('refuses whatever JSON.parse refuses', () => {
    const texts = fc.tuple(
      fc.json({ maxDepth: 3 }),
      fc.nat(),
      fc.constantFrom('"', '{', '}', ']', ',', ':', '\\', '0', '-', 'e', '.', ' ', '\0'),
    );
    fc.assert(
      fc.property(texts, ([text, at, junk]) => {
        const cut = at % (text.length + 1);
        const broken = text.slice(0, cut) + junk + text.slice(cut);
        let valid = true;
        try {
          JSON.parse(broken);
        } catch {
          valid = false;
        }
        if (!valid) assert.throws(() => readJson(bytes(broken)), { code: 'MALFORMED_REQUEST' });
      }),
      { numRuns: 2000 },
    );
  });

  test('a member that is named twice is refused wherever it stands', () => {
    const names = fc.string({ maxLength: 5, unit: 'grapheme' }).filter((name) => name !== '__proto__');
    fc.assert(
      fc.property(names, fc.jsonValue({ maxDepth: 2 }), fc.integer({ min: 0, max: 10 }), (name, value, depth) => {
        if (JSON.stringify(value).includes('__proto__')) return;
        const member = `${JSON.stringify(name)}:${JSON.stringify(value)}`;
        const text = `${'['.repeat(depth)}{${member},"between ":1,${member}}${']'.repeat(depth)}`;
        assert.throws(() => readJson(bytes(text)), { code: 'MALFORMED_REQUEST' });
      }),
    );
  });
});

describe('the writer of exact numbers', () => {
  const decimals = fc
    .tuple(fc.bigInt({ min: 0n, max: 10n ** 20n }), fc.integer({ min: 0, max: 18 }))
    .map(([digits, scale]) => {
      const text = digits.toString().padStart(scale + 1, '0');
      return scale === 0 ? text : `${text.slice(0, -scale)}.${text.slice(-scale)}`;
    });

  test('writes the named fields as numbers of exactly their digits, whatever stands in the others', () => {
    fc.assert(
      fc.property(decimals, decimals, fc.string({ unit: 'binary' }), (amount, price, junk) => {
        const note = `"amount":"${amount}","vs_price":"${price}" ${junk} $& $1`;
        const text = writeRecord({ note, vs_price: price, again: note, amount }, ['amount', 'vs_price']);
        assert(text.endsWith(`,"amount":${amount}}`));
        assert(text.includes(`,"vs_price":${price},`));
        const read = JSON.parse(text) as Record<string, unknown>;
        assert.equal(read['note'], note);
        assert.equal(read['again'], note);
        assert.equal(read['amount'], Number(amount));
      }),
    );
  });

  test('refuses what is no plain decimal: nothing but digits leaves without quotes', () => {
    for (const amount of ['', '1e5', '01', '.5', '1.', '1,"x":1', 'NaN', 5, null, undefined]) {
      assert.throws(() => writeRecord({ amount }, ['amount']), /not a plain decimal/);
    }
  });
});
