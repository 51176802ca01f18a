import { secp256k1 } from '@noble/curves/secp256k1.js';
import { OutScript, SigHash, Transaction } from '@scure/btc-signer';
import { TillgateError, assert } from '../../../core/index.ts';
import type {
  PaymentLine,
  SignRequest,
  SignedTransaction,
  Signer,
  SigningIntent,
  SpendableCoin,
} from '../../../core/index.ts';
import { sumOf } from './coin-selection.ts';
import { outpointOf } from './utxo-node.ts';
import { readPricedTerms, writeTerms } from './payment-terms.ts';
import { virtualSizeOf } from './transaction-size.ts';
import type { UtxoAddresses } from './utxo-addresses.ts';
import type { OwnKey, UtxoKeys } from './utxo-keys.ts';

/** Every transaction of the till's may be replaced by a dearer one (BIP-125). */
const REPLACEABLE = 0xfffffffd;

interface Output {
  readonly script: Uint8Array;
  readonly units: bigint;
}

export interface SigningDeps {
  readonly chain: string;
  readonly signer: Signer;
  readonly keys: UtxoKeys;
  readonly addresses: UtxoAddresses;
  readonly ownDust: bigint;
}

/** Builds and signs transactions that spend the till's own coins. */
export class Signing {
  readonly #deps: SigningDeps;

  constructor(deps: SigningDeps) {
    this.#deps = deps;
  }

  /** @throws TillgateError `NOT_READY` when the signer cannot sign, or what it returns is no signature of the key */
  async sign({ lines, priced }: SignRequest): Promise<SignedTransaction> {
    const { coins } = priced;
    const { height } = readPricedTerms(priced.terms);
    const left = sumOf(coins) - sumOf(lines) - priced.feeUnits;
    assert(left >= 0n && lines.every(({ units }) => units > 0n), 'the coins cover the payments and the fee');
    // Change that is less than dust goes to the miner.
    const change = left >= this.#deps.ownDust ? left : 0n;
    if (lines.length === 0 && change === 0n)
      throw new TillgateError('STATE_CONFLICT', 'The coins are worth less than the fee of taking them back.');
    const feeUnits = priced.feeUnits + left - change;
    const outputs = [
      ...lines.map((line) => this.#output(line)),
      ...(change > 0n ? [{ script: this.#deps.keys.hot.script, units: change }] : []),
    ];
    const built = build(height, coins, this.#keysOf(coins), outputs);
    await this.#signInputs(built, coins, intentOf(this.#deps.chain, lines));
    const raw = built.extract();
    assert(sumOf(coins) === sumOf(outputs) + feeUnits, 'inputs are outputs and fee');
    assert(
      built.vsize <=
        virtualSizeOf(
          coins.length,
          outputs.map(({ script }) => script.length),
        ),
      'the transaction has the size it was priced with',
    );
    const changeNumber = change > 0n ? lines.length : null;
    return {
      txid: built.id,
      raw: Buffer.from(raw).toString('hex'),
      feeUnits,
      terms: writeTerms({ height, feeUnits, coins, changeNumber }),
      change: changeNumber === null ? null : this.#changeCoin(built.id, changeNumber, change),
      expiresAt: null,
    };
  }

  #changeCoin(txid: string, number: number, units: bigint): SpendableCoin {
    return { ref: `${txid}:${number}`, address: this.#deps.keys.hot.address, index: null, units };
  }

  #output({ to, units }: PaymentLine): Output {
    const read = this.#deps.addresses.read(to);
    assert(read !== null, `${to} is an address of the chain`);
    return { script: Buffer.from(read.key, 'hex'), units };
  }

  #keysOf(coins: readonly SpendableCoin[]): readonly OwnKey[] {
    return coins.map((coin) => this.#deps.keys.of(coin));
  }

  async #signInputs(built: Transaction, coins: readonly SpendableCoin[], intent: SigningIntent): Promise<void> {
    for (const [at, coin] of coins.entries()) {
      const { path, publicKey, script } = this.#deps.keys.of(coin);
      const digest = inputDigest(built, at, script, SigHash.ALL, coin.units);
      const { bytes } = await this.#deps.signer.sign(path, digest, intent);
      if (!secp256k1.verify(bytes, digest, publicKey, { prehash: false, lowS: true })) {
        throw new TillgateError('NOT_READY', `The signer returned something else than a signature of the key ${path}.`);
      }
      const der = secp256k1.Signature.fromBytes(bytes).toBytes('der');
      built.updateInput(at, { finalScriptWitness: [Uint8Array.from([...der, SigHash.ALL]), publicKey] }, true);
    }
  }
}

/** What a signature of a P2WPKH input signs (BIP-143). */
export function inputDigest(
  transaction: Transaction,
  at: number,
  script: Uint8Array,
  hashType: number,
  units: bigint,
): Uint8Array {
  const scriptCode = OutScript.encode({ type: 'pkh', hash: script.subarray(2) });
  return transaction.preimageWitnessV0(at, scriptCode, hashType, units);
}

function build(
  lockTime: number,
  coins: readonly SpendableCoin[],
  keys: readonly OwnKey[],
  outputs: readonly Output[],
): Transaction {
  // Not valid below the current height: removes an incentive to re-mine the last block, and shows the transaction's age later.
  const built = new Transaction({ version: 2, lockTime });
  for (const [at, { ref, units }] of coins.entries()) {
    const [txid, index] = outpointOf(ref);
    const { script } = keys[at] as OwnKey;
    built.addInput({ txid, index, sequence: REPLACEABLE, witnessUtxo: { script, amount: units } });
  }
  for (const { script, units } of outputs) built.addOutput({ script, amount: units });
  return built;
}

function intentOf(chain: string, lines: readonly PaymentLine[]): SigningIntent {
  return { chain, payments: lines.map(({ to, currency, units }) => ({ to, currency, units: units.toString() })) };
}
