import { assert } from '../kernel/guard.ts';
import { isTillgateError, TillgateError } from '../kernel/errors.ts';
import type { PaymentLine, PricedPayment, PriceRequest, SignedTransaction } from '../ports/chain-payments.ts';
import type { PayingChain, PayoutDeps } from './payout-deps.ts';
import { gatheringFee, MOST_COINS } from './fee-desk.ts';
import { shareOf } from './finish-payout.ts';
import { gasAt } from './gas-at.ts';
import type { HotWallet } from './hot-wallet.ts';
import type { Transfer } from './transfer.ts';

/** A transfer with the fee that it is charged from now on. */
export interface ChargedTransfer {
  readonly transfer: Transfer;
  readonly feeUnits: bigint;
}

/** Signed bytes that nobody has but this process; they count only once they are stored. */
export interface Draft {
  readonly charged: readonly ChargedTransfer[];
  readonly nonce: number | null;
  readonly signed: SignedTransaction;
  /** The holdings it takes. */
  readonly refs: readonly string[];
}

/** Why a transfer cannot be signed now; it waits and is tried again. */
export class Waits extends Error {
  readonly transfers: readonly Transfer[];

  constructor(transfers: readonly Transfer[], reason: string, cause?: unknown) {
    super(reason, { cause });
    this.transfers = transfers;
  }
}

/**
 * Prices, charges and signs transactions; nothing is stored or sent here.
 */
export class Drafter {
  readonly #chain: PayingChain;
  readonly #deps: PayoutDeps;

  constructor(chain: PayingChain, deps: PayoutDeps) {
    this.#chain = chain;
    this.#deps = deps;
  }

  /** One transfer from one address. @throws Waits; `NODE_FAILED`, `NOT_READY` */
  async fromAccount(transfer: Transfer, nonce: number | null, hot: HotWallet): Promise<Draft> {
    const { payments } = this.#chain;
    const fromHot = transfer.sourceIndex === null;
    const { currency } = transfer;
    const units = fromHot ? await this.#tried(transfer, hot) : transfer.units;
    const refs = fromHot ? [] : await this.#swept(transfer);
    const source = { address: transfer.sourceAddress, index: transfer.sourceIndex };
    const priced = await this.#price([transfer], () =>
      payments.price({ source, lines: [{ to: transfer.toAddress, currency, units }], coins: [], replaces: null }),
    );
    const charged = await this.#chargeAccount(transfer, priced, hot);
    const line = lineOf(charged);
    const signed = await payments.sign({ source, lines: [line], priced, nonce });
    if (fromHot) await noteSpent(hot, line, priced.feeUnits, payments.feeAsset.currency);
    return { charged: [charged], nonce, signed, refs };
  }

  /**
   * As many of these transfers, all of one currency, as one transaction takes, from the free coins.
   *
   * @throws Waits; `NODE_FAILED`, `NOT_READY`
   */
  async fromCoins(transfers: readonly Transfer[]): Promise<Draft> {
    const { payments, code } = this.#chain;
    const [first] = transfers;
    assert(first !== undefined, 'a draft of nothing');
    const coins = await this.#deps.storage.transfers.freeCoins(code, first.currency, MOST_COINS);
    let left = coins.reduce((sum, { units }) => sum + units, 0n);
    const affordable = transfers.filter(({ units }) => {
      if (units > left) return false;
      left -= units;
      return true;
    });
    if (affordable.length === 0) throw new Waits([first], 'The coins for it are still on their way.');
    const source = { address: payments.hotAddress, index: null };
    const lines = affordable.map(({ toAddress, currency, units }) => ({ to: toAddress, currency, units }));
    const priced = await this.#priceCoins(affordable, { source, lines, coins, replaces: null });
    // Too many small coins for one transaction: fewer payments at once.
    if (priced === null) return this.fromCoins(affordable.slice(0, Math.ceil(affordable.length / 2)));
    const charged: ChargedTransfer[] = [];
    for (const [at, transfer] of affordable.entries()) {
      const share = shareOf(priced.feeUnits, affordable.length, at);
      charged.push(checkCharge(transfer, await this.#inCurrency(transfer, share), payments.dust(transfer.currency)));
    }
    const signed = await payments.sign({ source, lines: charged.map(lineOf), priced, nonce: null });
    return { charged, nonce: null, signed, refs: priced.coins.map(({ ref }) => ref) };
  }

  /** Another transaction of the same payout at a higher price; receivers get what they were promised. */
  async again(transfers: readonly Transfer[], request: Pick<PriceRequest, 'source' | 'coins' | 'replaces'>, nonce: number | null): Promise<SignedTransaction> {
    const { payments } = this.#chain;
    const lines = transfers.map((transfer) => lineOf({ transfer, feeUnits: transfer.feeUnits }));
    const priced = await payments.price({ ...request, lines });
    return payments.sign({ source: request.source, lines, priced, nonce });
  }

  /** `null` when the coins suffice for these only in more than one transaction. */
  async #priceCoins(transfers: readonly Transfer[], request: PriceRequest): Promise<PricedPayment | null> {
    try {
      return await this.#price(transfers, () => this.#chain.payments.price(request));
    } catch (error) {
      if (error instanceof Waits && isTillgateError(error.cause, 'INSUFFICIENT_BALANCE') && transfers.length > 1) return null;
      throw error;
    }
  }

  async #price(transfers: readonly Transfer[], price: () => Promise<PricedPayment>): Promise<PricedPayment> {
    try {
      return await price();
    } catch (error) {
      if (isTillgateError(error, 'STATE_CONFLICT') || isTillgateError(error, 'INSUFFICIENT_BALANCE')) throw new Waits(transfers, error.message, error);
      throw error;
    }
  }

  /** What a payment is priced with: tokens can be tried out only as far as they are there. */
  async #tried(transfer: Transfer, hot: HotWallet): Promise<bigint> {
    const { currency, units, maxFeeUnits } = transfer;
    if (currency === this.#chain.payments.feeAsset.currency) return units;
    const free = await hot.free(currency);
    if (free < units - maxFeeUnits) throw lacks(transfer);
    return free > 0n && free < units ? free : units;
  }

  /** Tokens must be there, and nothing else can make up for them; what is charged for the fee stays where it is. */
  async #requireToken({ transfer, feeUnits }: ChargedTransfer, hot: HotWallet): Promise<void> {
    const { currency, units } = transfer;
    if ((await hot.free(currency)) < units - feeUnits) throw lacks(transfer);
  }

  /** The price may have risen since the gas was sent: a sweep without enough of it would hold its nonce for nothing. */
  async #requireGas(transfer: Transfer, feeUnits: bigint): Promise<void> {
    const there = await gasAt(this.#chain, this.#deps.storage, transfer.sourceAddress);
    if (there < feeUnits) throw new Waits([transfer], "The address has too little of the chain's coin for the network's fee now.");
  }

  /** The holdings that a sweep moves; they must be what it was planned for. */
  async #swept(transfer: Transfer): Promise<readonly string[]> {
    const holdings = await this.#deps.storage.transfers.freeAt(this.#chain.code, transfer.sourceAddress, transfer.currency);
    const refs: string[] = [];
    let sum = 0n;
    for (const { ref, units } of holdings) {
      if (sum >= transfer.units) break;
      refs.push(ref);
      sum += units;
    }
    if (sum !== transfer.units) throw new TillgateError('STATE_CONFLICT', 'The coins of this sweep have changed.');
    return refs;
  }

  async #chargeAccount(transfer: Transfer, priced: PricedPayment, hot: HotWallet): Promise<ChargedTransfer> {
    const { payments } = this.#chain;
    const { currency, units, kind } = transfer;
    const isNative = currency === payments.feeAsset.currency;
    const dust = payments.dust(currency);
    // A token's sweep pays with the coins that were sent ahead for it; gas arrives whole.
    if (transfer.sourceIndex !== null) {
      if (!isNative) await this.#requireGas(transfer, priced.feeUnits);
      return checkCharge(transfer, isNative ? priced.feeUnits : 0n, dust);
    }
    const native = await hot.free(payments.feeAsset.currency);
    if (kind === 'gas' || !isNative) {
      const needed = isNative ? units + priced.feeUnits : priced.feeUnits;
      if (native < needed) throw new Waits([transfer], `The hot wallet lacks ${payments.feeAsset.currency} for the network's fee; the operator has to bring it.`);
      const charged = checkCharge(transfer, kind === 'gas' ? 0n : await this.#inCurrency(transfer, priced.feeUnits), dust);
      if (!isNative) await this.#requireToken(charged, hot);
      return charged;
    }
    const short = units - native;
    const gathering = kind === 'cold' ? 0n : gatheringFee(short, transfer.maxFeeUnits - priced.feeUnits);
    if (short > gathering) throw lacks(transfer);
    return checkCharge(transfer, priced.feeUnits + gathering, dust);
  }

  async #inCurrency(transfer: Transfer, nativeUnits: bigint): Promise<bigint> {
    const { feeAsset } = this.#chain.payments;
    const asset = this.#deps.assets.find(transfer.currency);
    return asset === null ? nativeUnits : this.#deps.rates.convert(nativeUnits, feeAsset, asset);
  }
}

function lacks(transfer: Transfer): Waits {
  return new Waits([transfer], `The hot wallet lacks ${transfer.currency}; sweeps or the operator have to bring it.`);
}

function lineOf({ transfer, feeUnits }: ChargedTransfer): PaymentLine {
  const units = transfer.units - feeUnits;
  assert(units > 0n, `transfer ${transfer.id} pays nothing`);
  return { to: transfer.toAddress, currency: transfer.currency, units };
}

/** @throws Waits when the network asks for more than the transfer may be charged */
function checkCharge(transfer: Transfer, feeUnits: bigint, dust: bigint): ChargedTransfer {
  if (feeUnits > transfer.maxFeeUnits) throw new Waits([transfer], "The network's fee is above the most that this transfer may be charged.");
  if (transfer.units - feeUnits < dust) throw new Waits([transfer], "The network's fee leaves less than the network carries.");
  return { transfer, feeUnits };
}

async function noteSpent(hot: HotWallet, line: PaymentLine, feeUnits: bigint, feeCurrency: string): Promise<void> {
  await hot.spend(line.currency, line.units);
  await hot.spend(feeCurrency, feeUnits);
}
