import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { base62, hex, newCallbackSecrets } from '../../../core/index.ts';
import { decodeBase64Of32, encodeBase64 } from '../../../core/access/base64.ts';
import { OpenedSecrets } from '../../../core/access/opened-secrets.ts';
import { FakeVault, SeededRandom } from '../../support/fakes.ts';

const arb32 = fc.uint8Array({ minLength: 32, maxLength: 32 });

describe('base 62', () => {
  test('writes the smallest and the largest 32 bytes with 43 digits', () => {
    assert.equal(base62(new Uint8Array(32)), '0'.repeat(43));
    const largest = base62(new Uint8Array(32).fill(255));
    assert.equal(largest.length, 43);
    assert.ok(largest > '0'.repeat(43));
  });

  test('is the same number in other digits, so no two keys share a text', () => {
    const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
    fc.assert(
      fc.property(arb32, (bytes) => {
        const text = base62(bytes);
        assert.match(text, /^[0-9A-Za-z]{43}$/);
        const value = Array.from(text).reduce((sum, digit) => sum * 62n + BigInt(digits.indexOf(digit)), 0n);
        assert.equal(value, BigInt(`0x${Buffer.from(bytes).toString('hex')}`));
      }),
    );
  });

  test('is not for other lengths', () => {
    assert.throws(() => base62(new Uint8Array(31)), /base62 of 31 bytes/);
  });
});

describe('base64', () => {
  test('writes what Buffer writes, whatever the length', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 70 }), (bytes) =>
        assert.equal(encodeBase64(bytes), Buffer.from(bytes).toString('base64')),
      ),
    );
  });

  test('reads its own 32 bytes back', () => {
    fc.assert(fc.property(arb32, (bytes) => assert.deepEqual(decodeBase64Of32(encodeBase64(bytes)), bytes)));
  });

  test('accepts one text only for each 32 bytes', () => {
    fc.assert(
      fc.property(fc.base64String({ minLength: 44, maxLength: 44 }), (text) => {
        const bytes = decodeBase64Of32(text);
        if (bytes !== null) assert.equal(encodeBase64(bytes), text);
      }),
    );
  });

  test('writes hexadecimal as Buffer does', () => {
    fc.assert(fc.property(fc.uint8Array(), (bytes) => assert.equal(hex(bytes), Buffer.from(bytes).toString('hex'))));
  });
});

describe('opened secrets', () => {
  const vault = new FakeVault();
  const sealed = (name: string): string =>
    vault.seal(JSON.stringify(newCallbackSecrets(new SeededRandom(name))), `credential:${name}`);

  test('are opened once while the record holds the same text', () => {
    const secrets = new OpenedSecrets(vault);
    const text = sealed('a');
    vault.opened = 0;
    assert.deepEqual(secrets.open('credential:a', text), secrets.open('credential:a', text));
    assert.equal(vault.opened, 1);
  });

  test('are opened again when the record holds another text', () => {
    const secrets = new OpenedSecrets<{ readonly n: number }>(vault);
    assert.equal(secrets.open('totp:1', vault.seal('{"n":1}', 'totp:1')).n, 1);
    assert.equal(secrets.open('totp:1', vault.seal('{"n":2}', 'totp:1')).n, 2);
  });

  test('forget the least used beyond their limit', () => {
    const secrets = new OpenedSecrets(vault, 2);
    const texts = new Map(['a', 'b', 'c'].map((name) => [name, sealed(name)]));
    const open = (name: string): number => {
      vault.opened = 0;
      secrets.open(`credential:${name}`, texts.get(name) ?? '');
      return vault.opened;
    };
    assert.deepEqual(['a', 'b', 'a', 'c', 'a', 'b'].map(open), [1, 1, 0, 1, 0, 1]);
  });

  test('refuse a text of another record', () => {
    assert.throws(() => new OpenedSecrets(vault).open('credential:b', sealed('a')));
  });
});
