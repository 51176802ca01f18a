import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { NodeDigest } from '../../../../adapters/crypto/index.ts';
import type { SignatureAlgorithm } from '../../../../core/index.ts';

const digest = new NodeDigest();
const NAMES: Readonly<Record<SignatureAlgorithm, string>> = { 'HMAC-SHA256': 'sha256', 'HMAC-SHA3_256': 'sha3-256' };

function sameAsNode(algorithm: SignatureAlgorithm, key: string, message: string): void {
  assert.deepEqual(Buffer.from(digest.hmac(algorithm, key, message)), createHmac(NAMES[algorithm], key).update(message).digest());
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

  test('results do not share memory', () => {
    const first = digest.hmac('HMAC-SHA256', 'a', 'b');
    const copy = Uint8Array.from(first);
    digest.hmac('HMAC-SHA256', 'c', 'd');
    assert.deepEqual(Uint8Array.from(first), copy);
  });
});
