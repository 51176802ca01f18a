import { describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { equalBytes, fromBase64, toBase64, toHex, utf8 } from '../../../adapters/client/bytes.ts';
import { hmac } from '../../../adapters/client/hmac.ts';
import { md5Hex } from '../../../adapters/client/md5.ts';
import { signRequest } from '../../../adapters/client/index.ts';
import { VECTOR_DATE, VECTOR_SECRET, VECTORS } from '../auth/signature-vectors.ts';

/** The test suite of RFC 1321, section A.5. */
const RFC_1321: readonly (readonly [text: string, digest: string])[] = [
  ['', 'd41d8cd98f00b204e9800998ecf8427e'],
  ['a', '0cc175b9c0f1b6a831c399e269772661'],
  ['abc', '900150983cd24fb0d6963f7d28e17f72'],
  ['message digest', 'f96b697d7cb7938d525a2f31aaf161d0'],
  ['abcdefghijklmnopqrstuvwxyz', 'c3fcd3d76192e4007dfb496cca67e13b'],
  ['ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789', 'd174ab98d277d9f5a5611c2c9f419d9f'],
  [
    '12345678901234567890123456789012345678901234567890123456789012345678901234567890',
    '57edf4a22be3c955ac49da2e2107b67a',
  ],
];

describe('MD5', () => {
  test('gives the digests of RFC 1321', () => {
    for (const [text, digest] of RFC_1321) assert.equal(md5Hex(utf8(text)), digest, text);
  });

  test('agrees with node:crypto at every length around the blocks, and on bytes of any kind', () => {
    for (let length = 0; length <= 200; length++) {
      const bytes = new Uint8Array(length).map((_, at) => (at * 7 + length) & 255);
      assert.equal(md5Hex(bytes), createHash('md5').update(bytes).digest('hex'), `${length} bytes`);
    }
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 5000 }),
        (bytes) => md5Hex(bytes) === createHash('md5').update(bytes).digest('hex'),
      ),
    );
  });
});

describe('the keyed hashes', () => {
  test('sign as OpenSSL does, both algorithms, with a body, a query and neither', async () => {
    // What the client writes: spaces around the delimiter, lower-case MD5, three parts without a body.
    const own = VECTORS.filter(
      ({ delimiter, shape, bodyMd5 }) =>
        delimiter === ' | ' && !shape.includes('four') && bodyMd5 === bodyMd5.toLowerCase(),
    );
    assert.equal(own.length, 6);
    for (const { request, algorithm, bodyMd5, signature } of own) {
      const headers = await signRequest(
        { ...request, body: utf8(request.body) },
        { apiToken: 'token', signingSecret: VECTOR_SECRET, algorithm },
        Date.parse(VECTOR_DATE),
      );
      assert.deepEqual(
        [headers['Date'], headers['Body-MD5'] ?? '', headers['Signature']],
        [VECTOR_DATE, bodyMd5, signature],
      );
    }
  });

  test('HMAC-SHA3_256 says what is missing where the runtime has no node:crypto', async (t) => {
    t.mock.method(process, 'getBuiltinModule', () => undefined);
    await assert.rejects(hmac('HMAC-SHA3_256', utf8('key'), 'text'), /node:crypto with SHA-3.*HMAC-SHA256/);
    assert.equal(toHex(await hmac('HMAC-SHA256', utf8('key'), 'text')).length, 64);
  });
});

describe('base64', () => {
  test('fault 9: is read in one spelling only', () => {
    const text = toBase64(new Uint8Array(32).fill(255));
    assert.deepEqual(fromBase64(text), new Uint8Array(32).fill(255));
    const stray = `${text.slice(0, 42)}9=`;
    for (const bad of [
      text.replaceAll('/', '_'),
      text.slice(0, -1),
      ` ${text}`,
      `${text}\n`,
      stray,
      `${text}====`,
      '=',
    ])
      assert.equal(fromBase64(bad), null, bad);
  });

  test('bytes are equal when all of them are', () => {
    assert.equal(equalBytes(Uint8Array.of(1, 2), Uint8Array.of(1, 2)), true);
    assert.equal(equalBytes(Uint8Array.of(1, 2), Uint8Array.of(1, 3)), false);
    assert.equal(equalBytes(Uint8Array.of(1, 2), Uint8Array.of(1)), false);
  });
});
