import type { AccountId, Asset, ChainCode, Clock, CurrencyCode, Millis, Storage } from '../kernel/index.ts';
import { formatUnits, isTillgateError, mulDiv, present, TillgateError } from '../kernel/index.ts';
import type { ChainAdapter, ChainPayments, PricedPayment, SpendableCoin } from '../chain/index.ts';
import type { SweepCandidate } from './transfer-store.ts';
import type { RateBook } from '../ledger/index.ts';
import { isTooScattered, sweepCost, TOKEN_SWEEP } from './consolidation.ts';
import { HotWallet } from './hot-wallet.ts';
import { hotSurplus } from './operator-float.ts';
import { floatLacking, TillBudget } from './till-budget.ts';
import type { FeeBudgets } from './till-budget.ts';
import { coinsFor, maxCoinsOf, sumOf } from './payout-coins.ts';

/** The estimated fee of a payment and the most that it may finally be charged, in units of the payment's currency. */
export interface FeeEstimate {
  readonly feeUnits: bigint;
  readonly maxFeeUnits: bigint;
}

/** The fee of each of several payments that are made together. */
export interface SharedFeeEstimate {
  /** The estimated fee of each. */
  readonly feeUnits: bigint;
  /** The most that each may be charged, because payments may also be made one by one. */
  readonly maxFeeUnits: bigint;
}

/** The factor by which a fee may exceed its estimate; above it, the transfer waits. */
const MARGIN = 2n;
/** The limit of the consolidation fee in an estimate, as a multiple of the payment's own fee. */
const CONSOLIDATION = 2n;
const MAX_CANDIDATES = 200;
/** How long estimates share a snapshot of the hot wallet, in milliseconds. */
const SNAPSHOT_TTL_MS = 2_000;
const MAX_WAITING = 1_000;

/** One of the payments of an estimate. */
export interface EstimatedPayment {
  readonly units: bigint;
  readonly to: string;
  readonly accountId: AccountId | null;
}

interface WalletSnapshot {
  readonly until: Millis;
  readonly wallet: Promise<HotWallet>;
  readonly budget: Promise<TillBudget>;
  /** Units that waiting payments will take, by currency; read on first use. */
  owed: Promise<ReadonlyMap<CurrencyCode, bigint>> | null;
}

/**
 * The consolidation fee of a payment: the part of the amount that the hot wallet lacks because it paid for sweeps, at
 * most `most`.
 *
 * @param short - the shortfall of the hot wallet; negative when it has enough
 */
export function consolidationFee(short: bigint, most: bigint): bigint {
  if (short <= 0n || most <= 0n) return 0n;
  return short > most ? most : short;
}

/** Estimates the fees of payments. */
export class PayoutFeeEstimator {
  readonly #storage: Pick<Storage, 'transfers' | 'ledger'>;
  readonly #feeBudget: FeeBudgets | undefined;
  readonly #rates: RateBook;
  readonly #clock: Clock;
  readonly #hot = new Map<ChainCode, WalletSnapshot>();

  constructor(deps: {
    readonly storage: Pick<Storage, 'transfers' | 'ledger'>;
    readonly rates: RateBook;
    readonly clock: Clock;
    readonly feeBudget?: FeeBudgets | undefined;
  }) {
    this.#storage = deps.storage;
    this.#feeBudget = deps.feeBudget;
    this.#rates = deps.rates;
    this.#clock = deps.clock;
  }

  /**
   * The fee of paying an amount now.
   *
   * @param units - the units that leave the balance
   * @param accountId - the account whose coins pay, on UTXO chains
   * @throws TillgateError `NOT_READY` on a watch-only chain, without a rate, or without own coins of the till for a
   *   token's fees; `AMOUNT_OUT_OF_RANGE` when the fee leaves nothing, or consolidating its coins would cost more than
   *   half of it; `DESTINATION_UNPAYABLE` when the receiver cannot be paid; `STATE_CONFLICT` when the network would
   *   refuse the payment, or it needs more coins than one transaction spends; `NODE_FAILED`
   */
  async estimate(
    chain: ChainAdapter,
    asset: Asset,
    units: bigint,
    to: string,
    accountId: AccountId | null = null,
  ): Promise<FeeEstimate> {
    const payments = requirePayments(chain);
    const priced = await this.#price(chain, payments, asset, { units, to, accountId });
    const own = await this.#rates.convert(priced.feeUnits, payments.feeAsset, asset);
    const feeUnits = own + (await this.#consolidation(chain, payments, asset, units, priced.feeUnits));
    if (payments.model === 'account' && asset.currency !== payments.feeAsset.currency) {
      const sweeps = await this.#tokenSweeps(chain, payments, asset, units, own);
      await this.#requireFloat(chain, payments, priced.feeUnits * (1n + TOKEN_SWEEP * sweeps));
    }
    const left = units - payments.dust(asset.currency);
    if (feeUnits > left) {
      throw new TillgateError(
        'AMOUNT_OUT_OF_RANGE',
        `The amount does not cover the network's fee on ${chain.name}; use a larger amount.`,
      );
    }
    return { feeUnits, maxFeeUnits: feeUnits * MARGIN > left ? left : feeUnits * MARGIN };
  }

  /**
   * The fee of each of several payments of an account now: on UTXO chains, its share of the transactions that pay as many
   * of them as the chain allows.
   *
   * @param list - at least one payment; the first is priced alone as well
   * @throws TillgateError as {@link estimate}
   */
  async estimateTogether(
    chain: ChainAdapter,
    asset: Asset,
    list: readonly Pick<EstimatedPayment, 'units' | 'to'>[],
    accountId: AccountId,
  ): Promise<SharedFeeEstimate> {
    const first = present(list[0], 'a payment to estimate');
    const alone = await this.estimate(chain, asset, first.units, first.to, accountId);
    const payments = requirePayments(chain);
    const together = list.slice(0, payments.maxLines);
    const maxFeeUnits = alone.feeUnits * MARGIN;
    if (together.length === 1) return { feeUnits: alone.feeUnits, maxFeeUnits };
    const { feeUnits: all } = await this.#priceAll(chain, payments, asset, together, accountId);
    const share = mulDiv(all, 1n, BigInt(together.length), 'up');
    return { feeUnits: share < alone.feeUnits ? share : alone.feeUnits, maxFeeUnits };
  }

  #price(
    chain: ChainAdapter,
    payments: ChainPayments,
    asset: Asset,
    payment: EstimatedPayment,
  ): Promise<PricedPayment> {
    return this.#priceAll(chain, payments, asset, [payment], payment.accountId);
  }

  /** The price of a transaction that makes all of these payments. */
  async #priceAll(
    chain: ChainAdapter,
    payments: ChainPayments,
    asset: Asset,
    list: readonly Pick<EstimatedPayment, 'units' | 'to'>[],
    accountId: AccountId | null,
  ): Promise<PricedPayment> {
    const { currency } = asset;
    const units = sumOf(list);
    const source = { address: payments.hotAddress, index: null };
    const lines = list.map((payment) => ({ to: payment.to, currency, units: payment.units }));
    const request = { source, lines, coins: [], replaces: null };
    if (payments.model === 'account') return payments.price(request);
    const place = { code: chain.code, payments };
    const found = await coinsFor(place, { transfers: this.#storage.transfers }, { currency, accountId, units }, () =>
      this.#waitingOf(chain.code, currency, accountId),
    );
    if (found.kind === 'too-many') throw tooManyCoins(chain, asset, maxCoinsOf(place), found.units);
    try {
      if (found.kind === 'enough') return await payments.price({ ...request, ...found });
    } catch (error) {
      if (!isTillgateError(error, 'INSUFFICIENT_BALANCE')) throw error;
    }
    // The coins are unconfirmed change, so the estimate uses a placeholder input of sufficient size.
    return payments.price({ ...request, coins: [{ ...source, ref: EXPECTED_REF, units: units * 2n }] });
  }

  /** The sum of the waiting payments of an account. */
  async #waitingOf(chain: ChainCode, currency: CurrencyCode, accountId: AccountId | null): Promise<bigint> {
    const waiting = await this.#storage.transfers.waiting(chain, this.#clock.now(), null, MAX_WAITING);
    return sumOf(waiting.filter((transfer) => transfer.accountId === accountId && transfer.currency === currency));
  }

  /** On account chains, the hot wallet pays sweeps, past ones and those that must come first, in the native coin. */
  async #consolidation(
    chain: ChainAdapter,
    payments: ChainPayments,
    asset: Asset,
    units: bigint,
    feeUnits: bigint,
  ): Promise<bigint> {
    if (payments.model !== 'account' || asset.currency !== payments.feeAsset.currency) return 0n;
    const snapshot = this.#snapshot(chain, payments);
    const hot = await snapshot.wallet;
    const owed = (await this.#owedOf(snapshot, chain)).get(asset.currency) ?? 0n;
    let short = units + (owed > 0n ? owed : 0n) - (await hot.free(asset.currency));
    let sweeps = 0n;
    for (const { currency, units: waiting } of short > 0n ? await this.#candidates(chain) : []) {
      if (short <= 0n) break;
      if (currency !== asset.currency || waiting <= feeUnits) continue;
      short -= waiting;
      sweeps += feeUnits;
    }
    return sweeps + consolidationFee(short, feeUnits * CONSOLIDATION);
  }

  #candidates({ code }: ChainAdapter): Promise<readonly SweepCandidate[]> {
    return this.#storage.transfers.sweepCandidates(code, MAX_CANDIDATES);
  }

  /**
   * Refuses a token payout whose fees in the native coin the till cannot pay. Coins of the operator in the hot wallet
   * count even before they are booked.
   */
  async #requireFloat(chain: ChainAdapter, payments: ChainPayments, cost: bigint): Promise<void> {
    const snapshot = this.#snapshot(chain, payments);
    const budget = await snapshot.budget;
    if (budget.covers(cost)) return;
    const surplus =
      (await hotSurplus({ code: chain.code, payments }, this.#storage)).get(payments.feeAsset.currency) ?? 0n;
    if (surplus > 0n) budget.spend(-surplus);
    if (!budget.covers(cost)) throw new TillgateError('NOT_READY', floatLacking({ payments }, budget, cost));
  }

  /**
   * Refuses a payout whose tokens are spread over many small deposits, because sweeping them would cost more than it is
   * worth. While payouts are in flight the balance is ambiguous, so nothing is refused then.
   *
   * @returns the number of sweeps that it needs
   */
  async #tokenSweeps(
    chain: ChainAdapter,
    payments: ChainPayments,
    { currency }: Asset,
    units: bigint,
    feeUnits: bigint,
  ): Promise<bigint> {
    const snapshot = this.#snapshot(chain, payments);
    const hot = await snapshot.wallet;
    if (hot.pays(currency)) return 0n;
    const owed = (await this.#owedOf(snapshot, chain)).get(currency) ?? 0n;
    const short = units - feeUnits - (await hot.free(currency)) - hot.coming(currency) + owed;
    if (short <= 0n) return 0n;
    const places = (await this.#candidates(chain)).filter((candidate) => candidate.currency === currency);
    if (isTooScattered(units, short, places, sweepCost(false, feeUnits))) {
      throw new TillgateError(
        'AMOUNT_OUT_OF_RANGE',
        `The coins for it are spread in small amounts over many addresses of ${chain.name}: consolidating them would cost more than half of the amount now; use a larger amount, or wait for a lower network fee.`,
      );
    }
    let [left, sweeps] = [short, 0n];
    for (const place of places) {
      if (left <= 0n) break;
      left -= place.units;
      sweeps += 1n;
    }
    return sweeps;
  }

  #owedOf(snapshot: WalletSnapshot, chain: ChainAdapter): Promise<ReadonlyMap<CurrencyCode, bigint>> {
    if (snapshot.owed !== null) return snapshot.owed;
    const owed = this.#owed(chain);
    snapshot.owed = owed;
    owed.catch(() => (snapshot.owed = null));
    return owed;
  }

  /** The sum of waiting payments less the waiting sweeps, by currency. */
  async #owed({ code }: ChainAdapter): Promise<ReadonlyMap<CurrencyCode, bigint>> {
    const owed = new Map<CurrencyCode, bigint>();
    for (const { currency, units, feeUnits, sourceIndex } of await this.#storage.transfers.waiting(
      code,
      this.#clock.now(),
      null,
      MAX_WAITING,
    )) {
      owed.set(currency, (owed.get(currency) ?? 0n) + (sourceIndex === null ? units - feeUnits : -units));
    }
    return owed;
  }

  /** A snapshot that concurrent estimates share for a short time. */
  #snapshot({ code }: ChainAdapter, payments: ChainPayments): WalletSnapshot {
    const now = this.#clock.now();
    const known = this.#hot.get(code);
    if (known !== undefined && known.until > now) return known;
    const snapshot: WalletSnapshot = {
      until: now + SNAPSHOT_TTL_MS,
      wallet: HotWallet.open(code, payments, this.#storage),
      budget: TillBudget.open({ code, payments }, this.#storage, this.#feeBudget),
      owed: null,
    };
    this.#hot.set(code, snapshot);
    for (const part of [snapshot.wallet, snapshot.budget]) part.catch(() => this.#hot.delete(code));
    return snapshot;
  }
}

/** @throws TillgateError `NOT_READY` on a watch-only chain */
export function requirePayments(chain: ChainAdapter): ChainPayments {
  if (chain.payments !== null) return chain.payments;
  throw new TillgateError(
    'NOT_READY',
    `${chain.name} is watch-only in this installation: it takes orders and pays nothing out.`,
  );
}

function tooManyCoins({ name }: ChainAdapter, asset: Asset, most: number, units: bigint): TillgateError {
  const amount = `${formatUnits(units, asset.decimals)} ${asset.currency}`;
  return new TillgateError(
    'STATE_CONFLICT',
    `The balance is in many small coins, of which one transaction on ${name} spends at most ${most}: ask for at most ${amount} now, and for the rest after that.`,
  );
}

const EXPECTED_REF: SpendableCoin['ref'] = `${'0'.repeat(64)}:0`;
