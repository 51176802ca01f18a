import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { Transaction } from '@scure/btc-signer';
import fc from 'fast-check';
import { findDeposits } from '../../../adapters/chains/utxo/block-deposits.ts';
import { merkleRoot } from '../../../adapters/chains/utxo/merkle-root.ts';
import { readBlock } from '../../../adapters/chains/utxo/raw-block.ts';
import { readTransaction, transactionId, virtualSize } from '../../../adapters/chains/utxo/raw-transaction.ts';
import { WireReader } from '../../../adapters/chains/utxo/wire-reader.ts';
import { AccountKey, segwitAddress } from '../../../adapters/chains/index.ts';
import { definition } from '../../../plugins/bitcoin/definition.ts';
import { MnemonicWallet } from '../../../adapters/wallet/index.ts';
import { isTillgateError } from '../../../core/index.ts';
import { FIXTURES, MNEMONIC } from './utxo-fixtures.ts';
import type { FixtureBlock } from './utxo-fixtures.ts';

const { bitcoin, litecoin } = FIXTURES;
const [first, second, third] = bitcoin.blocks as [FixtureBlock, FixtureBlock, FixtureBlock];
const bytesOf = ({ hex }: FixtureBlock): Buffer => Buffer.from(hex, 'hex');
const isWrong = (words: RegExp) => (error: unknown) =>
  isTillgateError(error, 'NODE_FAILED') && words.test(error.message);

/** The first block of the main network, as everybody knows it. */
const GENESIS = {
  hash: '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f',
  hex:
    '0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd7a7b12b27ac72c3e67768f617fc81bc3888a51323a9fb8aa4b1e5e4a29ab5f49ffff001d1dac2b7c' +
    '0101000000010000000000000000000000000000000000000000000000000000000000000000ffffffff4d04ffff001d0104455468652054696d65732030332f4a616e2f32303039204368616e63656c6c6f' +
    '72206f6e206272696e6b206f66207365636f6e64206261696c6f757420666f722062616e6b73ffffffff0100f2052a01000000434104678afdb0fe5548271967f1a67130b7105cd6a828e03909a67962e0' +
    'ea1f61deb649f6bc3f4cef38c4f35504e51ec112de5c384df7ba0b8d578a4c702b6bf11d5fac00000000',
};

async function keyAt(index: number): Promise<string> {
  const account = new AccountKey(await new MnemonicWallet(MNEMONIC).extendedPublicKey("m/84'/1'/1'"));
  return segwitAddress(account.publicKey(index), definition.networks.regtest.addresses).key;
}

describe('reading blocks', () => {
  test('the first block of Bitcoin has its hash, no parent, its time and one transaction', () => {
    assert.deepEqual(readBlock(Buffer.from(GENESIS.hex, 'hex'), GENESIS.hash, {}), {
      hash: GENESIS.hash,
      parentHash: '0'.repeat(64),
      time: 1231006505,
      transactions: 1,
    });
  });

  test('blocks follow each other by their hashes', () => {
    assert.equal(readBlock(bytesOf(second), second.hash, {}).parentHash, first.hash);
    assert.equal(readBlock(bytesOf(third), third.hash, {}).parentHash, second.hash);
  });

  test('outputs to watched scripts are found with their transaction’s id, with witnesses and without', async () => {
    const [one, two] = [await keyAt(0), await keyAt(1)];
    const isWatched = (key: string): boolean => key === one || key === two;
    const brief = (block: FixtureBlock): unknown => findDeposits(bytesOf(block), block.hash, isWatched).outputs;
    const [found] = findDeposits(bytesOf(first), first.hash, isWatched).outputs;
    assert.ok(found !== undefined);
    assert.deepEqual(
      { ...found, number: 0 },
      { txid: bitcoin.payments.first, number: 0, units: 12_345_678n, key: one, isCoinbase: false },
    );
    assert.deepEqual(brief(second), [
      { txid: bitcoin.payments.second, number: 0, units: 100_000_000n, key: one, isCoinbase: false },
      { txid: bitcoin.payments.second, number: 1, units: 50_000_000n, key: two, isCoinbase: false },
    ]);
    const [coinbase] = findDeposits(bytesOf(third), third.hash, isWatched).outputs;
    assert.deepEqual([coinbase?.isCoinbase, coinbase?.units], [true, 5_000_000_000n]);
    assert.deepEqual(findDeposits(bytesOf(second), second.hash, () => false).outputs, []);
  });

  test('a Litecoin block with its extension behind it is read', () => {
    const [block] = litecoin.blocks as [FixtureBlock];
    const { outputs } = findDeposits(bytesOf(block), block.hash, (key) => key === litecoin.deposit);
    assert.deepEqual(
      outputs.map(({ txid, units }) => [txid, units]),
      [[litecoin.payments.first, 50_000_000n]],
    );
  });

  test('id and size of a transaction are those that the signing library computes', () => {
    for (const block of bitcoin.blocks) {
      const bytes = bytesOf(block);
      readBlock(bytes, block.hash, {
        transaction(_place, id, start, end) {
          const peer = Transaction.fromRaw(bytes.subarray(start, end), {
            allowUnknownInputs: true,
            allowUnknownOutputs: true,
            disableScriptCheck: true,
          });
          const alone = Buffer.from(bytes.subarray(start, end));
          const layout = readTransaction(new WireReader(alone), {});
          assert.equal(Buffer.from(id).reverse().toString('hex'), peer.id);
          assert.deepEqual([transactionId(alone, layout), layout.end], [id, alone.length]);
          assert.equal(virtualSize(layout), peer.vsize);
        },
      });
    }
  });
});

describe('fault 56: blocks of a lying node', () => {
  test('any changed byte of the header or of what the ids cover is noticed', () => {
    const honest = bytesOf(second);
    // The second block's last transaction has no witness: all of its bytes are covered.
    fc.assert(
      fc.property(
        fc.oneof(fc.nat({ max: 79 }), fc.integer({ min: honest.length - 150, max: honest.length - 1 })),
        fc.integer({ min: 1, max: 255 }),
        (at, change) => {
          const bytes = Buffer.from(honest);
          bytes[at] = (bytes[at] as number) ^ change;
          assert.throws(() => readBlock(bytes, second.hash, {}), isWrong(/something else/));
        },
      ),
    );
  });

  test('a transaction left out, added or repeated is noticed', () => {
    const bytes = bytesOf(second);
    const places: [number, number][] = [];
    readBlock(bytes, second.hash, { transaction: (_place, _id, start, end) => void places.push([start, end]) });
    const parts = places.map(([start, end]) => bytes.subarray(start, end));
    const withParts = (...chosen: readonly Buffer[]): Buffer =>
      Buffer.concat([bytes.subarray(0, 80), Buffer.from([chosen.length]), ...chosen]);
    const [coinbase, payment] = parts as [Buffer, Buffer];
    assert.equal(readBlock(withParts(coinbase, payment), second.hash, {}).transactions, 2);
    for (const wrong of [
      withParts(coinbase),
      withParts(payment, coinbase),
      withParts(coinbase, payment, payment),
      withParts(coinbase, payment, coinbase, payment),
      withParts(),
    ]) {
      assert.throws(() => readBlock(wrong, second.hash, {}), isWrong(/transactions are not those/));
    }
  });

  test('bytes that are cut off, or too many, or none, are refused and never more than that', () => {
    const honest = bytesOf(first);
    fc.assert(
      fc.property(fc.nat({ max: honest.length - 1 }), (length) =>
        assert.throws(() => readBlock(honest.subarray(0, length), first.hash, {}), isWrong(/something else/)),
      ),
    );
    assert.throws(() => readBlock(Buffer.concat([honest, Buffer.alloc(1)]), first.hash, {}), isWrong(/more bytes/));
    assert.throws(() => readBlock(honest, second.hash, {}), isWrong(/another hash/));
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (noise) =>
        assert.throws(
          () => readBlock(Buffer.concat([honest.subarray(0, 80), noise]), first.hash, {}),
          isWrong(/something else/),
        ),
      ),
    );
  });

  test('a list with repeated neighbours has no root: it would be that of a shorter one (CVE-2012-2459)', () => {
    const leaves = ['a', 'b', 'c'].map((text) => createHash('sha256').update(text).digest());
    const root = merkleRoot(leaves);
    assert.ok(root !== null);
    assert.equal(merkleRoot([...leaves, leaves[2] as Buffer]), null);
    assert.equal(merkleRoot([]), null);
    assert.deepEqual(merkleRoot(leaves.slice(0, 1)), leaves[0]);
  });
});
