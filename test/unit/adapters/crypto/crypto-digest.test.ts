import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CryptoDigest, CryptoRandom } from '../../../../adapters/crypto/index.ts';

const digest = new CryptoDigest();
const text = (value: string): Uint8Array => Buffer.from(value);
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

describe('CryptoDigest', () => {
  test('MD5 and SHA-256 give the published values in lower case', () => {
    assert.equal(digest.md5Hex(text('')), 'd41d8cd98f00b204e9800998ecf8427e');
    assert.equal(digest.md5Hex(text('abc')), '900150983cd24fb0d6963f7d28e17f72');
    const abc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
    assert.equal(digest.sha256Hex(text('abc')), abc);
    assert.equal(digest.sha256Hex('abc'), abc);
  });

  test('text is hashed as UTF-8, and a view only for the bytes it covers', () => {
    assert.equal(digest.sha256Hex('ü€'), digest.sha256Hex(text('ü€')));
    assert.equal(digest.md5Hex(new Uint8Array(text('xxabcxx')).subarray(2, 5)), digest.md5Hex(text('abc')));
  });

  test('both keyed hashes of request signatures give the published values', () => {
    const sha256 = digest.hmac('HMAC-SHA256', 'Jefe', 'what do ya want for nothing?');
    assert.equal(hex(sha256), '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843');
    const sha3 = digest.hmac('HMAC-SHA3_256', 'key', 'The quick brown fox jumps over the lazy dog');
    assert.equal(hex(sha3), '8c6e0683409427f8931711b10ca92a506eb1fafa48fadd66d76126f47ac2c333');
    assert.deepEqual(digest.hmac('HMAC-SHA256', text('Jefe'), text('what do ya want for nothing?')), sha256);
  });

  test('HMAC-SHA1 gives the value of RFC 2202', () => {
    const mac = digest.hmacSha1(text('Jefe'), text('what do ya want for nothing?'));
    assert.equal(hex(mac), 'effcdf6ae5eb2fa2d27416d5f184df9c259a7c79');
  });

  test('fault 19: unequal lengths compare as unequal and throw nothing', () => {
    assert.equal(digest.equal(text('abc'), text('abc')), true);
    assert.equal(digest.equal(text('abc'), text('abd')), false);
    assert.equal(digest.equal(text('abc'), text('abcd')), false);
    assert.equal(digest.equal(text(''), text('')), true);
    assert.equal(digest.equal(text('abc'), text('')), false);
  });
});

test('CryptoRandom gives as many bytes as asked for, and others each time', () => {
  const random = new CryptoRandom();
  assert.equal(random.bytes(0).byteLength, 0);
  assert.equal(random.bytes(33).byteLength, 33);
  assert.notDeepEqual(random.bytes(32), random.bytes(32));
});
