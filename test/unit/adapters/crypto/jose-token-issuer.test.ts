import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SignJWT, UnsecuredJWT, decodeJwt, decodeProtectedHeader } from 'jose';
import { JoseTokenIssuer, deriveSubKeys } from '../../../../adapters/crypto/index.ts';
import type { AccountId, TokenClaims } from '../../../../core/index.ts';

const key = (byte: number): Uint8Array => new Uint8Array(32).fill(byte);
const keys = { current: key(1) };
const issuer = new JoseTokenIssuer(keys);
const NOW = 1_800_000_000_123;
const claims: TokenClaims = {
  accountId: '1600000000000000001' as AccountId,
  authVersion: 3,
  issuedAt: NOW,
  expiresAt: NOW + 3_600_000,
};

/** A token like ours, but for what the test changes; signed with the right key. */
async function forged(header: Record<string, string>, payload: Record<string, unknown>): Promise<string> {
  const [subKey] = deriveSubKeys(keys, 'tillgate/access-token');
  const base = decodeJwt(await issuer.issue(claims));
  return new SignJWT({ ...base, ...payload })
    .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid: subKey.id, ...header })
    .sign(subKey.key);
}

describe('JoseTokenIssuer', () => {
  test('reads what it issued, to the millisecond', async () => {
    assert.deepEqual(await issuer.read(await issuer.issue(claims), NOW), claims);
  });

  test('a token is good until its last millisecond and not one longer', async () => {
    const text = await issuer.issue(claims);
    assert.deepEqual(await issuer.read(text, claims.expiresAt - 1), claims);
    assert.equal(await issuer.read(text, claims.expiresAt), null);
    assert.equal(await issuer.read(text, claims.expiresAt + 86_400_000), null);
  });

  test('the token names its algorithm, type and key, and holds nothing but the claims', async () => {
    const text = await issuer.issue(claims);
    const header = decodeProtectedHeader(text);
    assert.deepEqual([header.alg, header.typ, typeof header.kid], ['HS256', 'at+jwt', 'string']);
    assert.deepEqual(Object.keys(decodeJwt(text)).sort(), ['aud', 'exp', 'iat', 'iss', 'sub', 'ver']);
  });

  test('refuses text that is no token', async () => {
    for (const text of ['', 'x', 'a.b.c', 'eyJ.eyJ.', 'tak_123', `${'x'.repeat(5000)}.y.z`, 'bnVsbA.e30.e30']) {
      assert.equal(await issuer.read(text, NOW), null);
    }
  });

  test('refuses an altered token, and one of another master key', async () => {
    const text = await issuer.issue(claims);
    const [header, , signature] = text.split('.');
    const payload = Buffer.from(JSON.stringify({ ...decodeJwt(text), ver: 4 })).toString('base64url');
    assert.equal(await issuer.read(`${header}.${payload}.${signature}`, NOW), null);
    assert.equal(await new JoseTokenIssuer({ current: key(2) }).read(text, NOW), null);
  });

  test('refuses an unsigned token, another algorithm and another type', async () => {
    const unsigned = new UnsecuredJWT(decodeJwt(await issuer.issue(claims))).encode();
    assert.equal(await issuer.read(unsigned, NOW), null);
    assert.equal(await issuer.read(await forged({ typ: 'JWT' }, {}), NOW), null);
    assert.equal(await issuer.read(await forged({ kid: 'ffffffff' }, {}), NOW), null);
    const [subKey] = deriveSubKeys({ current: key(1) }, 'tillgate/access-token');
    const longer = await new SignJWT(decodeJwt(await issuer.issue(claims)))
      .setProtectedHeader({ alg: 'HS384', typ: 'at+jwt', kid: subKey.id })
      .sign(new Uint8Array(48).fill(1));
    assert.equal(await issuer.read(longer, NOW), null);
  });

  test('refuses another issuer, another audience, and claims that are missing or of the wrong kind', async () => {
    assert.deepEqual(await issuer.read(await forged({}, {}), NOW), claims);
    const changes: Record<string, unknown>[] = [
      { iss: 'someone' },
      { aud: 'other' },
      { sub: 'admin' },
      { sub: undefined },
      { exp: undefined },
      { ver: undefined },
      { ver: '3' },
    ];
    for (const change of changes) {
      assert.equal(await issuer.read(await forged({}, change), NOW), null, JSON.stringify(change));
    }
    const other = new JoseTokenIssuer({ current: key(1) }, { issuer: 'b', audience: 'b' });
    assert.equal(await other.read(await issuer.issue(claims), NOW), null);
  });

  test("after a rotation of the master key the former one's tokens are read until they expire", async () => {
    const text = await issuer.issue(claims);
    const rotated = new JoseTokenIssuer({ current: key(2), former: [key(1)] });
    assert.deepEqual(await rotated.read(text, NOW), claims);
    assert.equal(await issuer.read(await rotated.issue(claims), NOW), null);
  });
});
