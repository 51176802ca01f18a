import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { decodeBase32, encodeBase32, judgeTotp, newTotp, totpCode, totpStep, totpUri } from '../../../core/index.ts';
import type { TotpState } from '../../../core/index.ts';
import { Secret, TOTP } from 'otpauth';
import { PlainDigest, START } from '../../support/fakes.ts';

const digest = new PlainDigest();
const SECRET = new TextEncoder().encode('12345678901234567890');
const TEXT = encodeBase32(SECRET);
const at = (ms: number): string => totpCode(digest, SECRET, totpStep(ms));
const judge = (state: TotpState, code: string, now: number) => judgeTotp(state, TEXT, code, digest, now);

describe('time-based codes', () => {
  test('are those of RFC 6238, appendix B', () => {
    const vectors = [
      [59, '287082'],
      [1111111109, '081804'],
      [1111111111, '050471'],
      [1234567890, '005924'],
      [2000000000, '279037'],
      [20000000000, '353130'],
    ] as const;
    for (const [seconds, code] of vectors) assert.equal(at(seconds * 1000), code);
  });

  test('are those of another implementation, from the URI that is shown', () => {
    const uri = totpUri('Tillgate', 'shop@example.com', TEXT);
    assert.equal(
      uri,
      `otpauth://totp/Tillgate:shop%40example.com?secret=${TEXT}&issuer=Tillgate&algorithm=SHA1&digits=6&period=30`,
    );
    const other = new TOTP({ secret: Secret.fromBase32(TEXT), digits: 6, period: 30 });
    for (let step = 0; step < 200; step++)
      assert.equal(at(START + step * 977_777), other.generate({ timestamp: START + step * 977_777 }));
  });

  test('base32 is that of RFC 4648, without padding, and reads back', () => {
    const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
    for (const [text, encoded] of [
      ['', ''],
      ['f', 'MY'],
      ['fo', 'MZXQ'],
      ['foo', 'MZXW6'],
      ['foob', 'MZXW6YQ'],
      ['fooba', 'MZXW6YTB'],
      ['foobar', 'MZXW6YTBOI'],
    ] as const) {
      assert.equal(encodeBase32(bytes(text)), encoded);
      assert.deepEqual(decodeBase32(encoded), bytes(text));
    }
    for (const wrong of ['my', 'M1', 'MZ=', 'MZ']) assert.equal(decodeBase32(wrong), null, wrong);
  });

  test('one step either side is taken, two are not', () => {
    for (const [drift, verdict] of [
      [-2, 'wrong'],
      [-1, 'accepted'],
      [0, 'accepted'],
      [1, 'accepted'],
      [2, 'wrong'],
    ] as const) {
      assert.equal(judge(newTotp('sealed', false), at(START + drift * 30_000), START).verdict, verdict, String(drift));
    }
  });

  test('fault 62: each step is worth one use, and an earlier one nothing after it', () => {
    const first = judge(newTotp('sealed', false), at(START), START);
    assert.deepEqual([first.verdict, first.state.confirmedAt], ['accepted', START]);
    assert.equal(judge(first.state, at(START), START).verdict, 'wrong');
    assert.equal(judge(first.state, at(START - 30_000), START).verdict, 'wrong');
    assert.equal(judge(first.state, at(START + 30_000), START + 30_000).verdict, 'accepted');
  });

  test('fault 62: five wrong codes, and for 15 minutes even a right one is refused', () => {
    let state = newTotp('sealed', false);
    for (let tries = 0; tries < 5; tries++) {
      const judged = judge(state, 'abcdef', START);
      assert.equal(judged.verdict, 'wrong');
      state = judged.state;
    }
    assert.equal(judge(state, at(START), START).verdict, 'paused');
    assert.equal(judge(state, at(START), START + 15 * 60_000 - 1).verdict, 'paused');
    assert.equal(judge(state, at(START + 15 * 60_000), START + 15 * 60_000).verdict, 'accepted');
    const again = judge(state, '000000', START + 15 * 60_000);
    assert.deepEqual([again.verdict, again.state.tries], ['wrong', 1]);
  });

  test('a right code forgives the wrong ones before it', () => {
    let state = newTotp('sealed', false);
    for (let tries = 0; tries < 4; tries++) state = judge(state, '', START).state;
    const right = judge(state, at(START), START);
    assert.deepEqual([right.verdict, right.state.tries, right.state.pausedUntil], ['accepted', 0, null]);
  });
});
