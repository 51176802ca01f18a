import assert from 'node:assert/strict';
import { createHash, createPublicKey, randomBytes, verify } from 'node:crypto';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';
import { HDKey } from '@scure/bip32';
import fc from 'fast-check';
import { recoverAddress } from 'viem';
import { evmAddress, evmKey, AccountKey } from '../../../../adapters/chains/index.ts';
import { MnemonicWallet } from '../../../../adapters/wallet/index.ts';
import { isTillgateError } from '../../../../core/index.ts';

const JUNK = 'test test test test test test test test test test test junk';
const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;
const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();
const wallet = new MnemonicWallet(JUNK);

/**
 * Computed from the published private keys of these words by a program of its own: RFC 6979 written down from its text
 * over plain integers, checked against the published answer for key 1 and "Satoshi Nakamoto".
 */
const VECTORS: readonly (readonly [index: number, digest: Buffer, signature: string, recovery: number])[] = [
  [
    0,
    sha256(''),
    '5879cfddcfc75ee51e5c0c01f22445b7ea4abf963637f67006d718b23ec6df0e3f1c8743352ef606c67ca0802e45fe9a41ad7e7561291bb986c01d021dced13c',
    1,
  ],
  [
    0,
    sha256('tillgate'),
    '96a0edd12f7f35764567166993648fa5b734fbce5e839636341d1ce81c9bfe102587ef54a2198b21041d2ed54f3346007838196a3e2e4959054b53fccb7af339',
    0,
  ],
  [
    1,
    sha256('tillgate'),
    '460f90f91fd76de927435d6f2a063c073dd2e057a6af1b9565439ba5d06809b63e639eca9825c6d27ea48226ff4b0fcb7da5fad4b22e75751c29de738f4bcf1e',
    0,
  ],
  [
    1,
    sha256('a second digest'),
    '54a37b87db4b9343475f6b63d89a796e4a58dfe8d7ce5428da0995e07c5f807274ce1505bdd32ca318cd1d2784af10aedda43c232b5ad7eb7263748001f3bf8c',
    1,
  ],
  [
    9,
    sha256(''),
    '2e6cdf9e06e74fbfe8f6095cacfc97eda04b6623918143e0a9cda10d696a032c79e66cc1302cfa1bf3f361a2382558907c9f55c5ef308fc2feb239c3ae171c28',
    1,
  ],
  [
    0,
    Buffer.alloc(32, 0xff),
    '8f7d3763cc1e1ef6f5c21011f04f80c0ae51c33c6018a30355a4c47a58c3bd17626e3b4df5956744a6f073e3401b54c350c26abd2804f52261abded6afaf4dec',
    0,
  ],
  [
    0,
    Buffer.alloc(32),
    'b8823364c90ea0d2700d5ad0fe39d16778bc07ce7df4779ff35e4b2660d043cb74a002439225d1d518f9f1cf3db005f5e143196543fd5146a34bf63f0b810ade',
    0,
  ],
];

describe('the till’s seed signs', () => {
  test('what an independent signer signs with the same keys, byte for byte', async () => {
    for (const [index, digest, expected, recovery] of VECTORS) {
      const signature = await wallet.signDigest(`m/44'/60'/0'/0/${index}`, digest);
      assert.deepEqual([Buffer.from(signature.bytes).toString('hex'), signature.recovery], [expected, recovery]);
    }
  });

  test('deposit keys that the public side derives, with low s, so that OpenSSL and recovery agree', async () => {
    const account = new AccountKey(await wallet.extendedPublicKey("m/84'/0'/1'"));
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 0x7fffffff }),
        fc.uint8Array({ minLength: 1, maxLength: 64 }),
        async (index, message) => {
          const digest = createHash('sha256').update(message).digest();
          const { bytes, recovery } = await wallet.signDigest(`m/84'/0'/1'/0/${index}`, digest);
          assert.ok(BigInt(`0x${Buffer.from(bytes.subarray(32)).toString('hex')}`) <= HALF_ORDER);
          const publicKey = account.publicKey(index);
          const key = createPublicKey({ key: spki(publicKey), format: 'der', type: 'spki' });
          assert.ok(verify('sha256', message, { key, dsaEncoding: 'ieee-p1363' }, bytes));
          const part = (from: number): `0x${string}` =>
            `0x${Buffer.from(bytes.subarray(from, from + 32)).toString('hex')}`;
          assert.equal(
            await recoverAddress({
              hash: `0x${digest.toString('hex')}`,
              signature: { r: part(0), s: part(32), yParity: recovery },
            }),
            evmAddress(evmKey(publicKey)),
          );
        },
      ),
      { numRuns: 25 },
    );
  });

  test('again and again the same, however many other keys were used between', async () => {
    const digest = sha256('again');
    const first = await wallet.signDigest("m/44'/60'/1'/0/7", digest);
    for (let account = 0; account < 40; account++)
      await wallet.signDigest(`m/44'/60'/${account}'/${account % 2}/0`, digest);
    assert.deepEqual(await wallet.signDigest("m/44'/60'/1'/0/7", digest), first);
    assert.equal(
      await wallet.extendedPublicKey("m/44'/60'/1'"),
      await new MnemonicWallet(JUNK).extendedPublicKey("m/44'/60'/1'"),
    );
  });

  test('only with keys of addresses, and only digests', async () => {
    const refused = (error: unknown): boolean => isTillgateError(error, 'CONFIG_INVALID');
    for (const path of [
      '',
      'm',
      "m/44'/60'/0'",
      "m/44'/60'/0'/0",
      "m/44'/60'/0'/0/0'",
      "m/44'/60'/0/0/0",
      "m/44'/60'/0'/0/0/0",
      "44'/60'/0'/0/0",
      "m/44'/60'/0'/0/2147483648",
      "m/44'/60'/2147483648'/0/0",
    ]) {
      await assert.rejects(wallet.signDigest(path, randomBytes(32)), refused, path);
    }
    for (const length of [0, 20, 31, 33, 64]) {
      await assert.rejects(wallet.signDigest("m/44'/60'/0'/0/0", randomBytes(length)), (error: unknown) =>
        isTillgateError(error, 'INTERNAL'),
      );
    }
  });

  test('fault 73: no private key can be seen from outside, nor found in a failure', async () => {
    await wallet.signDigest("m/44'/60'/0'/0/0", sha256('x'));
    const secret = 'ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';
    assert.doesNotMatch(
      inspect(wallet, { depth: 9, showHidden: true }) + JSON.stringify(wallet),
      new RegExp(`xprv|junk|${secret}`),
    );
    await assert.rejects(
      wallet.signDigest('m/0', sha256('x')),
      (error: unknown) => !inspect(error, { depth: 9 }).includes('junk'),
    );
  });

  test('fault 73: the key of a signature is overwritten once it was used', async () => {
    const made: HDKey[] = [];
    const derive = HDKey.prototype.deriveChild;
    HDKey.prototype.deriveChild = function (index: number) {
      const child = derive.call(this, index);
      made.push(child);
      return child;
    };
    try {
      const fresh = new MnemonicWallet(JUNK);
      await fresh.signDigest("m/44'/60'/0'/0/3", sha256('x'));
    } finally {
      HDKey.prototype.deriveChild = derive;
    }
    // The account and its branch are kept; purpose, coin and the address's own key are not.
    assert.deepEqual(
      made.map(({ depth, privateKey }) => [depth, privateKey === null]),
      [
        [1, true],
        [2, true],
        [3, false],
        [4, false],
        [5, true],
      ],
    );
  });
});

/** A compressed point in the form that OpenSSL reads. */
function spki(publicKey: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from('3036301006072a8648ce3d020106052b8104000a032200', 'hex'), publicKey]);
}
