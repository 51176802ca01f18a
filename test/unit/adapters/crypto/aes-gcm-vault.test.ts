import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AesGcmVault } from '../../../../adapters/crypto/index.ts';
import { isTillgateError } from '../../../../core/index.ts';

const key = (byte: number): Uint8Array => new Uint8Array(32).fill(byte);
const vault = new AesGcmVault({ current: key(1) });

function assertRefused(open: () => string): void {
  assert.throws(open, (error: unknown) => {
    assert.ok(isTillgateError(error, 'INTERNAL'));
    assert.doesNotMatch(error.message, /tss_|credential:/);
    return true;
  });
}

describe('AesGcmVault', () => {
  test('opens what it sealed, in the same context', () => {
    for (const plain of ['', 'tss_secret', '{"name":"Zoë €"}', 'x'.repeat(100_000)]) {
      assert.equal(vault.open(vault.seal(plain, 'credential:1'), 'credential:1'), plain);
    }
  });

  test('seals the same text differently each time, and shows nothing of it', () => {
    const first = vault.seal('tss_secret', 'credential:1');
    assert.notEqual(first, vault.seal('tss_secret', 'credential:1'));
    assert.match(first, /^[A-Za-z0-9_-]+$/);
    assert.ok(!Buffer.from(first, 'base64url').toString('latin1').includes('tss_secret'));
  });

  test('fault 18: a sealed text moved to another record does not open', () => {
    const sealed = vault.seal('tss_secret', 'credential:1');
    assertRefused(() => vault.open(sealed, 'credential:2'));
  });

  test('a text with any single byte changed does not open', () => {
    const sealed = Buffer.from(vault.seal('tss_secret', 'credential:1'), 'base64url');
    for (let at = 0; at < sealed.length; at++) {
      const altered = Buffer.from(sealed);
      altered.writeUInt8(altered.readUInt8(at) ^ 1, at);
      assertRefused(() => vault.open(altered.toString('base64url'), 'credential:1'));
    }
  });

  test('a cut, empty or foreign text does not open', () => {
    const sealed = vault.seal('tss_secret', 'credential:1');
    for (const text of [
      '',
      'x',
      sealed.slice(0, 20),
      sealed.slice(0, -4),
      `${sealed}AAAA`,
      'not base64!',
      `${sealed}\n`,
    ]) {
      assertRefused(() => vault.open(text, 'credential:1'));
    }
  });

  test('a text of another version is neither opened nor current, so that a rotation seals it anew', () => {
    const [sealed, other] = [1, 2].map((version) => {
      const bytes = Buffer.from(vault.seal('secret', 'credential:1'), 'base64url');
      bytes[0] = version;
      return bytes.toString('base64url');
    });
    assert.deepEqual([vault.isCurrent(sealed ?? ''), vault.isCurrent(other ?? '')], [true, false]);
    assert.throws(() => vault.open(other ?? '', 'credential:1'), /does not have the format/);
  });

  test('another master key opens nothing', () => {
    const sealed = vault.seal('tss_secret', 'credential:1');
    assertRefused(() => new AesGcmVault({ current: key(2) }).open(sealed, 'credential:1'));
  });

  test('after a rotation the former key still opens, and the new one seals', () => {
    const old = vault.seal('tss_secret', 'credential:1');
    const rotated = new AesGcmVault({ current: key(2), former: [key(1)] });
    assert.deepEqual([rotated.isCurrent(old), vault.isCurrent(old)], [false, true]);
    assert.equal(rotated.open(old, 'credential:1'), 'tss_secret');
    const fresh = rotated.seal('tss_secret', 'credential:1');
    assert.equal(new AesGcmVault({ current: key(2) }).open(fresh, 'credential:1'), 'tss_secret');
    assertRefused(() => vault.open(fresh, 'credential:1'));
  });

  test('look-up hashes are keyed and kept apart by purpose; while the key is replaced there is one of each key', () => {
    const hash = vault.lookupHash('api-key', 'tak_1');
    assert.match(hash, /^[0-9a-f]{64}$/);
    assert.equal(vault.lookupHash('api-key', 'tak_1'), hash);
    assert.notEqual(vault.lookupHash('api-token', 'tak_1'), hash);
    assert.notEqual(vault.lookupHash('a', 'bc'), vault.lookupHash('ab', 'c'));
    assert.notEqual(new AesGcmVault({ current: key(2) }).lookupHash('api-key', 'tak_1'), hash);
    assert.deepEqual(vault.lookupHashes('api-key', 'tak_1'), [hash]);
    const rotated = new AesGcmVault({ current: key(2), former: [key(1)] });
    const fresh = new AesGcmVault({ current: key(2) }).lookupHash('api-key', 'tak_1');
    assert.equal(rotated.lookupHash('api-key', 'tak_1'), fresh);
    assert.deepEqual(rotated.lookupHashes('api-key', 'tak_1'), [fresh, hash]);
    const long = 'x'.repeat(500);
    assert.deepEqual(rotated.lookupHashes('api-key', long), [
      rotated.lookupHash('api-key', long),
      vault.lookupHash('api-key', long),
    ]);
  });

  test('a master key of another length, or one given twice, is refused', () => {
    const configInvalid = (error: unknown): boolean => isTillgateError(error, 'CONFIG_INVALID');
    assert.throws(() => new AesGcmVault({ current: new Uint8Array(31) }), configInvalid);
    assert.throws(() => new AesGcmVault({ current: key(1), former: [new Uint8Array(0)] }), configInvalid);
    assert.throws(() => new AesGcmVault({ current: key(1), former: [key(1)] }), configInvalid);
  });
});
