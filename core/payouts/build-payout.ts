import type { CurrencyCode } from '../kernel/index.ts';
import { assert, formatUnits, isTillgateError, TillgateError } from '../kernel/index.ts';
import type {
  PaymentLine,
  PricedPayment,
  PriceRequest,
  SignedTransaction,
  SignRequest,
  SpendableCoin,
} from '../chain/index.ts';
import { secondsLeft } from '../chain/index.ts';
import type { PayingChain, PayoutDeps } from './payout-deps.ts';
import { consolidationFee } from './fee-estimator.ts';
import { shareOf } from './finish-payout.ts';
import { gasBalance } from './gas-balance.ts';
import type { HotWallet } from './hot-wallet.ts';
import { coinsFor, maxCoinsOf, sumOf } from './payout-coins.ts';
import { floatLacking } from './till-budget.ts';
import type { TillBudget } from './till-budget.ts';
import { isOwnMove, isCharge, putsCoinsTogether } from './transfer.ts';
import type { Transfer } from './transfer.ts';

/**
 * The shortest remaining validity, in seconds, with which an authorization is signed: a block of the slower chains
 * comes every 12 s.
 */
const LEAST_SECONDS_TO_SIGN = 15n;

/** A transfer with its final fee. */
export interface ChargedTransfer {
  readonly transfer: Transfer;
  readonly feeUnits: bigint;
}

/** What the hot wallet can pay, and how much of it the till may spend on fees. */
export interface TillCoins {
  readonly hot: HotWallet;
  readonly budget: TillBudget;
}

/** Signed bytes that only this process has; they take effect once stored. */
export interface Draft {
  readonly charged: readonly ChargedTransfer[];
  readonly nonce: number | null;
  readonly signed: SignedTransaction;
  /** References of the holdings that it spends. */
  readonly refs: readonly string[];
}

/** A transfer cannot be signed now; it waits and is retried. */
export class PayoutDeferred extends Error {
  readonly transfers: readonly Transfer[];
  /** True when waiting may not resolve it: the transfer fails after a time, and its reserve is released. */
  readonly lapses: boolean;

  constructor(
    transfers: readonly Transfer[],
    reason: string,
    { cause, lapses = false }: { readonly cause?: unknown; readonly lapses?: boolean } = {},
  ) {
    super(reason, { cause });
    this.transfers = transfers;
    this.lapses = lapses;
  }
}

/** A transfer can never be signed, because its receiver cannot be paid. */
export class PayoutImpossible extends Error {
  readonly transfers: readonly Transfer[];

  constructor(transfers: readonly Transfer[], reason: string) {
    super(reason);
    this.transfers = transfers;
  }
}

/** The signer's rules forbid the payment: nothing is signed before an operator has decided. */
export class PayoutRefused extends Error {
  readonly transfers: readonly Transfer[];

  constructor(transfers: readonly Transfer[], cause: TillgateError) {
    super(cause.message, { cause });
    this.transfers = transfers;
  }
}

/** Prices and signs payout transactions; nothing is stored or sent here. */
export class PayoutBuilder {
  readonly #chain: PayingChain;
  readonly #deps: PayoutDeps;

  constructor(chain: PayingChain, deps: PayoutDeps) {
    this.#chain = chain;
    this.#deps = deps;
  }

  /** Builds one transfer from one address. @throws PayoutDeferred, PayoutImpossible; `NODE_FAILED`, `NOT_READY` */
  async fromAccount(transfer: Transfer, nonce: number | null, { hot, budget }: TillCoins): Promise<Draft> {
    const { payments } = this.#chain;
    this.#requireTime(transfer);
    const fromHot = transfer.sourceIndex === null;
    const { currency } = transfer;
    const units = fromHot ? await this.#tried(transfer, hot) : transfer.units;
    const refs = fromHot ? [] : await this.#swept(transfer);
    const source = { address: transfer.sourceAddress, index: transfer.sourceIndex };
    const priced = await this.#price([transfer], () =>
      payments.price({ source, lines: [{ ...lineTo(transfer), currency, units }], coins: [], replaces: null }),
    );
    const charged = await this.#chargeAccount(transfer, priced, { hot, budget });
    const line = { ...lineOf(charged), ...(await this.#ownReceiver(transfer)) };
    const signed = await this.#sign([transfer], { source, lines: [line], priced, nonce });
    if (fromHot) await noteSpent(hot, line, priced.feeUnits, payments.feeAsset.currency);
    noteCost(budget, charged, priced.feeUnits, payments.feeAsset.currency);
    return { charged: [charged], nonce, signed, refs };
  }

  /**
   * Builds a transaction of as many of these transfers as fit, all of one account and currency, from the account's
   * coins.
   *
   * @throws PayoutDeferred, PayoutImpossible; `NODE_FAILED`, `NOT_READY`
   */
  async fromCoins(transfers: readonly Transfer[]): Promise<Draft> {
    const { payments } = this.#chain;
    const [first] = transfers;
    assert(first !== undefined, 'a draft of nothing');
    const { currency, accountId } = first;
    const units = sumOf(transfers);
    const found = await coinsFor(this.#chain, this.#deps.storage, { currency, accountId, units });
    const fewer = (): Promise<Draft> => this.fromCoins(transfers.slice(0, Math.ceil(transfers.length / 2)));
    if (found.kind !== 'enough') {
      if (transfers.length > 1) return fewer();
      throw found.kind === 'too-many'
        ? new PayoutDeferred([first], this.#tooMany(found.units), { lapses: true })
        : new PayoutDeferred([first], 'The coins for it are not confirmed yet.');
    }
    const source = { address: payments.hotAddress, index: null };
    const lines = transfers.map(({ toAddress, units: each }) => ({ to: toAddress, currency, units: each }));
    const { required, coins } = found;
    const priced = await this.#priceCoins(transfers, { source, lines, coins, required, replaces: null });
    // One transaction cannot spend that many small coins: it pays fewer transfers.
    if (priced === null) return fewer();
    const charged: ChargedTransfer[] = [];
    for (const [at, transfer] of transfers.entries()) {
      const share = shareOf(priced.feeUnits, transfers.length, at);
      charged.push(checkCharge(transfer, await this.#inCurrency(transfer, share), payments.dust(transfer.currency)));
    }
    const request = { source, lines: charged.map(lineOf), priced, nonce: null };
    const signed = await this.#signTogether(transfers, request);
    // A signer may allow one by one what it forbids together.
    if (signed === null) return fewer();
    return { charged, nonce: null, signed, refs: priced.coins.map(({ ref }) => ref) };
  }

  /**
   * Merges coins, which must be the planned ones.
   *
   * @throws PayoutDeferred while fees are not low; `STATE_CONFLICT` when the coins have changed; `NODE_FAILED`,
   *   `NOT_READY`
   */
  async fromOwnCoins(transfer: Transfer, planned: readonly SpendableCoin[] | null): Promise<Draft> {
    const { payments } = this.#chain;
    if (planned === null) throw new TillgateError('STATE_CONFLICT', 'The coins of this sweep have changed.');
    const source = { address: payments.hotAddress, index: null };
    const priced = await this.#price([transfer], () =>
      payments.price({ source, lines: [], coins: [], required: planned, replaces: null }),
    );
    if (sumOf(priced.coins) !== transfer.units)
      throw new PayoutDeferred([transfer], 'The node does not show all of its coins.');
    const charged = [checkCharge(transfer, priced.feeUnits, payments.dust(transfer.currency))];
    const signed = await this.#sign([transfer], { source, lines: [], priced, nonce: null });
    return { charged, nonce: null, signed, refs: priced.coins.map(({ ref }) => ref) };
  }

  /** Builds another attempt of the same payout with a higher fee; receivers get the same amounts. */
  async again(
    transfers: readonly Transfer[],
    request: Pick<PriceRequest, 'source' | 'coins' | 'replaces'>,
    nonce: number | null,
  ): Promise<SignedTransaction> {
    const { payments } = this.#chain;
    const paid = transfers.filter((transfer) => !putsCoinsTogether(transfer));
    const lines: PaymentLine[] = [];
    for (const transfer of paid)
      lines.push({ ...lineOf({ transfer, feeUnits: transfer.feeUnits }), ...(await this.#ownReceiver(transfer)) });
    const priced = await payments.price({ ...request, lines });
    return payments.sign({ source: request.source, lines, priced, nonce });
  }

  async #sign(transfers: readonly Transfer[], request: SignRequest): Promise<SignedTransaction> {
    try {
      return await this.#chain.payments.sign(request);
    } catch (error) {
      if (isTillgateError(error, 'SIGNING_REFUSED')) throw new PayoutRefused(transfers, error);
      throw error;
    }
  }

  async #signTogether(transfers: readonly Transfer[], request: SignRequest): Promise<SignedTransaction | null> {
    try {
      return await this.#sign(transfers, request);
    } catch (error) {
      if (error instanceof PayoutRefused && transfers.length > 1) return null;
      throw error;
    }
  }

  /** Gas goes to a deposit address of the till, which a signer recognises by the index of the tokens there. */
  async #ownReceiver({ kind, toAddress }: Transfer): Promise<Pick<PaymentLine, 'toIndex'>> {
    if (kind === 'charge') return this.#ordersAddress(toAddress);
    if (kind !== 'gas') return {};
    const { code, assets } = this.#chain;
    for (const { currency } of assets) {
      const [holding] = await this.#deps.storage.transfers.freeAt(code, toAddress, currency);
      if (holding !== undefined && holding.index !== null) return { toIndex: holding.index };
    }
    return {};
  }

  async #ordersAddress(address: string): Promise<Pick<PaymentLine, 'toIndex'>> {
    const { code } = this.#chain;
    const found = await this.#deps.storage.transaction((tx) => tx.orders.addressAt(code, address));
    return found === null ? {} : { toIndex: found.index };
  }

  #tooMany(units: bigint): string {
    const { feeAsset } = this.#chain.payments;
    const [most, amount] = [maxCoinsOf(this.#chain), formatUnits(units, feeAsset.decimals)];
    return `It needs more coins than one transaction can spend, which is at most ${most} coins (${amount} ${feeAsset.currency}): it waits until coins are consolidated.`;
  }

  /**
   * `null` when the transfers cannot be paid together: the coins suffice only in several transactions, or a receiver
   * cannot be paid.
   */
  async #priceCoins(transfers: readonly Transfer[], request: PriceRequest): Promise<PricedPayment | null> {
    try {
      return await this.#price(transfers, () => this.#chain.payments.price(request));
    } catch (error) {
      const fewerMayPass =
        error instanceof PayoutImpossible ||
        (error instanceof PayoutDeferred && isTillgateError(error.cause, 'INSUFFICIENT_BALANCE'));
      if (fewerMayPass && transfers.length > 1) return null;
      throw error;
    }
  }

  async #price(transfers: readonly Transfer[], price: () => Promise<PricedPayment>): Promise<PricedPayment> {
    try {
      return await price();
    } catch (error) {
      const isConflict = isTillgateError(error, 'STATE_CONFLICT') || isTillgateError(error, 'INSUFFICIENT_BALANCE');
      // An authorization that would be reverted, or has too high a fee, is refused, because its payer waits for a
      // reply.
      if (isConflict && transfers.some(isCharge)) throw new PayoutImpossible(transfers, error.message);
      if (isConflict) throw new PayoutDeferred(transfers, error.message, { cause: error });
      if (!isTillgateError(error, 'DESTINATION_UNPAYABLE')) throw error;
      // The till's own moves go to addresses of the operator, so they wait until the operator has corrected that.
      if (transfers.every(isOwnMove)) throw new PayoutDeferred(transfers, error.message, { cause: error });
      throw new PayoutImpossible(transfers, error.message);
    }
  }

  /** The amount for pricing: a token transfer can only be simulated up to the balance. */
  async #tried(transfer: Transfer, hot: HotWallet): Promise<bigint> {
    const { currency, units, maxFeeUnits } = transfer;
    if (currency === this.#chain.payments.feeAsset.currency) return units;
    const free = await hot.free(currency);
    if (free < units - maxFeeUnits) throw shortfalls(transfer);
    return free < units ? free : units;
  }

  /** A block after the end of an authorization would revert it, so it must outlast the next block. */
  #requireTime(transfer: Transfer): void {
    if (isCharge(transfer) && secondsLeft(transfer.authorization, this.#deps.clock.now()) < LEAST_SECONDS_TO_SIGN)
      throw new PayoutImpossible([transfer], 'The authorization expires before it could be mined.');
  }

  /** The tokens must be in the hot wallet, except the charged fee, which stays there. */
  async #requireToken({ transfer, feeUnits }: ChargedTransfer, hot: HotWallet): Promise<void> {
    const { currency, units } = transfer;
    if ((await hot.free(currency)) < units - feeUnits) throw shortfalls(transfer);
  }

  /** The gas price may have risen since the gas was funded, and an underfunded sweep would block its nonce. */
  async #requireGas(transfer: Transfer, feeUnits: bigint): Promise<void> {
    const there = await gasBalance(this.#chain, this.#deps.storage, transfer.sourceAddress);
    if (there < feeUnits)
      throw new PayoutDeferred([transfer], "The address has too little of the chain's coin for the network's fee now.");
  }

  /** The holdings of a sweep; their sum must equal the planned amount. */
  async #swept(transfer: Transfer): Promise<readonly string[]> {
    const holdings = await this.#deps.storage.transfers.freeAt(
      this.#chain.code,
      transfer.sourceAddress,
      transfer.currency,
    );
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

  async #chargeAccount(
    transfer: Transfer,
    priced: PricedPayment,
    { hot, budget }: TillCoins,
  ): Promise<ChargedTransfer> {
    const { payments } = this.#chain;
    const { currency, units, kind } = transfer;
    const isNative = currency === payments.feeAsset.currency;
    const dust = payments.dust(currency);
    // A token sweep pays with the gas that was funded for it; a gas transfer has no fee deducted.
    if (transfer.sourceIndex !== null) {
      if (!isNative) await this.#requireGas(transfer, priced.feeUnits);
      if (isNative) requirePayer(transfer, priced.feeUnits, budget);
      return checkCharge(transfer, isNative ? priced.feeUnits : 0n, dust);
    }
    const native = await hot.free(payments.feeAsset.currency);
    if (isCharge(transfer)) return this.#chargedForAuthorization(transfer, priced, native, budget);
    if (kind === 'gas' || kind === 'cold' || !isNative)
      this.#requireOwn(transfer, priced.feeUnits + (kind === 'gas' ? units : 0n), budget);
    if (kind === 'gas' || !isNative) {
      const needed = isNative ? units + priced.feeUnits : priced.feeUnits;
      if (native < needed)
        throw new PayoutDeferred(
          [transfer],
          `The hot wallet lacks ${payments.feeAsset.currency} for the network's fee; the operator has to fund it.`,
        );
      const charged = checkCharge(
        transfer,
        kind === 'gas' ? 0n : await this.#inCurrency(transfer, priced.feeUnits),
        dust,
      );
      if (!isNative) await this.#requireToken(charged, hot);
      return charged;
    }
    const short = units - native;
    const sweeps = kind === 'cold' ? 0n : budget.sweepCharge(transfer, priced.feeUnits);
    const room = transfer.maxFeeUnits - priced.feeUnits;
    // Other merchants would pay the part of its sweeps that it does not pay.
    if (sweeps > room) throw tooDear(transfer);
    const due = short > sweeps ? short : sweeps;
    const consolidation = kind === 'cold' ? 0n : consolidationFee(due, room);
    if (short > consolidation) throw shortfalls(transfer);
    return checkCharge(transfer, priced.feeUnits + consolidation, dust);
  }

  /** Only the fee leaves the hot wallet, and the till pays it. */
  #chargedForAuthorization(
    transfer: Transfer,
    { feeUnits }: PricedPayment,
    native: bigint,
    budget: TillBudget,
  ): ChargedTransfer {
    if (feeUnits > transfer.maxFeeUnits)
      throw new PayoutImpossible([transfer], "The network's fee is too large a share of the amount now.");
    if (!budget.covers(feeUnits)) throw new PayoutImpossible([transfer], floatLacking(this.#chain, budget, feeUnits));
    if (native < feeUnits)
      throw new PayoutImpossible([transfer], `The hot wallet lacks ${transfer.currency} for the network's fee.`);
    return { transfer, feeUnits: 0n };
  }

  /** The till pays the fee, never with money that is owed to merchants. */
  #requireOwn(transfer: Transfer, units: bigint, budget: TillBudget): void {
    if (!budget.covers(units)) throw new PayoutDeferred([transfer], floatLacking(this.#chain, budget, units));
  }

  async #inCurrency(transfer: Transfer, nativeUnits: bigint): Promise<bigint> {
    const { feeAsset } = this.#chain.payments;
    const asset = this.#deps.assets.find(transfer.currency);
    return asset === null ? nativeUnits : this.#deps.rates.convert(nativeUnits, feeAsset, asset);
  }
}

function shortfalls(transfer: Transfer): PayoutDeferred {
  return new PayoutDeferred(
    [transfer],
    `The hot wallet lacks ${transfer.currency}; it waits for sweeps or for the operator to fund it.`,
  );
}

function tooDear(transfer: Transfer): PayoutDeferred {
  return new PayoutDeferred(
    [transfer],
    "The network's fee, with that of the sweeps made for it, is above the most that this transfer may be charged.",
  );
}

function lineTo({ toAddress: to, authorization }: Transfer): Pick<PaymentLine, 'to' | 'charge'> {
  return { to, ...(authorization === undefined ? {} : { charge: authorization }) };
}

function lineOf({ transfer, feeUnits }: ChargedTransfer): PaymentLine {
  const units = transfer.units - feeUnits;
  assert(units > 0n || isCharge(transfer), `transfer ${transfer.id} pays nothing`);
  return { ...lineTo(transfer), currency: transfer.currency, units };
}

/** @throws PayoutDeferred when the network's fee exceeds the most that the transfer may be charged */
function checkCharge(transfer: Transfer, feeUnits: bigint, dust: bigint): ChargedTransfer {
  if (feeUnits > transfer.maxFeeUnits) throw tooDear(transfer);
  if (transfer.units - feeUnits < dust)
    throw new PayoutDeferred([transfer], "The network's fee leaves less than the network's minimum amount.");
  return { transfer, feeUnits };
}

/** A sweep of coins is planned again when its fee has risen, or when no waiting payment would pay it any more. */
function requirePayer({ maxFeeUnits }: Transfer, feeUnits: bigint, budget: TillBudget): void {
  if (feeUnits > maxFeeUnits)
    throw new TillgateError('STATE_CONFLICT', 'The fee has risen since this sweep was planned.');
  if (!budget.covers(feeUnits) && !budget.canAdvance(feeUnits))
    throw new TillgateError('STATE_CONFLICT', 'No waiting payment can be charged for this sweep any more.');
}

/** Updates the till's own coins for a signed payment. */
function noteCost(
  budget: TillBudget,
  { transfer, feeUnits }: ChargedTransfer,
  cost: bigint,
  native: CurrencyCode,
): void {
  const { kind, currency, units, sourceIndex } = transfer;
  const isNative = currency === native;
  // A token's sweep pays with gas that was reserved for it.
  if (sourceIndex !== null && !isNative) return;
  budget.spend(cost + (kind === 'gas' ? units : 0n));
  if (isOwnMove(transfer) || !isNative) return;
  budget.spend(-feeUnits);
  budget.settle(transfer);
}

async function noteSpent(hot: HotWallet, line: PaymentLine, feeUnits: bigint, feeCurrency: string): Promise<void> {
  await hot.spend(line.currency, line.units);
  await hot.spend(feeCurrency, feeUnits);
}
