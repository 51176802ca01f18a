import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { signRequest, verifySignature } from '../../../core/index.ts';
import type { SignatureAlgorithm, SignedRequest } from '../../../core/index.ts';
import { PlainDigest, START } from '../../support/fakes.ts';

const digest = new PlainDigest();
const SKEW = 300_000;
const RUNS = { numRuns: 200 };

const arbAlgorithm = fc.constantFrom<SignatureAlgorithm>('HMAC-SHA256', 'HMAC-SHA3_256');
const arbTarget = fc
  .webPath()
  .chain((path) => fc.webQueryParameters().map((query) => `/${path}?${query}`.replaceAll('|', '%7C')));
const arbRequest = fc.record({
  method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE'),
  target: arbTarget,
  body: fc.uint8Array({ maxLength: 200 }),
});
const arbSecret = fc.string({ minLength: 1, maxLength: 60, unit: 'binary' });

interface Sample {
  readonly request: SignedRequest;
  readonly secret: string;
}

const arbSample = fc.tuple(arbRequest, arbSecret, arbAlgorithm).map(([bare, secret, algorithm]): Sample => {
  const headers = signRequest(bare, { apiToken: 'tat_x', secret }, digest, START, algorithm);
  return {
    secret,
    request: {
      ...bare,
      headers: new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), [value]])),
    },
  };
});

function verifies({ request, secret }: Sample, now = START): boolean {
  return verifySignature(request, { secret, tokenHash: '' }, digest, now, SKEW).ok;
}

function withHeader({ request, secret }: Sample, name: string, change: (value: string) => string): Sample {
  const value = change(request.headers.get(name)?.[0] ?? '');
  return { secret, request: { ...request, headers: new Map([...request.headers, [name, [value]]]) } };
}

describe('for every request', () => {
  test('what was signed verifies, within the skew', () => {
    fc.assert(
      fc.property(arbSample, fc.integer({ min: -SKEW, max: SKEW }), (sample, shift) =>
        assert.equal(verifies(sample, START + shift), true),
      ),
      RUNS,
    );
  });

  test('a changed body fails', () => {
    fc.assert(
      fc.property(arbSample, fc.uint8Array({ maxLength: 200 }), (sample, body) => {
        fc.pre(Buffer.compare(body, sample.request.body) !== 0);
        assert.equal(verifies({ ...sample, request: { ...sample.request, body } }), false);
      }),
      RUNS,
    );
  });

  test('a changed body fails with its Body-MD5 put right as well', () => {
    fc.assert(
      fc.property(arbSample, fc.uint8Array({ minLength: 1, maxLength: 200 }), (sample, body) => {
        fc.pre(Buffer.compare(body, sample.request.body) !== 0);
        const changed = withHeader({ ...sample, request: { ...sample.request, body } }, 'body-md5', () =>
          digest.md5Hex(body),
        );
        assert.equal(verifies(changed), false);
      }),
      RUNS,
    );
  });

  test('a changed target or method fails', () => {
    fc.assert(
      fc.property(arbSample, arbRequest, (sample, { target, method }) => {
        fc.pre(target !== sample.request.target && method !== sample.request.method);
        assert.equal(verifies({ ...sample, request: { ...sample.request, target } }), false);
        assert.equal(verifies({ ...sample, request: { ...sample.request, method } }), false);
      }),
      RUNS,
    );
  });

  test('another date, another secret and another algorithm fail', () => {
    fc.assert(
      fc.property(arbSample, arbSecret, (sample, secret) => {
        fc.pre(secret !== sample.secret);
        // Keys are padded with zero bytes to the hash's block, so a key that only differs there is the same key.
        fc.pre(!secret.includes('\0') && !sample.secret.includes('\0'));
        assert.equal(verifies({ ...sample, secret }), false);
        assert.equal(verifies(withHeader(sample, 'date', () => '2026-03-01T12:00:01Z')), false);
        assert.equal(
          verifies(
            withHeader(sample, 'algorithm', (name) => (name === 'HMAC-SHA256' ? 'HMAC-SHA3_256' : 'HMAC-SHA256')),
          ),
          false,
        );
      }),
      RUNS,
    );
  });

  test('a signature with any bit flipped fails', () => {
    fc.assert(
      fc.property(arbSample, fc.nat({ max: 255 }), (sample, bit) => {
        const flipped = withHeader(sample, 'signature', (text) => {
          const signature = Buffer.from(text, 'base64');
          signature[bit >> 3] = (signature[bit >> 3] as number) ^ (1 << (bit & 7));
          return signature.toString('base64');
        });
        assert.equal(verifies(flipped), false);
      }),
      RUNS,
    );
  });

  test('any text at all in the headers is answered, never thrown at', () => {
    const arbHeaders = fc.dictionary(
      fc.constantFrom('api-token', 'algorithm', 'date', 'signature', 'body-md5'),
      fc.array(fc.string({ unit: 'binary' }), { maxLength: 3 }),
    );
    fc.assert(
      fc.property(
        arbHeaders,
        fc.string({ unit: 'binary' }),
        fc.string(),
        fc.uint8Array(),
        (headers, target, method, body) => {
          const request = { method, target, body, headers: new Map(Object.entries(headers)) };
          assert.equal(verifySignature(request, { secret: 'x', tokenHash: '' }, digest, START, SKEW).ok, false);
        },
      ),
      RUNS,
    );
  });
});
