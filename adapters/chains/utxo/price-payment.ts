import { TillgateError } from '../../../core/index.ts';
import type {
  Logger,
  PaymentLine,
  PriceRequest,
  PricedPayment,
  SignedTransaction,
  SpendableCoin,
} from '../../../core/index.ts';
import { selectCoins, sumOf } from './coin-selection.ts';
import type { FeeRates } from './fee-rates.ts';
import { greater } from './fee-rates.ts';
import { writeTerms } from './payment-terms.ts';
import { readTransaction, virtualSize } from './raw-transaction.ts';
import { feeOf, virtualSizeOf } from './transaction-size.ts';
import type { FeeRate } from './transaction-size.ts';
import type { UtxoAddresses } from './utxo-addresses.ts';
import type { UtxoNode } from './utxo-node.ts';
import { WireReader } from './wire-reader.ts';

export interface PricingDeps {
  readonly node: UtxoNode;
  readonly rates: FeeRates;
  readonly addresses: UtxoAddresses;
  readonly logger: Logger;
  /** Change below this amount is not made. */
  readonly ownDust: bigint;
  /** The script size of a change output, in bytes. */
  readonly ownScriptBytes: number;
}

/** This many coins are 13,600 virtual bytes; a node relays up to 100,000. */
export const MAX_INPUTS = 200;
const RESELECTIONS = 3;
/** An outpoint that no transaction has, for an assumed coin with which the cost of a payment is estimated. */
const SUPPOSED = '0'.repeat(64);

/** Chooses coins and computes the fee of payments to segwit and older addresses. */
export class Pricing {
  readonly #deps: PricingDeps;

  constructor(deps: PricingDeps) {
    this.#deps = deps;
  }

  async price(request: PriceRequest): Promise<PricedPayment> {
    const scripts = request.lines.map((line) => this.#scriptBytes(line));
    // Read before the coins: a transaction that spends them from now on is mined above this height.
    const height = await this.#deps.node.height();
    const priced =
      request.replaces === null
        ? await this.#first(request, scripts)
        : await this.#bump(request, request.replaces, scripts);
    return { ...priced, terms: writeTerms({ height }) };
  }

  /**
   * Returns all coins of a payout in one output, at the rate needed to replace its last attempt: the limits on fees may
   * be the reason why the payment cannot be raised.
   */
  async cancel(request: Pick<PriceRequest, 'source' | 'coins'>, replaced: SignedTransaction): Promise<PricedPayment> {
    const height = await this.#deps.node.height();
    const { fits, feeUnits } = await this.#outbid({ ...request, lines: [] }, replaced, []);
    if (!fits) throw noRoom();
    return { coins: request.coins, feeUnits, terms: writeTerms({ height }) };
  }

  /** The fee is deducted from the lines, so the coins must cover their sum and no more. */
  async #first(request: PriceRequest, scripts: readonly number[]): Promise<Omit<PricedPayment, 'terms'>> {
    const { rate } = await this.#deps.rates.now();
    const total = sumOf(request.lines);
    const chosen = await this.#choose(request, total);
    if (request.lines.length === 0) return this.#together(chosen, rate);
    const outputs = sumOf(chosen) - total >= this.#deps.ownDust ? this.#withChange(scripts) : scripts;
    return { coins: chosen, feeUnits: feeOf(rate, virtualSizeOf(chosen.length, outputs)) };
  }

  /** The whole amount comes back as one coin. */
  #together(coins: readonly SpendableCoin[], rate: FeeRate): Omit<PricedPayment, 'terms'> {
    const { rates, ownDust } = this.#deps;
    rates.checkLow(rate);
    const feeUnits = feeOf(rate, virtualSizeOf(coins.length, this.#withChange([])));
    if (sumOf(coins) - feeUnits < ownDust)
      throw new TillgateError('STATE_CONFLICT', 'The coins are not worth the fee of consolidating them.');
    return { coins, feeUnits };
  }

  /** The receivers get the same amounts; the higher fee is taken from the change (BIP-125). */
  async #bump(
    request: PriceRequest,
    replaced: SignedTransaction,
    scripts: readonly number[],
  ): Promise<Omit<PricedPayment, 'terms'>> {
    const { rates } = this.#deps;
    const { lines, coins } = request;
    const {
      rate,
      room,
      required,
      size,
      smaller,
      fits,
      feeUnits: least,
    } = await this.#outbid(request, replaced, scripts);
    const feeUnits = fits ? least : room;
    if (lines.length === 0) rates.checkLow(rate);
    if (!fits && (lines.length === 0 || room < required || room < dearer(replaced, smaller))) throw noRoom();
    rates.checkBound((feeUnits * 1_000n) / BigInt(fits ? size : smaller));
    return { coins, feeUnits };
  }

  /** The lowest fee with which a transaction can be replaced, with change; `fits` when the coins suffice for it. */
  async #outbid(
    { lines, coins }: Pick<PriceRequest, 'lines' | 'coins'>,
    replaced: SignedTransaction,
    scripts: readonly number[],
  ) {
    const { rates, node, ownDust } = this.#deps;
    const [{ rate, increment }, waiting] = await Promise.all([rates.now(), node.waiting(replaced.txid)]);
    // Transactions that spend its outputs are replaced too, so their fees count (BIP-125, rule 3).
    const outbid = greater(replaced.feeUnits, waiting?.descendantFees ?? 0n);
    const least = (vbytes: number): bigint =>
      greater(outbid + feeOf(increment, vbytes), greater(dearer(replaced, vbytes), feeOf(rate, vbytes)));
    const room = sumOf(coins) - sumOf(lines);
    const size = virtualSizeOf(coins.length, this.#withChange(scripts));
    const smaller = virtualSizeOf(coins.length, scripts);
    const feeUnits = least(size);
    const required = outbid + feeOf(increment, smaller);
    return { rate, room, required, size, smaller, feeUnits, fits: room - feeUnits >= ownDust };
  }

  /**
   * Coins that the node does not return, or returns differently, are skipped: a transaction that spends them would not
   * be relayed.
   */
  async #choose(
    { coins, required = [] }: Pick<PriceRequest, 'coins' | 'required'>,
    total: bigint,
  ): Promise<readonly SpendableCoin[]> {
    let [usable, kept] = [coins, required];
    for (let round = 0; round < RESELECTIONS; round++) {
      const missing = total - sumOf(kept);
      const limits = { dust: this.#deps.ownDust, maxInputs: MAX_INPUTS - kept.length };
      const others = missing > 0n ? selectCoins(usable, missing, limits) : [];
      if (others === null || kept.length > MAX_INPUTS) break;
      const chosen = [...kept, ...others];
      const absent = await this.#absent(chosen);
      if (absent.size === 0) return chosen;
      this.#deps.logger.warn('the node does not have some coins of the till; they are not spent', {
        refs: [...absent],
      });
      const isThere = ({ ref }: SpendableCoin): boolean => !absent.has(ref);
      [usable, kept] = [usable.filter(isThere), kept.filter(isThere)];
    }
    throw new TillgateError(
      'INSUFFICIENT_BALANCE',
      `The coins that can be spent now, at most ${MAX_INPUTS} in one transaction, do not suffice.`,
    );
  }

  async #absent(coins: readonly SpendableCoin[]): Promise<ReadonlySet<string>> {
    const real = coins.filter(({ ref }) => !ref.startsWith(SUPPOSED));
    const outputs = await this.#deps.node.unspent(
      real.map(({ ref }) => ref),
      true,
    );
    const fits = ({ units, address }: SpendableCoin, at: number): boolean => {
      const output = outputs[at];
      return output?.units === units && output.script === this.#deps.addresses.read(address)?.key;
    };
    return new Set(real.filter((coin, at) => !fits(coin, at)).map(({ ref }) => ref));
  }

  #withChange(scripts: readonly number[]): readonly number[] {
    return [...scripts, this.#deps.ownScriptBytes];
  }

  #scriptBytes({ to }: PaymentLine): number {
    const read = this.#deps.addresses.read(to);
    if (read === null)
      throw new TillgateError('STATE_CONFLICT', `The address ${to} ${this.#deps.addresses.problem(to)}.`);
    return read.key.length / 2;
  }
}

function noRoom(): TillgateError {
  return new TillgateError(
    'STATE_CONFLICT',
    'There is no room for a higher fee: the transaction has too little change.',
  );
}

/** A fee whose rate exceeds that of the transaction to be replaced, rounded up. */
function dearer({ raw, feeUnits }: SignedTransaction, vbytes: number): bigint {
  const size = BigInt(virtualSize(readTransaction(new WireReader(Buffer.from(raw, 'hex')), {})));
  return (feeUnits * BigInt(vbytes)) / size + 1n;
}
