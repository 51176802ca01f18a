import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { CryptoDigest } from '../../../../adapters/crypto/index.ts';
import { ShortHmac } from '../../../../adapters/crypto/short-hmac.ts';
import type { SignatureAlgorithm } from '../../../../core/index.ts';

const digest = new CryptoDigest();
const NAMES: Readonly<Record<SignatureAlgorithm, string>> = { 'HMAC-SHA256': 'sha256', 'HMAC-SHA3_256': 'sha3-256' };

function sameAsNode(algorithm: SignatureAlgorithm, key: string, message: string): void {
  assert.deepEqual(
    Buffer.from(digest.hmac(algorithm, key, message)),
    createHmac(NAMES[algorithm], key).update(message).digest(),
  );
}

describe('the short HMAC', () => {
  for (const algorithm of ['HMAC-SHA256', 'HMAC-SHA3_256'] as const) {
    test(`${algorithm} is that of node:crypto for any key and text`, () => {
      const text = fc.string({ unit: 'binary', maxLength: 300 });
      fc.assert(fc.property(text, text, (key, message) => sameAsNode(algorithm, key, message)));
    });

    test(`${algorithm} is that of node:crypto around the block and buffer lengths`, () => {
      for (const key of [0, 1, 63, 64, 65, 135, 136, 137].map((length) => 'k'.repeat(length))) {
        for (const length of [0, 1, 2047, 2048, 2049, 10_000]) sameAsNode(algorithm, key, '€'.repeat(length));
      }
    });
  }

  test('under a key that stays it is that of node:crypto for every text, one after another', () => {
    for (const length of [0, 1, 32, 63, 64]) {
      const key = Buffer.alloc(length, 7);
      const hmac = new ShortHmac({ name: 'sha256', blockBytes: 64 }, key);
      fc.assert(
        fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) =>
          assert.equal(hmac.hex(text), createHmac('sha256', key).update(text).digest('hex')),
        ),
      );
      for (const long of [2047, 2048])
        assert.equal(hmac.hex('€'.repeat(long)), createHmac('sha256', key).update('€'.repeat(long)).digest('hex'));
      assert.equal(hmac.hex('x'.repeat(2049)), null);
    }
    assert.throws(() => new ShortHmac({ name: 'sha256', blockBytes: 64 }, Buffer.alloc(65)), RangeError);
  });

  test('results do not share memory', () => {
    const first = digest.hmac('HMAC-SHA256', 'a', 'b');
    const copy = Uint8Array.from(first);
    digest.hmac('HMAC-SHA256', 'c', 'd');
    assert.deepEqual(Uint8Array.from(first), copy);
  });
});
