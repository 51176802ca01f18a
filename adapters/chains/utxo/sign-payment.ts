import { secp256k1 } from '@noble/curves/secp256k1.js';
import { SigHash } from '@scure/btc-signer';
import type { Transaction } from '@scure/btc-signer';
import { TillgateError, assert, present } from '../../../core/index.ts';
import type { PaymentLine, SignRequest, SignedTransaction, Signer, SpendableCoin } from '../../../core/index.ts';
import { sumOf } from './coin-selection.ts';
import { readPricedTerms, writeTerms } from './payment-terms.ts';
import { virtualSizeOf } from './transaction-size.ts';
import type { UtxoAddresses } from './utxo-addresses.ts';
import { unsignedTransaction, utxoBuilder } from './utxo-intent.ts';
import type { UtxoIntent } from './utxo-intent.ts';
import type { UtxoKeys } from './utxo-keys.ts';
import type { UtxoNetwork } from './segwit-address.ts';

type Output = UtxoIntent['outputs'][number];

export interface SigningDeps {
  readonly chain: string;
  readonly network: UtxoNetwork;
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

  /** @throws TillgateError `NOT_READY` when the signer's signature is not valid for the key */
  async sign({ lines, priced }: SignRequest): Promise<SignedTransaction> {
    const { coins } = priced;
    const { height } = readPricedTerms(priced.terms);
    const left = sumOf(coins) - sumOf(lines) - priced.feeUnits;
    assert(left >= 0n && lines.every(({ units }) => units > 0n), 'the coins cover the payments and the fee');
    // Change below dust goes to the miner.
    const change = left >= this.#deps.ownDust ? left : 0n;
    if (lines.length === 0 && change === 0n)
      throw new TillgateError('STATE_CONFLICT', 'The coins are worth less than the fee of taking them back.');
    const feeUnits = priced.feeUnits + left - change;
    const intent = this.#intentOf(height, coins, this.#outputsOf(lines, change));
    const built = await this.#signed(intent, coins);
    const scripts = Array.from({ length: built.outputsLength }, (_, at) => built.getOutput(at).script?.length ?? 0);
    assert(built.fee === feeUnits, 'inputs are outputs and fee');
    assert(built.vsize <= virtualSizeOf(coins.length, scripts), 'the transaction has the size it was priced with');
    const changeNumber = change > 0n ? lines.length : null;
    return {
      txid: built.id,
      raw: Buffer.from(built.extract()).toString('hex'),
      feeUnits,
      terms: writeTerms({ height, feeUnits, coins, changeNumber }),
      change: changeNumber === null ? null : this.#changeCoin(built.id, changeNumber, change),
      expiresAt: null,
    };
  }

  #changeCoin(txid: string, number: number, units: bigint): SpendableCoin {
    return { ref: `${txid}:${number}`, address: this.#deps.keys.hot.address, index: null, units };
  }

  #outputsOf(lines: readonly PaymentLine[], change: bigint): readonly Output[] {
    const { hot } = this.#deps.keys;
    const outputs = lines.map(({ to, units }): Output => {
      assert(this.#deps.addresses.read(to) !== null, `${to} is an address of the chain`);
      return { to, toPath: to === hot.address ? hot.path : null, units: units.toString() };
    });
    return change > 0n ? [...outputs, { to: hot.address, toPath: hot.path, units: change.toString() }] : outputs;
  }

  #intentOf(height: number, coins: readonly SpendableCoin[], outputs: readonly Output[]): UtxoIntent {
    const inputs = coins.map((coin) => {
      const { path, publicKey } = this.#deps.keys.of(coin);
      return { ref: coin.ref, units: coin.units.toString(), path, publicKey: Buffer.from(publicKey).toString('hex') };
    });
    return { family: 'utxo', chain: this.#deps.chain, lockTime: height, inputs, outputs: [...outputs] };
  }

  async #signed(intent: UtxoIntent, coins: readonly SpendableCoin[]): Promise<Transaction> {
    const { network, signer, keys } = this.#deps;
    const build = utxoBuilder(network);
    const unsigned = unsignedTransaction(network, intent);
    const signatures = await signer.sign(intent, build);
    for (const [at, { path, digest }] of build(intent).inputs.entries()) {
      const { publicKey } = keys.of(present(coins[at], 'a coin'));
      const bytes = signatures[at]?.bytes ?? new Uint8Array();
      if (!isSignature(bytes, digest, publicKey))
        throw new TillgateError('NOT_READY', `The signer returned something else than a signature of the key ${path}.`);
      const der = secp256k1.Signature.fromBytes(bytes).toBytes('der');
      unsigned.updateInput(at, { finalScriptWitness: [Uint8Array.from([...der, SigHash.ALL]), publicKey] }, true);
    }
    return unsigned;
  }
}

function isSignature(bytes: Uint8Array, digest: Uint8Array, publicKey: Uint8Array): boolean {
  return bytes.length === 64 && secp256k1.verify(bytes, digest, publicKey, { prehash: false, lowS: true });
}
