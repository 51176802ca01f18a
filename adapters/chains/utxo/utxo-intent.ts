import { OutScript, SigHash, Transaction } from '@scure/btc-signer';
import { hash160 } from '@scure/btc-signer/utils.js';
import { z } from 'zod';
import { TillgateError } from '../../../core/index.ts';
import type { BuiltTransaction, SigningIntent, TransactionBuilder } from '../../../core/index.ts';
import { pathField, readIntent, unitsField } from '../intent-fields.ts';
import { readUtxoAddress } from './segwit-address.ts';
import type { UtxoNetwork } from './segwit-address.ts';
import { outpointOf } from './utxo-node.ts';

/** Every transaction of the till can be replaced by one with a higher fee (BIP-125). */
const REPLACEABLE = 0xfffffffd;
/** A transaction is at most 100,000 virtual bytes (standardness). */
const MAX_PARTS = 2_500;

const units = unitsField.refine((amount) => amount < 2n ** 63n);

const schema = z.strictObject({
  family: z.literal('utxo'),
  chain: z.string(),
  lockTime: z.int().min(0).max(499_999_999),
  inputs: z
    .array(
      z.strictObject({
        /** The outpoint, `txid:index`. */
        ref: z.string().regex(/^[0-9a-f]{64}:(?:0|[1-9]\d{0,9})$/),
        units,
        path: pathField,
        /** The compressed key of that path, hexadecimal: what is signed names its hash. */
        publicKey: z.string().regex(/^0[23][0-9a-f]{64}$/),
      }),
    )
    .min(1)
    .max(MAX_PARTS),
  outputs: z
    .array(z.strictObject({ to: z.string(), toPath: pathField.nullable(), units }))
    .min(1)
    .max(MAX_PARTS),
});

/** A transaction of Bitcoin's family that spends the till's own coins (BIP-84) and pays addresses. */
export type UtxoIntent = SigningIntent & z.input<typeof schema>;

/** Builds transactions of {@link UtxoIntent}s for one network, whose addresses alone can be paid. */
export function utxoBuilder(network: UtxoNetwork): TransactionBuilder {
  return (intent): BuiltTransaction => {
    const { inputs, outputs } = readIntent(schema, intent);
    const unsigned = unsignedTransaction(network, intent);
    const sum = (parts: readonly { readonly units: bigint }[]): bigint =>
      parts.reduce((all, part) => all + part.units, 0n);
    const feeUnits = sum(inputs) - sum(outputs);
    if (feeUnits < 0n || new Set(inputs.map(({ ref }) => ref)).size < inputs.length)
      throw new TillgateError('SIGNING_REFUSED', 'The intent pays more than its coins are worth, or a coin twice.', {
        reason: 'intent',
      });
    return {
      payments: outputs.map(({ to, toPath, units: amount }) => ({
        ...{ to: addressOf(network, to).address, contract: null, units: amount, ownPath: toPath },
      })),
      feeUnits,
      spends: inputs.map(({ ref, units: worth }) => ({ ref, units: worth })),
      inputs: inputs.map(({ path, units: worth, publicKey }, at) => ({
        path,
        digest: inputDigest(unsigned, at, scriptOf(publicKey), SigHash.ALL, worth),
      })),
    };
  };
}

/** The transaction of an intent, to which signatures are added. */
export function unsignedTransaction(network: UtxoNetwork, intent: SigningIntent): Transaction {
  const { lockTime, inputs, outputs } = readIntent(schema, intent);
  // Not valid below the current height: removes an incentive to re-mine the last block, and shows the transaction's age later.
  const built = new Transaction({ version: 2, lockTime });
  for (const { ref, units: amount, publicKey } of inputs) {
    const [txid, index] = outpointOf(ref);
    built.addInput({ txid, index, sequence: REPLACEABLE, witnessUtxo: { script: scriptOf(publicKey), amount } });
  }
  for (const { to, units: amount } of outputs)
    built.addOutput({ script: Buffer.from(addressOf(network, to).key, 'hex'), amount });
  return built;
}

function addressOf(network: UtxoNetwork, to: string): { readonly address: string; readonly key: string } {
  const read = readUtxoAddress(to, network);
  if (read !== null) return read;
  throw new TillgateError('SIGNING_REFUSED', `The intent pays ${to}, which is not an address of the network.`, {
    reason: 'intent',
  });
}

/** P2WPKH: a zero and the hash of the key. */
function scriptOf(publicKey: string): Uint8Array {
  return OutScript.encode({ type: 'wpkh', hash: hash160(Buffer.from(publicKey, 'hex')) });
}

/** The digest that the signature of a P2WPKH input signs (BIP-143). */
export function inputDigest(
  transaction: Transaction,
  at: number,
  script: Uint8Array,
  hashType: number,
  amount: bigint,
): Uint8Array {
  const scriptCode = OutScript.encode({ type: 'pkh', hash: script.subarray(2) });
  return transaction.preimageWitnessV0(at, scriptCode, hashType, amount);
}
