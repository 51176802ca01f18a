import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { encodeFunctionData, erc20Abi, keccak256, serializeTransaction, toBytes } from 'viem';
import { buildEvmTransaction } from '../../../adapters/chains/evm/evm-intent.ts';
import { buildTronTransaction } from '../../../adapters/chains/tron/tron-intent.ts';
import { utxoBuilder } from '../../../adapters/chains/utxo/utxo-intent.ts';
import { isTillgateError } from '../../../core/index.ts';
import type { SigningIntent, TransactionBuilder } from '../../../core/index.ts';
import { definition as bitcoin } from '../../../plugins/bitcoin/definition.ts';

const TO = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const TOKEN = '0xdAC17F958D2ee523a2206206994597C13D831ec7';
const TRON_TO = 'TPL66VK2gCXNCD7EJg9pgJRfqcRazjhUZY';
const HOT = "m/44'/60'/0'/0/0";
const KEY = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';

const evm = {
  ...{ family: 'evm', chain: 'ETH', chainId: 1, from: HOT, nonce: 7, type: 'eip1559', gas: '65000', price: '30' },
  ...{ to: TO, toPath: null, units: '1000000', contract: TOKEN },
};
const tron = {
  ...{ family: 'tron', chain: 'TRX', from: "m/44'/195'/0'/0/0", fromAddress: 'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH' },
  ...{ to: TRON_TO, toPath: null, units: '5', contract: null, referenceBlock: 'ab'.repeat(32) },
  ...{ expiresAt: 1_700_000_060_000, timestamp: 1_700_000_000_000, feeLimit: '0' },
};
const utxo = {
  ...{ family: 'utxo', chain: 'BTC', lockTime: 800_000 },
  inputs: [{ ref: `${'cd'.repeat(32)}:0`, units: '100000', path: "m/84'/0'/1'/0/0", publicKey: KEY }],
  outputs: [{ to: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', toPath: null, units: '90000' }],
};
const buildUtxo = utxoBuilder(bitcoin.networks.main.addresses);
const refused = (error: unknown): boolean => isTillgateError(error, 'SIGNING_REFUSED');

function refuses(build: TransactionBuilder, intent: object, changes: readonly object[]): void {
  build(intent as SigningIntent);
  for (const change of changes)
    assert.throws(() => build({ ...intent, ...change } as SigningIntent), refused, JSON.stringify(change));
}

describe('an intent is the whole transaction, and nothing else', () => {
  test('a token transfer on an EVM chain becomes the digest that an independent encoding has', () => {
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [TO, 1_000_000n] });
    const common = { type: 'eip1559', chainId: 1, nonce: 7, gas: 65_000n } as const;
    const fees = { maxFeePerGas: 30n, maxPriorityFeePerGas: 30n };
    const expected = toBytes(keccak256(serializeTransaction({ ...common, ...fees, to: TOKEN, value: 0n, data })));
    assert.deepEqual(buildEvmTransaction(evm), {
      payments: [{ to: TO, contract: TOKEN, units: 1_000_000n, ownPath: null }],
      feeUnits: 65_000n * 30n,
      spends: [{ ref: `1:${HOT}:7`, units: null }],
      inputs: [{ path: HOT, digest: expected }],
    });
  });

  test('an EVM intent with another call, another field or another form is refused', () => {
    refuses(buildEvmTransaction, evm, [
      { data: '0x095ea7b3' },
      { call: 'approve' },
      { accessList: [] },
      { family: 'tron' },
      { chainId: 0 },
      { chainId: '1' },
      { nonce: -1 },
      { nonce: 1.5 },
      { gas: '0x10' },
      { gas: '-1' },
      { gas: '007' },
      { price: 30 },
      { units: '1e9' },
      { units: `${2n ** 256n}` },
      { to: TO.replace('0x7', '0x8') },
      { to: `${TO} ` },
      { contract: '' },
      { toPath: 'm' },
      { toPath: undefined },
      { from: "m/44'/60'/0'" },
      { from: "m/44'/60'/0'/0/0'" },
      { type: 'eip4844' },
    ]);
  });

  test('a Tron intent with another contract, another field or another form is refused', () => {
    refuses(buildTronTransaction, tron, [
      { contractType: 'TriggerSmartContract' },
      { data: '00' },
      { permissionId: 2 },
      { units: `${2n ** 63n}` },
      { feeLimit: '-1' },
      { to: TO },
      { to: `${TRON_TO}1` },
      { contract: '' },
      { referenceBlock: 'ab' },
      { expiresAt: '1700000060000' },
      { from: HOT.replace("0'/0/0", '0/0/0') },
    ]);
  });

  test('what a Tron transaction costs at most counts its bytes and an account that it creates', () => {
    const { feeUnits, inputs, spends } = buildTronTransaction({ ...tron, feeLimit: '30000000' } as SigningIntent);
    assert.ok(feeUnits > 30_000_000n + 1_100_000n + 200_000n, `${feeUnits}`);
    assert.equal(spends[0]?.ref, Buffer.from(inputs[0]?.digest ?? []).toString('hex'));
  });

  test('a UTXO intent that pays more than it spends, a coin twice, or another network is refused', () => {
    const [input] = utxo.inputs;
    const [output] = utxo.outputs;
    refuses(buildUtxo, utxo, [
      { outputs: [{ ...output, units: '100001' }] },
      { outputs: [] },
      { inputs: [] },
      { inputs: [input, input] },
      { inputs: [{ ...input, sighash: 2 }] },
      { inputs: [{ ...input, ref: `${'cd'.repeat(32)}:00` }] },
      { inputs: [{ ...input, ref: `${'CD'.repeat(32)}:0` }] },
      { inputs: [{ ...input, publicKey: KEY.slice(2) }] },
      { outputs: [{ ...output, script: '6a' }] },
      { outputs: [{ ...output, to: 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx' }] },
      { lockTime: 1_700_000_000 },
      { version: 1 },
    ]);
  });

  test('a UTXO intent gives its coins with their worth, its fee, and one digest for each coin', () => {
    const other = { ...utxo.inputs[0], ref: `${'cd'.repeat(32)}:1`, units: '7' };
    const built = buildUtxo({ ...utxo, inputs: [...utxo.inputs, other] } as SigningIntent);
    assert.equal(built.feeUnits, 10_007n);
    assert.deepEqual(
      built.spends.map(({ ref, units }) => [ref.slice(-2), units]),
      [
        [':0', 100_000n],
        [':1', 7n],
      ],
    );
    const digests = built.inputs.map(({ digest }) => createHash('sha256').update(digest).digest('hex'));
    assert.equal(new Set(digests).size, 2);
  });
});
