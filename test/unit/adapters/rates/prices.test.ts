import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { midpoint, priceText, quotient, readPrice } from '../../../../adapters/rates/prices.ts';
import type { Decimal } from '../../../../core/index.ts';

function decimal(text: string): Decimal {
  const value = readPrice(text);
  assert.ok(value !== null, text);
  return value;
}

test('prices are read from their text, exponents included, and nothing else is one', () => {
  assert.equal(priceText(decimal('1e-8')), '0.00000001');
  assert.equal(priceText(decimal('2.5E+3')), '2500');
  assert.equal(priceText(decimal('0.1234567890123456789')), '0.1234567890123456789');
  for (const value of [null, undefined, 1, '', '-1', 'NaN', 'Infinity', '1e400', '0x10', ' 1', {}, []])
    assert.equal(readPrice(value), null);
});

test('a quotient has 18 significant digits, rounded up; an even one is exact', () => {
  assert.equal(quotient(decimal('1'), decimal('3')), '0.333333333333333334');
  assert.equal(quotient(decimal('2'), decimal('3')), '0.666666666666666667');
  assert.equal(quotient(decimal('60000'), decimal('55000')), '1.09090909090909091');
  assert.equal(quotient(decimal('50000'), decimal('40000')), '1.25');
  assert.equal(quotient(decimal('60000'), decimal('1500000000')), '0.00004');
  assert.equal(quotient(decimal('0'), decimal('3')), '0');
  assert.equal(quotient(decimal('1'), decimal('0')), null);
});

test('a quotient is never below the true value, and above it by less than one part in 10^17', () => {
  const price = fc
    .tuple(fc.bigInt({ min: 1n, max: 10n ** 24n }), fc.nat({ max: 30 }))
    .map(([digits, scale]) => ({ digits, scale }));
  fc.assert(
    fc.property(price, price, (a, b) => {
      const text = quotient(a, b);
      assert.ok(text !== null);
      assert.ok(text.replace(/^0\.0*|\./g, '').replace(/0+$/, '').length <= 18, text);
      const q = decimal(text);
      // q ≥ a ÷ b, both sides brought to whole numbers.
      const left = q.digits * b.digits * 10n ** BigInt(a.scale);
      const right = a.digits * 10n ** BigInt(q.scale + b.scale);
      assert.ok(left >= right);
      assert.ok((left - right) * 10n ** 17n < right);
    }),
  );
});

test('the middle of two prices is exact', () => {
  assert.equal(priceText(midpoint(decimal('30300.1'), decimal('30300.0'))), '30300.05');
  assert.equal(priceText(midpoint(decimal('1'), decimal('2.125'))), '1.5625');
});
