import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  APP_KEY_STATES,
  APP_KEY_TRANSITIONS,
  isAccepted,
  isAppKeyText,
  keyState,
  newAppKeyText,
} from '../../../core/index.ts';
import { SeededRandom } from '../../support/fakes.ts';

describe('an App key', () => {
  const END = 1_000;
  const rows = [
    ['active', null, 0, 'active'],
    ['active', null, 9_999, 'active'],
    ['active', END, END - 1, 'active'],
    ['active', END, END, 'expired'],
    ['grace', END, END - 1, 'grace'],
    ['grace', END, END, 'expired'],
    ['grace', END, END + 1, 'expired'],
    ['grace', null, END, 'grace'],
    ['revoked', null, 0, 'revoked'],
    ['revoked', END, END + 1, 'revoked'],
  ] as const;
  for (const [state, expiresAt, now, expected] of rows) {
    test(`stored ${state} until ${expiresAt ?? 'ever'} is ${expected} at ${now} (fault 16)`, () => {
      assert.equal(keyState({ state, expiresAt }, now), expected);
    });
  }

  test('is accepted while active or in grace', () => {
    assert.deepEqual(APP_KEY_STATES.filter(isAccepted), ['active', 'grace']);
  });

  test('makes only legal moves', () => {
    assert.deepEqual(APP_KEY_TRANSITIONS, {
      rotate: { from: ['active'], to: 'grace' },
      revoke: { from: ['active', 'grace'], to: 'revoked' },
    });
  });
});

describe('the text of an App key', () => {
  const random = new SeededRandom();
  const key = newAppKeyText(random);

  test('has its prefix, 49 base-62 digits, and fits 128 characters', () => {
    assert.match(key, /^tgk_[0-9A-Za-z]{49}$/);
    assert.ok(isAppKeyText(key));
    assert.notEqual(key, newAppKeyText(random));
  });

  test('does not pass with any one character changed', () => {
    const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
    fc.assert(
      fc.property(fc.integer({ min: 4, max: key.length - 1 }), fc.constantFrom(...digits.split('')), (at, digit) => {
        fc.pre(key[at] !== digit);
        assert.equal(isAppKeyText(key.slice(0, at) + digit + key.slice(at + 1)), false);
      }),
    );
  });

  test('is nothing else', () => {
    for (const text of [
      '',
      'tgk_',
      key.slice(1),
      `${key}A`,
      key.slice(0, -1),
      key.toUpperCase(),
      ` ${key}`,
      `${key}\n`,
    ]) {
      assert.equal(isAppKeyText(text), false);
    }
  });
});
