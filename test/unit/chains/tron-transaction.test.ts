import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Trx, TronWeb, utils } from 'tronweb';
import { tronAddress } from '../../../adapters/chains/index.ts';
import {
  attachSignature,
  digestOf,
  encodeRawData,
  readTransaction,
} from '../../../adapters/chains/tron/transaction.ts';
import type { TransactionTerms, TronPayment } from '../../../adapters/chains/tron/transaction.ts';
import { decodeTransaction, signerOf } from '../../support/tron/tron-codec.ts';

const FROM = '7e5f4552091a69125d5dfcb7b8c2659029395bdf';
const PRIVATE_KEY = `${'0'.repeat(63)}1`;
const TO = 'a614f803b6fd780986a42c78ec9c7f77e6ded13c';
const CONTRACT = '3487b63d30b5b2c87fb7ffa8bcfade38eaac1abe';
const TERMS: TransactionTerms = {
  reference: { hash: `00000000039a2f11${'0123456789abcdef'.repeat(3)}` },
  expiresAt: 1_760_000_600_000,
  timestamp: 1_760_000_000_123,
  feeLimit: 0n,
};

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const tronWeb = new TronWeb({ fullHost: 'http://127.0.0.1:9' });
const header = ({ reference, expiresAt, timestamp }: TransactionTerms) => ({
  ref_block_bytes: reference.hash.slice(12, 16),
  ref_block_hash: reference.hash.slice(16, 32),
  expiration: expiresAt,
  timestamp,
});

/** The same payment as tronweb makes it, without any node. */
async function byTronWeb({ fromKey, toKey, units, contractKey }: TronPayment, terms: TransactionTerms) {
  const { transactionBuilder } = tronWeb;
  if (contractKey === null) {
    return transactionBuilder.sendTrx(tronAddress(toKey), Number(units), tronAddress(fromKey), {
      blockHeader: header(terms),
    });
  }
  const parameters = [
    { type: 'address', value: tronAddress(toKey) },
    { type: 'uint256', value: units.toString() },
  ];
  const options = { txLocal: true, feeLimit: Number(terms.feeLimit), blockHeader: header(terms) };
  const made = await transactionBuilder.triggerSmartContract(
    tronAddress(contractKey),
    'transfer(address,uint256)',
    options,
    parameters,
    tronAddress(fromKey),
  );
  return made.transaction;
}

describe("Tron's transactions", () => {
  const coin: TronPayment = { fromKey: FROM, toKey: TO, units: 12_345_678n, contractKey: null };
  const token: TronPayment = { fromKey: FROM, toKey: TO, units: 2n ** 200n + 7n, contractKey: CONTRACT };
  const tokenTerms = { ...TERMS, feeLimit: 15_000_000n };

  test('a payment of TRX is byte for byte what tronweb makes of it', async () => {
    const theirs = await byTronWeb(coin, TERMS);
    const ours = encodeRawData(coin, TERMS);
    assert.equal(hex(ours), theirs.raw_data_hex);
    assert.equal(hex(digestOf(ours)), theirs.txID);
  });

  test('a payment of a token is byte for byte what tronweb makes of it', async () => {
    const theirs = await byTronWeb(token, tokenTerms);
    assert.equal(hex(encodeRawData(token, tokenTerms)), theirs.raw_data_hex);
  });

  test('what is signed here is read by tronweb with the same fields, passes its check and its signature', () => {
    const rawData = encodeRawData(token, tokenTerms);
    const signature = utils.crypto.ECKeySign([...digestOf(rawData)], [...Buffer.from(PRIVATE_KEY, 'hex')]);
    const decoded = decodeTransaction(attachSignature(rawData, Buffer.from(signature, 'hex')));
    assert.equal(signerOf(decoded), FROM);
    const { contract, ...rest } = decoded.rawData;
    assert.deepEqual(rest, { ...header(tokenTerms), fee_limit: 15_000_000 });
    assert.equal(contract[0]?.parameter.value.owner_address, `41${FROM}`);
    assert.equal(contract[0].parameter.value.contract_address, `41${CONTRACT}`);
    const shown = {
      visible: false,
      txID: decoded.txid,
      raw_data: decoded.rawData,
      raw_data_hex: decoded.rawDataHex,
      signature: [...decoded.signatures],
    };
    assert.equal(utils.transaction.txCheck(shown), true);
    assert.equal(Trx.ecRecover(shown as never), tronAddress(FROM));
  });

  test('any payment is read back as it was made', () => {
    const key = fc.uint8Array({ minLength: 20, maxLength: 20 }).map(hex);
    const made = fc.record(
      { fromKey: key, toKey: key, units: fc.bigInt(1n, 2n ** 63n - 1n), contractKey: fc.option(key) },
      { noNullPrototype: true },
    );
    fc.assert(
      fc.property(
        made,
        fc.bigInt(0n, 15_000_000_000n),
        fc.integer({ min: 1, max: 2 ** 42 }),
        (payment, feeLimit, expiresAt) => {
          const rawData = encodeRawData(payment, { ...TERMS, feeLimit, expiresAt });
          const read = readTransaction(attachSignature(rawData, new Uint8Array(65).fill(1)));
          assert.deepEqual(read, { txid: hex(digestOf(rawData)), payment, expiresAt, feeLimit });
        },
      ),
    );
  });

  test('fault 45: an amount that the protocol cannot hold is refused, not cut', () => {
    assert.throws(() => encodeRawData({ ...coin, units: 2n ** 63n }, TERMS), RangeError);
  });

  for (const [what, raw] of [
    ['nothing', ''],
    ['a cut message', attachSignature(encodeRawData(coin, TERMS), new Uint8Array(65)).slice(0, 60)],
    ['a group', '0b'],
    ['a number without an end', '08ffffffffffffffffffffff'],
  ] as const) {
    test(`${what} is no transaction`, () => {
      assert.throws(() => readTransaction(raw));
    });
  }
});
