import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatUnits, parseUnits, readDecimal, toUnits } from '../../core/index.ts';
import { fuzzPlan } from './seeded.ts';
import type { Seeded } from './seeded.ts';

const DIGITS = '0123456789';
const MOST_DIGITS = 78;

function number(random: Seeded): string {
  const whole = random.oneIn(3) ? '0' : random.text(1 + random.below(random.oneIn(8) ? 90 : 25), DIGITS);
  const fraction = random.oneIn(3) ? '' : `.${random.text(random.oneIn(20) ? 0 : 1 + random.below(30), DIGITS)}`;
  const exponent = random.oneIn(3)
    ? `${random.pick(['e', 'E'])}${random.pick(['', '+', '-'])}${random.text(1 + random.below(random.oneIn(9) ? 5 : 2), DIGITS)}`
    : '';
  return whole + fraction + exponent;
}

/** A number, or something that is nearly one. */
function candidate(random: Seeded): string {
  const text = number(random);
  if (!random.oneIn(4)) return text;
  const at = random.below(text.length + 1);
  return (
    text.slice(0, at) +
    random.pick(['-', '+', ' ', '.', ',', 'e', '_', 'x', '\n', '٣', 'NaN', 'Infinity', '0x1', '']) +
    text.slice(at + random.below(2))
  );
}

/** Numerator over a power of ten, by long division alone: no shared idea with the reader under test. */
function oracle(text: string): { readonly over: bigint; readonly under: bigint } | null {
  let at = 0;
  const digits = (): string => {
    const from = at;
    while (at < text.length && DIGITS.includes(text[at]!)) at += 1;
    return text.slice(from, at);
  };
  const whole = digits();
  if (whole === '') return null;
  let fraction = '';
  if (text[at] === '.') {
    at += 1;
    fraction = digits();
    if (fraction === '') return null;
  }
  let exponent = 0;
  if (text[at] === 'e' || text[at] === 'E') {
    at += 1;
    const sign = text[at] === '-' ? -1 : 1;
    if (text[at] === '-' || text[at] === '+') at += 1;
    const power = digits();
    if (power === '' || power.length > 4) return null;
    exponent = sign * Number(power);
  }
  // Bounds of the reader, not of arithmetic.
  if (at !== text.length || whole.length + fraction.length > MOST_DIGITS || Math.abs(exponent) > MOST_DIGITS)
    return null;
  let over = 0n;
  for (const digit of whole + fraction) over = over * 10n + BigInt(digit);
  const shift = exponent - fraction.length;
  return shift >= 0 ? { over: over * 10n ** BigInt(shift), under: 1n } : { over, under: 10n ** BigInt(-shift) };
}

test('decimals are read exactly as big numbers have them, or refused (fault 45)', (t) => {
  const { seed, size, random } = fuzzPlan(50_000, 1_000_000);
  let read = 0;
  for (let run = 0; run < size; run++) {
    const text = candidate(random);
    const [ours, theirs] = [readDecimal(text), oracle(text)];
    assert.equal(ours === null, theirs === null, `seed ${seed}: ${JSON.stringify(text)}`);
    if (ours === null || theirs === null) continue;
    read += 1;
    assert.equal(ours.digits * theirs.under, theirs.over * 10n ** BigInt(ours.scale), `seed ${seed}: ${text}`);
    const decimals = random.below(19);
    const scaled = theirs.over * 10n ** BigInt(decimals);
    const units = scaled % theirs.under === 0n ? scaled / theirs.under : null;
    assert.equal(toUnits(ours, decimals), units, `seed ${seed}: ${text} with ${decimals} decimals`);
    // What has more digits than any asset needs is not read back.
    if (units !== null && units.toString().length <= MOST_DIGITS - 20)
      assert.equal(parseUnits(formatUnits(units, decimals), decimals), units);
  }
  t.diagnostic(`seed ${seed}: ${size} texts, ${read} of them numbers`);
});
