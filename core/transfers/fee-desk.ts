import type { Asset, ChainCode, CurrencyCode } from '../kernel/asset.ts';
import { isTillgateError, TillgateError } from '../kernel/errors.ts';
import type { Millis } from '../kernel/time.ts';
import type { ChainAdapter } from '../ports/chain-adapter.ts';
import type { ChainPayments, PricedPayment, SpendableCoin } from '../ports/chain-payments.ts';
import type { Clock } from '../ports/clock.ts';
import type { Storage } from '../ports/storage.ts';
import type { RateBook } from '../rates/rate-book.ts';
import { isTooScattered, sweepCost } from './gathering.ts';
import { HotWallet } from './hot-wallet.ts';

/** What a payment is said to cost before it is made, and the most that it may cost in the end; in the currency paid. */
export interface FeeEstimate {
  readonly feeUnits: bigint;
  readonly maxFeeUnits: bigint;
}

/** A fee may grow to so many times its estimate before the transfer waits instead. */
const MARGIN = 2n;
/** An estimate expects that bringing the coins together costs at most so many times the fee of the payment itself. */
const GATHERING = 2n;
/** The most coins that are looked at for one payment. */
export const MOST_COINS = 500;
const MOST_CANDIDATES = 200;
/** How long an estimate believes what the hot wallet held. */
const HOT_KEPT_MS = 2_000;
const MOST_WAITING = 1_000;

/** What was true of a hot wallet a moment ago. */
interface Glance {
  readonly until: Millis;
  readonly wallet: Promise<HotWallet>;
  /** What payments that wait will take, by currency; read when it is first asked for. */
  owed: Promise<ReadonlyMap<CurrencyCode, bigint>> | null;
}

/**
 * What bringing coins together costs whoever is paid: the part of the amount that the hot wallet lacks because sweeps
 * were paid out of it. What goes beyond the most that may be charged the operator has to bring.
 *
 * @param short - how much the hot wallet lacks; negative when it has enough
 */
export function gatheringFee(short: bigint, most: bigint): bigint {
  if (short <= 0n || most <= 0n) return 0n;
  return short > most ? most : short;
}

/** Tells what payments will cost. */
export class FeeDesk {
  readonly #storage: Pick<Storage, 'transfers'>;
  readonly #rates: RateBook;
  readonly #clock: Clock;
  readonly #hot = new Map<ChainCode, Glance>();

  constructor(deps: { readonly storage: Pick<Storage, 'transfers'>; readonly rates: RateBook; readonly clock: Clock }) {
    this.#storage = deps.storage;
    this.#rates = deps.rates;
    this.#clock = deps.clock;
  }

  /**
   * The fee of paying an amount now.
   *
   * @param units - what leaves the balance
   * @throws TillgateError `NOT_READY` on a watch-only chain or without a rate; `AMOUNT_OUT_OF_RANGE` when the fee leaves
   * nothing, or bringing its coins together would cost more than half of it; `STATE_CONFLICT` when the network would refuse the payment; `NODE_FAILED`
   */
  async estimate(chain: ChainAdapter, asset: Asset, units: bigint, to: string): Promise<FeeEstimate> {
    const payments = requirePayments(chain);
    const priced = await this.#price(chain, payments, asset, units, to);
    const own = await this.#rates.convert(priced.feeUnits, payments.feeAsset, asset);
    const feeUnits = own + (await this.#gathering(chain, payments, asset, units, priced.feeUnits));
    if (payments.model === 'account' && asset.currency !== payments.feeAsset.currency) await this.#checkScattered(chain, payments, asset, units, own);
    const left = units - payments.dust(asset.currency);
    if (feeUnits > left) {
      throw new TillgateError('AMOUNT_OUT_OF_RANGE', `The amount does not cover the network's fee on ${chain.name}; send more at once.`);
    }
    return { feeUnits, maxFeeUnits: feeUnits * MARGIN > left ? left : feeUnits * MARGIN };
  }

  async #price(chain: ChainAdapter, payments: ChainPayments, asset: Asset, units: bigint, to: string): Promise<PricedPayment> {
    const source = { address: payments.hotAddress, index: null };
    const lines = [{ to, currency: asset.currency, units }];
    if (payments.model === 'account') return payments.price({ source, lines, coins: [], replaces: null });
    const coins = await this.#storage.transfers.freeCoins(chain.code, asset.currency, MOST_COINS);
    try {
      return await payments.price({ source, lines, coins, replaces: null });
    } catch (error) {
      // The coins are on their way, in another payment's change: one of the right size stands for them.
      if (!isTillgateError(error, 'INSUFFICIENT_BALANCE')) throw error;
      return payments.price({ source, lines, coins: [{ ...source, ref: EXPECTED_REF, units: units * 2n }], replaces: null });
    }
  }

  /** Sweeps that must come first, on account chains, and what was swept already, cost the hot wallet some of the coin. */
  async #gathering(chain: ChainAdapter, payments: ChainPayments, asset: Asset, units: bigint, feeUnits: bigint): Promise<bigint> {
    if (payments.model !== 'account' || asset.currency !== payments.feeAsset.currency) return 0n;
    const hot = await this.#glance(chain, payments).wallet;
    let reach = await hot.free(asset.currency);
    if (reach >= units) return 0n;
    for (const { currency, units: waiting } of await this.#storage.transfers.sweepCandidates(chain.code, MOST_CANDIDATES)) {
      if (currency === asset.currency && waiting > feeUnits) reach += waiting - feeUnits;
    }
    return gatheringFee(units - reach, feeUnits * GATHERING);
  }

  /**
   * A token that lies in crumbs at many addresses would be promised and never paid, since nobody bears what moving it costs.
   * What payments under way have taken already cannot be told from what they will take: then nothing is refused.
   */
  async #checkScattered(chain: ChainAdapter, payments: ChainPayments, { currency }: Asset, units: bigint, feeUnits: bigint): Promise<void> {
    const glance = this.#glance(chain, payments);
    const hot = await glance.wallet;
    if (hot.pays(currency)) return;
    const owed = (await this.#owedOf(glance, chain)).get(currency) ?? 0n;
    const short = units - feeUnits - (await hot.free(currency)) - hot.coming(currency) + owed;
    if (short <= 0n) return;
    const candidates = await this.#storage.transfers.sweepCandidates(chain.code, MOST_CANDIDATES);
    const places = candidates.filter((candidate) => candidate.currency === currency);
    if (isTooScattered(units, short, places, sweepCost(false, feeUnits))) {
      throw new TillgateError(
        'AMOUNT_OUT_OF_RANGE',
        `The coins for it lie in small amounts at many addresses of ${chain.name}: bringing them together would cost more than half of the amount now; send more at once, or when the network's fee is lower.`,
      );
    }
  }

  #owedOf(glance: Glance, chain: ChainAdapter): Promise<ReadonlyMap<CurrencyCode, bigint>> {
    if (glance.owed !== null) return glance.owed;
    const owed = this.#owed(chain);
    glance.owed = owed;
    owed.catch(() => (glance.owed = null));
    return owed;
  }

  /** Of every payment that waits, less of the sweeps that do. */
  async #owed({ code }: ChainAdapter): Promise<ReadonlyMap<CurrencyCode, bigint>> {
    const owed = new Map<CurrencyCode, bigint>();
    for (const { currency, units, feeUnits, sourceIndex } of await this.#storage.transfers.waiting(code, null, MOST_WAITING)) {
      owed.set(currency, (owed.get(currency) ?? 0n) + (sourceIndex === null ? units - feeUnits : -units));
    }
    return owed;
  }

  /** An estimate: what was true a moment ago will do, and the many who ask at once read it once. */
  #glance({ code }: ChainAdapter, payments: ChainPayments): Glance {
    const now = this.#clock.now();
    const known = this.#hot.get(code);
    if (known !== undefined && known.until > now) return known;
    const glance: Glance = { until: now + HOT_KEPT_MS, wallet: HotWallet.open(code, payments, this.#storage), owed: null };
    this.#hot.set(code, glance);
    glance.wallet.catch(() => this.#hot.delete(code));
    return glance;
  }
}

/** @throws TillgateError `NOT_READY` on a watch-only chain */
export function requirePayments(chain: ChainAdapter): ChainPayments {
  if (chain.payments !== null) return chain.payments;
  throw new TillgateError('NOT_READY', `${chain.name} is watch-only in this installation: it takes orders and pays nothing out.`);
}

const EXPECTED_REF: SpendableCoin['ref'] = `${'0'.repeat(64)}:0`;
