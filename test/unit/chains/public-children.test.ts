import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ECDH, createHash } from 'node:crypto';
import { HDKey } from '@scure/bip32';
import * as secp256k1 from 'tiny-secp256k1';
import { PublicChildren, childOf } from '../../../adapters/chains/public-children.ts';

/** The order of the curve, big-endian (SEC 2, section 2.4.1). */
const ORDER = Buffer.from('fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141', 'hex');
const expanded = (key: Uint8Array): Uint8Array =>
  ECDH.convertKey(key, 'secp256k1', undefined, undefined, 'uncompressed') as Uint8Array;
const hex = (bytes: Uint8Array | null | undefined): string => Buffer.from(bytes ?? []).toString('hex');

/** Public parents whose own keys have each of the two signs. */
function parents(): readonly HDKey[] {
  const found = new Map<number, HDKey>();
  for (let seed = 0; found.size < 2; seed++) {
    const key = HDKey.fromExtendedKey(
      HDKey.fromMasterSeed(createHash('sha512').update(`${seed}`).digest()).derive("m/44'/60'/1'").publicExtendedKey,
    ).deriveChild(0);
    found.set(key.publicKey?.[0] ?? 0, key);
  }
  return [...found.values()];
}

/** Spread over the whole range, the same in each run. */
const indexes = Array.from(
  { length: 500 },
  (_, at) => createHash('sha256').update(`index ${at}`).digest().readUInt32BE() & 0x7fffffff,
);

describe('public children', () => {
  const [one, two] = parents() as [HDKey, HDKey];

  test('1,000 children of two parents are those of @scure/bip32, compressed and not, of both signs', () => {
    assert.deepEqual(new Set([one.publicKey?.[0], two.publicKey?.[0]]), new Set([2, 3]));
    const signs = new Set<number | undefined>();
    for (const parent of [one, two]) {
      const children = new PublicChildren(parent, secp256k1);
      for (const index of [0, 1, 0x7fffffff, ...indexes]) {
        const expected = parent.deriveChild(index).publicKey as Uint8Array;
        signs.add(expected[0]);
        assert.equal(hex(children.compressed(index)), hex(expected), `index ${index}`);
        assert.equal(hex(children.point(index)), hex(expanded(expected)), `index ${index}`);
      }
    }
    assert.deepEqual(signs, new Set([2, 3]));
  });

  test('without the fast library they are the same', () => {
    const children = new PublicChildren(one, null);
    for (const index of indexes.slice(0, 5))
      assert.equal(hex(children.compressed(index)), hex(one.deriveChild(index).publicKey));
    assert.equal(children.point(3).length, 33);
  });

  test('a fast library that is wrong about the first child is not believed about any', () => {
    const wrong = { ...secp256k1, pointAdd: () => one.publicKey };
    assert.equal(hex(new PublicChildren(one, wrong).compressed(7)), hex(one.deriveChild(7).publicKey));
  });

  test('a tweak that BIP-32 refuses gives no child, and neither does one of 0', () => {
    const point = expanded(one.publicKey as Uint8Array);
    for (const tweak of [ORDER, Buffer.alloc(32, 0xff), Buffer.alloc(32)])
      assert.equal(childOf(secp256k1, point, tweak, true), null);
    const secret = Buffer.alloc(32, 7);
    const own = secp256k1.pointFromScalar(secret, false) as Uint8Array;
    assert.equal(childOf(secp256k1, own, secp256k1.privateNegate(secret), true), null);
  });

  test('where the fast library has no child, @scure/bip32 says what comes in its place', () => {
    let refusing = false;
    const fast = {
      ...secp256k1,
      pointAdd: (...args: Parameters<typeof secp256k1.pointAdd>) => (refusing ? null : secp256k1.pointAdd(...args)),
    };
    const children = new PublicChildren(two, fast);
    refusing = true;
    assert.equal(hex(children.compressed(9)), hex(two.deriveChild(9).publicKey));
    assert.equal(children.point(9).length, 33);
  });

  test('a hardened or broken index is a defect of the caller', () => {
    const children = new PublicChildren(one, secp256k1);
    for (const index of [-1, 0x80000000, 1.5, NaN]) assert.throws(() => children.compressed(index), /a public child/);
  });
});
