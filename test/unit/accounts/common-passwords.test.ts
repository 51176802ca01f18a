import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LISTED_PASSWORDS, isCommonPassword } from '../../../core/access/common-passwords.ts';
import { COMMON_PRINTS } from '../../../core/access/common-password-prints.ts';
import { fingerprint } from '../../../core/access/fingerprint.ts';
import { SeededRandom } from '../../support/fakes.ts';

/** Some of the list of leaked passwords, with their places among those of 12 characters and more. */
const LISTED: Readonly<Record<string, number>> = {
  leavemealone: 13,
  unbelievable: 30,
  '1qaz2wsx3edc4rfv': 34,
  scandinavian: 48,
  counterstrike: 56,
  philadelphia: 164,
  civilization: 386,
  snowboarding: 493,
  professionaltools: 781,
  dragonballgt: 1718,
  administration: 1843,
  relationship: 2365,
  frodobaggins: 2961,
  experimental: 2995,
  entrepreneur: 3008,
  championship: 3140,
  superstar12345: 4990,
  superhero123: 4997,
};

describe('common passwords', () => {
  test('are more than the 3,000 most common ones that are long enough', () => {
    assert.ok(LISTED_PASSWORDS >= 3_000);
    const prints =
      COMMON_PRINTS.trim()
        .replaceAll('\n', '')
        .match(/[0-9a-f]{8}/g) ?? [];
    assert.equal(prints.length, LISTED_PASSWORDS);
    assert.deepEqual(prints, [...prints].sort());
    assert.ok(new Set(prints).size > LISTED_PASSWORDS - 3);
  });

  test('of every place of the list are known, in whatever case', () => {
    for (const password of Object.keys(LISTED)) {
      assert.ok(isCommonPassword(password), password);
      assert.ok(isCommonPassword(password.toUpperCase()), password);
    }
  });

  test('of later years and of this field are known as well', () => {
    for (const password of ['Password2026', 'satoshinakamoto', 'p@ssw0rd1234']) assert.ok(isCommonPassword(password));
  });

  test('are no others: the first and the last fingerprint, neighbours, 20,000 drawn ones', () => {
    const random = new SeededRandom('common passwords');
    const drawn = Array.from({ length: 20_000 }, () => Buffer.from(random.bytes(12)).toString('base64'));
    const near = Object.keys(LISTED).flatMap((password) => [
      `${password}.`,
      password.slice(1),
      `${password}${password}`,
    ]);
    assert.deepEqual([...drawn, ...near, ''].filter(isCommonPassword), []);
  });

  test('have the fingerprints of FNV-1a', () => {
    assert.deepEqual(['', 'a', 'foobar'].map(fingerprint), ['811c9dc5', 'e40c292c', 'bf9cf968']);
  });
});
