import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createHash } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import * as native from 'tiny-secp256k1';
import { KeyRecovery } from '../../../../adapters/crypto/key-recovery.ts';
import type { RecoverableSignature } from '../../../../adapters/crypto/key-recovery.ts';

/** The order of the curve (SEC 2, section 2.4.1). */
const ORDER = BigInt('0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141');
const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

interface Signed {
  readonly key: string;
  readonly digest: Uint8Array;
  readonly signature: RecoverableSignature;
}

function signed(n: number): Signed {
  const secret = hash(`secret ${n}`);
  const digest = hash(`message ${n}`);
  const bytes = secp256k1.sign(digest, secret, { prehash: false, format: 'recovered' });
  return {
    key: hex(secp256k1.getPublicKey(secret, true)),
    digest,
    signature: { compact: bytes.subarray(1), recoveryId: bytes[0] ?? 0 },
  };
}

/** The same signature with the other `s`, which is as valid and has the other recovery id. */
function withOtherS({ compact, recoveryId }: RecoverableSignature): RecoverableSignature {
  const s = ORDER - BigInt(`0x${hex(compact.subarray(32))}`);
  const other = Buffer.from(s.toString(16).padStart(64, '0'), 'hex');
  return { compact: Buffer.concat([compact.subarray(0, 32), other]), recoveryId: recoveryId ^ 1 };
}

describe('key recovery', () => {
  const cases = Array.from({ length: 40 }, (_, n) => signed(n));

  for (const [name, fast] of [
    ['the native library', native],
    ['JavaScript', null],
  ] as const)
    test(`${name} finds the signer, of low and of high signatures`, () => {
      const keys = new KeyRecovery(fast);
      for (const { key, digest, signature } of cases) {
        assert.equal(keys.recover(digest, signature), key);
        assert.equal(keys.recover(digest, withOtherS(signature)), key);
      }
    });

  test('what is no signature is refused, by either', () => {
    const { digest, signature } = signed(1);
    const none = { compact: new Uint8Array(64), recoveryId: 0 };
    const above = { compact: Buffer.alloc(64, 0xff), recoveryId: 1 };
    // There is no x above the field's prime.
    const beyond = { ...signature, recoveryId: 2 };
    for (const fast of [native, null])
      for (const bad of [none, above, beyond, { ...signature, recoveryId: 4 }])
        assert.throws(() => new KeyRecovery(fast).recover(digest, bad));
  });

  test('a native library that is wrong the first time is never believed', () => {
    const wrong = Buffer.from(signed(99).key, 'hex');
    const keys = new KeyRecovery({ recover: () => wrong });
    for (const { key, digest, signature } of cases.slice(0, 3)) assert.equal(keys.recover(digest, signature), key);
  });

  test('once it has agreed, the native library is enough, and where it refuses JavaScript decides', () => {
    let [asked, refuses] = [0, false];
    const recover: typeof native.recover = (...given) => {
      asked += 1;
      return refuses ? null : native.recover(...given);
    };
    const keys = new KeyRecovery({ recover });
    for (const { key, digest, signature } of cases.slice(0, 3)) assert.equal(keys.recover(digest, signature), key);
    refuses = true;
    for (const { key, digest, signature } of cases.slice(3, 6)) assert.equal(keys.recover(digest, signature), key);
    assert.equal(asked, 6);
  });
});
