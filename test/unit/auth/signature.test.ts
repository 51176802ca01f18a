import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { signRequest, verifySignature } from '../../../core/index.ts';
import type { SignatureVerdict, SignedRequest, TillgateError } from '../../../core/index.ts';
import { PlainDigest, START } from '../../support/fakes.ts';
import { VECTOR_DATE, VECTOR_SECRET, VECTORS } from './signature-vectors.ts';

const digest = new PlainDigest();
const SKEW = 300_000;
const KEY = { secret: VECTOR_SECRET, tokenHash: 'ab'.repeat(32) };
const NOTHING = new Uint8Array();
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

interface Parts {
  readonly method?: string;
  readonly target?: string;
  readonly body?: Uint8Array;
  readonly headers?: Readonly<Record<string, string | readonly string[] | null>>;
}

function requestOf({ method = 'POST', target = '/api/withdraw', body = NOTHING, headers = {} }: Parts): SignedRequest {
  const entries = Object.entries(headers).flatMap(([name, value]) =>
    value === null ? [] : [[name.toLowerCase(), typeof value === 'string' ? [value] : value] as const],
  );
  return { method, target, body, headers: new Map(entries) };
}

/** A request signed by the till's own signer, then changed by `change`. */
function signed(parts: Parts, change: Parts['headers'] = {}): SignedRequest {
  const bare = requestOf(parts);
  const headers = signRequest(bare, { apiToken: 'tat_x', secret: VECTOR_SECRET }, digest, START);
  const lower = Object.fromEntries(
    Object.entries({ ...headers, ...change }).map(([name, value]) => [name.toLowerCase(), value]),
  );
  return requestOf({ ...parts, headers: lower });
}

const verify = (request: SignedRequest, now = START): SignatureVerdict =>
  verifySignature(request, KEY, digest, now, SKEW);

function refused(verdict: SignatureVerdict): Extract<SignatureVerdict, { ok: false }> {
  assert.equal(verdict.ok, false);
  return verdict;
}

describe('signatures made by OpenSSL', () => {
  for (const { algorithm, delimiter, request, shape, bodyMd5, signature } of VECTORS) {
    const name = `${algorithm}, delimiter "${delimiter}", ${shape}${bodyMd5 === '' ? '' : `, MD5 ${bodyMd5.slice(0, 6)}…`}`;
    test(`verify: ${name}`, () => {
      const headers = { 'api-token': 'tat_x', algorithm, date: VECTOR_DATE, 'body-md5': bodyMd5, signature };
      const verdict = verify(requestOf({ ...request, body: bytes(request.body), headers }));
      assert.deepEqual(verdict, {
        ok: true,
        replayKey: KEY.tokenHash + Buffer.from(signature, 'base64').toString('hex'),
      });
    });
  }

  test('are made by the signer too, in the form with spaces', () => {
    for (const { algorithm, delimiter, request, shape, bodyMd5, signature } of VECTORS) {
      if (delimiter !== ' | ' || shape === 'query, four parts' || bodyMd5 !== bodyMd5.toLowerCase()) continue;
      const made = signRequest(
        { ...request, body: bytes(request.body) },
        { apiToken: 'tat_x', secret: VECTOR_SECRET },
        digest,
        START,
        algorithm,
      );
      assert.equal(made['Signature'], signature);
      assert.equal(made['Body-MD5'] ?? '', bodyMd5);
      assert.equal(made['API-Token'], 'tat_x');
      assert.equal(made['Algorithm'], algorithm);
      assert.equal(made['Date'], VECTOR_DATE);
    }
  });
});

describe('the date of a signature (fault 2)', () => {
  for (const [seconds, ok] of [
    [-301, false],
    [-300, true],
    [-299, true],
    [0, true],
    [299, true],
    [300, true],
    [301, false],
  ] as const) {
    test(`${seconds} s from the server's time ${ok ? 'passes' : 'fails'}`, () => {
      const verdict = verify(signed({}), START + seconds * 1000);
      if (ok) assert.equal(verdict.ok, true);
      else assert.equal(refused(verdict).code, 'DATE_INVALID');
    });
  }

  test('one millisecond beyond the skew fails', () => {
    assert.equal(refused(verify(signed({}), START + SKEW + 1)).code, 'DATE_INVALID');
    assert.equal(refused(verify(signed({}), START - SKEW - 1)).code, 'DATE_INVALID');
  });

  for (const date of [
    '',
    '2026-03-01T12:00:00',
    '2026-03-01T12:00:00.000Z',
    '2026-03-01T12:00:00+00:00',
    '2026-03-01 12:00:00Z',
    '2026-02-30T12:00:00Z',
    '2026-03-01T24:00:00Z',
    'Sun, 01 Mar 2026 12:00:00 GMT',
    '1772366400',
    ' 2026-03-01T12:00:00Z',
  ]) {
    test(`the form ${JSON.stringify(date)} fails`, () => {
      const verdict = refused(verify(signed({}, { Date: date })));
      assert.equal(verdict.code, 'DATE_INVALID');
      assert.equal(verdict.signing?.date, date);
    });
  }
});

describe('what a signed request must carry', () => {
  test('none of the headers is no credentials at all, and Date alone counts for nothing', () => {
    for (const headers of [{}, { date: VECTOR_DATE }, { 'api-key': 'tak_x' }]) {
      assert.deepEqual(verify(requestOf({ headers })), {
        ok: false,
        code: 'NO_CREDENTIALS',
        message: 'The request carries no credentials.',
        signing: null,
      });
    }
  });

  for (const header of ['API-Token', 'Algorithm', 'Date', 'Signature']) {
    test(`a missing ${header} is named`, () => {
      const verdict = refused(verify(signed({}, { [header]: null })));
      assert.equal(verdict.code, 'SIGNATURE_INVALID');
      assert.equal(verdict.message, `The header ${header} is missing.`);
      assert.notEqual(verdict.signing, null);
    });
  }

  test('a missing Body-MD5 is named when there is a body', () => {
    for (const value of [null, '']) {
      const verdict = refused(verify(signed({ body: bytes('{}') }, { 'Body-MD5': value })));
      assert.equal(verdict.message, 'The header Body-MD5 is missing.');
      assert.equal(verdict.signing?.bodyMd5, '99914b932bd37a50b983c5e7c90ae93b');
    }
  });

  test('a Body-MD5 without a body is refused, even the MD5 of nothing', () => {
    const verdict = refused(verify(signed({}, { 'Body-MD5': 'd41d8cd98f00b204e9800998ecf8427e' })));
    assert.equal(verdict.message, 'Body-MD5 must be absent or empty when there is no body.');
    assert.equal(verdict.signing?.bodyMd5, '');
  });

  test('an empty Body-MD5 without a body passes', () => {
    assert.equal(verify(signed({}, { 'Body-MD5': '' })).ok, true);
  });

  for (const header of ['API-Token', 'Algorithm', 'Date', 'Signature', 'Body-MD5']) {
    test(`fault 8: a repeated ${header} is refused`, () => {
      const good = signed({ body: bytes('{}') });
      const value = good.headers.get(header.toLowerCase())?.[0] ?? '';
      const verdict = refused(
        verify({ ...good, headers: new Map([...good.headers, [header.toLowerCase(), [value, value]]]) }),
      );
      assert.equal(verdict.message, `The header ${header} appears more than once.`);
    });
  }

  for (const algorithm of [
    '',
    'hmac-sha256',
    'HMAC-SHA1',
    'HMAC-MD5',
    'none',
    'HMAC-SHA256, HMAC-SHA256',
    'constructor',
  ]) {
    test(`the algorithm ${JSON.stringify(algorithm)} is refused`, () => {
      assert.equal(refused(verify(signed({}, { Algorithm: algorithm }))).code, 'SIGNATURE_INVALID');
    });
  }
});

describe('the body of a signed request', () => {
  test('fault 5: a body that differs from Body-MD5 is refused, and the answer shows the MD5 of what arrived', () => {
    const good = signed({ body: bytes('{"amount":1}') });
    const verdict = refused(verify({ ...good, body: bytes('{"amount":2}') }));
    assert.equal(verdict.code, 'SIGNATURE_INVALID');
    assert.equal(verdict.message, 'Body-MD5 is not the MD5 of the body that arrived.');
    assert.equal(verdict.signing?.bodyMd5, digest.md5Hex(bytes('{"amount":2}')));
  });

  test('Body-MD5 is compared without case, and the origin has its own text', () => {
    const body = bytes('{"amount":1}');
    const upper = digest.md5Hex(body).toUpperCase();
    const origin = `HMAC-SHA256 | ${VECTOR_DATE} | POST /api/withdraw | ${upper}`;
    const signature = Buffer.from(digest.hmac('HMAC-SHA256', VECTOR_SECRET, origin)).toString('base64');
    assert.equal(verify(signed({ body }, { 'Body-MD5': upper, Signature: signature })).ok, true);
    const verdict = refused(verify(signed({ body }, { 'Body-MD5': upper })));
    assert.equal(verdict.signing?.signatureOrigin, origin);
  });

  test('the bytes count, not the text: a body that is not UTF-8 verifies', () => {
    assert.equal(verify(signed({ body: new Uint8Array([0xff, 0x00, 0xc3]) })).ok, true);
  });
});

describe('the target of a signed request', () => {
  test('fault 3: the three-part origin of one request is not the four-part origin of another', () => {
    const body = bytes('{"amount":1}');
    const md5 = digest.md5Hex(body);
    const origin = `HMAC-SHA256|${VECTOR_DATE}|POST /api/withdraw?x=|${md5}`;
    const signature = Buffer.from(digest.hmac('HMAC-SHA256', VECTOR_SECRET, origin)).toString('base64');
    const withBody = signed({ target: '/api/withdraw?x=', body }, { Signature: signature });
    assert.equal(verify(withBody).ok, true);
    const { 'body-md5': _, ...headers } = Object.fromEntries(withBody.headers);
    const shifted = requestOf({ target: `/api/withdraw?x=|${md5}`, headers });
    assert.equal(refused(verify(shifted)).code, 'SIGNATURE_INVALID');
  });

  for (const target of ['/a|b', '/a?x=|', 'http://till.example/api/withdraw', '/a#b', '/a b', '/a\t', '*', '']) {
    test(`fault 4: the target ${JSON.stringify(target)} is refused and cannot be signed`, () => {
      assert.equal(refused(verify({ ...signed({}), target })).code, 'SIGNATURE_INVALID');
      assert.throws(
        () => signed({ target }),
        (error: TillgateError) => error.code === 'MALFORMED_REQUEST',
      );
    });
  }

  test('is signed raw: the same path written another way does not verify', () => {
    const good = signed({ target: '/api/v2/order/?page=1&size=%31%30' });
    assert.equal(verify(good).ok, true);
    assert.equal(verify({ ...good, target: '/api/v2/order/?page=1&size=10' }).ok, false);
    assert.equal(verify({ ...good, target: '/api/v2/order/?size=%31%30&page=1' }).ok, false);
  });

  test('the method is signed in upper case, and only letters make one', () => {
    const good = signed({ method: 'post' });
    assert.equal(verify({ ...good, method: 'POST' }).ok, true);
    assert.equal(verify({ ...good, method: 'GET' }).ok, false);
    assert.equal(verify({ ...good, method: 'P|ST' }).ok, false);
  });
});

describe('the text of a signature (fault 9)', () => {
  const good = signed({ body: bytes('{}') });
  const text = good.headers.get('signature')?.[0] ?? '';
  const dressed: Readonly<Record<string, string>> = {
    'without padding': text.slice(0, -1),
    'with more padding': `${text}=`,
    base64url: Buffer.from(text, 'base64').toString('base64url'),
    'with a space': ` ${text}`,
    'with a line break': `${text}\n`,
    'with a letter beyond ASCII': `é${text.slice(1)}`,
    'with junk between': `${text.slice(0, 5)}*${text.slice(5)}`,
    hexadecimal: Buffer.from(text, 'base64').toString('hex'),
    'one byte short': Buffer.from(text, 'base64').subarray(1).toString('base64'),
    'one byte long': Buffer.concat([Buffer.from(text, 'base64'), Buffer.from([0])]).toString('base64'),
    empty: '',
  };
  for (const [dress, signature] of Object.entries(dressed)) {
    test(`is refused ${dress}`, () => {
      const verdict = refused(verify({ ...good, headers: new Map([...good.headers, ['signature', [signature]]]) }));
      assert.equal(verdict.code, 'SIGNATURE_INVALID');
    });
  }

  test('is refused with other stray bits in its last digit', () => {
    const last = text.charAt(42);
    const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
    const twin = `${text.slice(0, 42)}${digits.charAt(digits.indexOf(last) + 1)}=`;
    assert.deepEqual(Buffer.from(twin, 'base64'), Buffer.from(text, 'base64'));
    assert.equal(verify({ ...good, headers: new Map([...good.headers, ['signature', [twin]]]) }).ok, false);
  });
});

describe('a failed signature', () => {
  test('is answered with what the server saw, and with no expected signature', () => {
    const body = bytes('{}');
    const wrong = Buffer.alloc(32, 7).toString('base64');
    const request = signed({ body }, { Signature: wrong });
    const verdict = refused(verify(request));
    assert.deepEqual(verdict.signing, {
      algorithm: 'HMAC-SHA256',
      date: VECTOR_DATE,
      requestInfo: 'POST /api/withdraw',
      bodyMd5: '99914b932bd37a50b983c5e7c90ae93b',
      signatureOrigin: `HMAC-SHA256 | ${VECTOR_DATE} | POST /api/withdraw | 99914b932bd37a50b983c5e7c90ae93b`,
    });
    const expected = signed({ body }).headers.get('signature')?.[0] ?? '';
    assert.ok(!JSON.stringify(verdict).includes(expected));
  });

  test('has three parts in its origin when there is no body', () => {
    const verdict = refused(verify(signed({ method: 'GET' }, { Signature: Buffer.alloc(32).toString('base64') })));
    assert.equal(verdict.signing?.signatureOrigin, `HMAC-SHA256 | ${VECTOR_DATE} | GET /api/withdraw`);
    assert.equal(verdict.signing?.bodyMd5, '');
  });

  test('fault 13: an unknown token gets the very answer of a wrong secret, after the same hashing', () => {
    const counts = { hmac: 0, equal: 0 };
    const counting = new (class extends PlainDigest {
      override hmac(...args: Parameters<PlainDigest['hmac']>): Uint8Array {
        counts.hmac += 1;
        return super.hmac(...args);
      }
      override equal(a: Uint8Array, b: Uint8Array): boolean {
        counts.equal += 1;
        return super.equal(a, b);
      }
    })();
    const request = signed({ method: 'GET' });
    const results = [null, { ...KEY, secret: 'another secret' }, KEY].map((key) => {
      counts.hmac = 0;
      counts.equal = 0;
      return { verdict: verifySignature(request, key, counting, START, SKEW), work: { ...counts } };
    });
    assert.deepEqual(results[0]?.verdict, results[1]?.verdict);
    assert.equal(results[2]?.verdict.ok, true);
    for (const { work } of results) assert.deepEqual(work, { hmac: 4, equal: 4 });
  });

  test('is what the secret for unknown tokens verifies to: nothing signed with it is accepted', () => {
    const headers = signRequest(
      requestOf({}),
      { apiToken: 'tat_x', secret: 'nobody has this secret, and what it verifies is refused' },
      digest,
      START,
    );
    assert.equal(verifySignature(requestOf({ headers }), null, digest, START, SKEW).ok, false);
  });
});
