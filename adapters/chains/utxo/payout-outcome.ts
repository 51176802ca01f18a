import { secp256k1 } from '@noble/curves/secp256k1.js';
import { Transaction } from '@scure/btc-signer';
import { assert, present } from '../../../core/index.ts';
import type { BlockRef, PayoutOutcome, SignedPayout, SpendableCoin } from '../../../core/index.ts';
import { MinedAttempts } from './mined-attempts.ts';
import { inconsistent } from './node-values.ts';
import { readSignedTerms } from './payment-terms.ts';
import { ANY_KIND, outputsOf, rivalPayment } from './rival-payment.ts';
import type { OwnAttempt } from './rival-payment.ts';
import { inputDigest } from './utxo-intent.ts';
import { SpenderSearch } from './spender-search.ts';
import type { FoundSpender } from './spender-search.ts';
import type { UtxoKeys } from './utxo-keys.ts';
import { outpointOf } from './utxo-node.ts';
import type { UtxoNode } from './utxo-node.ts';

/** One of the payout's transactions, parsed. */
interface OpenAttempt extends OwnAttempt {
  readonly txid: string;
}

/**
 * Determines the outcomes of signed transactions from the coins they spend and the outputs they create; this needs
 * neither an index nor a wallet.
 */
export class PayoutOutcomes {
  readonly #node: UtxoNode;
  readonly #keys: UtxoKeys;
  readonly #mined: MinedAttempts;
  readonly #search: SpenderSearch;

  constructor(node: UtxoNode, keys: UtxoKeys) {
    this.#node = node;
    this.#keys = keys;
    this.#mined = new MinedAttempts(node);
    this.#search = new SpenderSearch(node);
  }

  async of(payout: SignedPayout): Promise<PayoutOutcome> {
    const attempts = payout.attempts.map(openAttempt).reverse();
    assert(attempts.length > 0, 'a payout has an attempt');
    if (await this.#waits(attempts)) return { kind: 'pending' };
    for (const attempt of attempts) {
      const found = await this.#mined.find(attempt.txid, attempt.outputs.length);
      if (found !== null) return this.#minedOutcome(attempt, found.block, found.confirmations);
    }
    const inChain = await this.#node.unspent(payout.coins, false);
    const gone = payout.coins[inChain.indexOf(null)];
    return gone === undefined ? this.#unmined(payout, attempts) : this.#spent(gone, payout, attempts);
  }

  async #waits(attempts: readonly OpenAttempt[]): Promise<boolean> {
    for (const { txid } of attempts) if ((await this.#node.waiting(txid)) !== null) return true;
    return false;
  }

  /** All coins are unspent in the chain: the transaction has to be sent, unless a waiting one spends them. */
  async #unmined(payout: SignedPayout, attempts: readonly OpenAttempt[]): Promise<PayoutOutcome> {
    const inPool = await this.#node.unspent(payout.coins, true);
    const taken = payout.coins[inPool.indexOf(null)];
    if (taken === undefined) return { kind: 'missing' };
    // It may have entered the mempool since it was looked up there.
    if (await this.#waits(attempts)) return { kind: 'pending' };
    return {
      kind: 'unclear',
      reason: `The coin ${taken} is being spent by an unconfirmed transaction that is not the till's own.`,
    };
  }

  async #spent(gone: string, payout: SignedPayout, attempts: readonly OpenAttempt[]): Promise<PayoutOutcome> {
    const since = Math.min(...attempts.map(({ terms }) => terms.height));
    const spender = await this.#search.find(gone, since);
    if (spender === null) return this.#unmade(gone, payout, since);
    const confirmations = (await this.#node.height()) - spender.block.height + 1;
    const own = attempts.find(({ txid }) => txid === spender.txid);
    if (own !== undefined) {
      this.#mined.note(own.txid, spender.block);
      return this.#minedOutcome(own, spender.block, confirmations);
    }
    const coin = attempts.flatMap(({ terms }) => terms.coins).find(({ ref }) => ref === gone);
    if (!this.#isSignedByUs(spender, present(coin, `terms of ${gone}`))) {
      return {
        kind: 'unclear',
        reason: `The node shows the coin ${gone} as spent by ${spender.txid}, without a right signature.`,
      };
    }
    const rival = rivalPayment(spender, present(attempts.at(-1), 'the first attempt'), this.#keys.hot.script);
    return { kind: 'conflicted', txid: spender.txid, confirmations, ...(rival === null ? {} : { rival }) };
  }

  /** The coin is neither unspent nor spent: the transaction that made it is no longer in the chain. */
  async #unmade(gone: string, { coins }: SignedPayout, since: number): Promise<PayoutOutcome> {
    const inPool = await this.#node.unspent(coins, true);
    if (inPool.every((output) => output !== null)) return { kind: 'missing' };
    return { kind: 'unclear', reason: `The coin ${gone} is neither unspent nor spent in any block since ${since}.` };
  }

  async #minedOutcome(
    { txid, terms, outputs }: OpenAttempt,
    block: BlockRef,
    confirmations: number,
  ): Promise<PayoutOutcome> {
    if (confirmations < 1) throw inconsistent(`block ${block.height} is above the head`);
    const { changeNumber, feeUnits } = terms;
    const { address } = this.#keys.hot;
    const change: SpendableCoin | null =
      changeNumber === null
        ? null
        : {
            ref: `${txid}:${changeNumber}`,
            address,
            index: null,
            units: present(outputs[changeNumber], 'the change').units,
          };
    return { kind: 'mined', txid, block, confirmations, succeeded: true, feeUnits, change };
  }

  /** Nobody can forge a spend of the till's coin, since it needs a signature of its key. */
  #isSignedByUs({ raw }: FoundSpender, coin: SpendableCoin): boolean {
    const { publicKey, script } = this.#keys.of(coin);
    try {
      const transaction = Transaction.fromRaw(raw, ANY_KIND);
      const at = inputOf(transaction, coin.ref);
      const [signature, key] = transaction.getInput(at).finalScriptWitness ?? [];
      if (signature === undefined || key === undefined || Buffer.compare(key, publicKey) !== 0) return false;
      const digest = inputDigest(transaction, at, script, signature.at(-1) ?? 0, coin.units);
      return secp256k1.verify(signature.subarray(0, -1), digest, publicKey, { prehash: false, format: 'der' });
    } catch {
      // No transaction, or no signature, of the expected form.
      return false;
    }
  }
}

function openAttempt({ txid, raw, terms }: SignedPayout['attempts'][number]): OpenAttempt {
  const transaction = Transaction.fromRaw(Buffer.from(raw, 'hex'), ANY_KIND);
  assert(transaction.id === txid, `the bytes of ${txid} are its own`);
  return { txid, outputs: outputsOf(transaction), terms: readSignedTerms(terms) };
}

function inputOf(transaction: Transaction, ref: string): number {
  const [txid, number] = outpointOf(ref);
  for (let at = 0; at < transaction.inputsLength; at++) {
    const input = transaction.getInput(at);
    if (input.index === number && Buffer.from(input.txid ?? []).toString('hex') === txid) return at;
  }
  throw inconsistent(`the transaction does not spend ${ref}`);
}
