import type { Asset, CurrencyCode } from '../kernel/asset.ts';
import { parseUnits } from '../kernel/decimal.ts';
import { isTillgateError } from '../kernel/errors.ts';
import { present } from '../kernel/guard.ts';
import type { TransferId } from '../kernel/ids.ts';
import type { Millis } from '../kernel/time.ts';
import type { Lease } from '../ports/lease-store.ts';
import type { SweepCandidate } from '../ports/transfer-store.ts';
import { gasAt } from './gas-at.ts';
import { isWorthNeeded, lackOf, sweepCost } from './gathering.ts';
import type { Lack } from './gathering.ts';
import { HotWallet } from './hot-wallet.ts';
import type { PayingChain, PayoutDeps } from './payout-deps.ts';
import type { SweepSettings } from './settings.ts';
import { newTransfer } from './transfer.ts';
import type { Transfer, TransferKind } from './transfer.ts';

/** A move that is not made, and why. */
export interface RefusedSweep {
  readonly address: string;
  readonly currency: CurrencyCode;
  readonly units: bigint;
  /** The fee of moving it now, in its currency; `null` when the network could not say. */
  readonly feeUnits: bigint | null;
  readonly reason: string;
}

/** A sweep that pays, with its fee. */
interface Move {
  readonly candidate: SweepCandidate;
  readonly nativeFeeUnits: bigint;
  readonly feeUnits: bigint;
}

const CANDIDATES = 100;
/** Refused ones are priced again after this. */
const AGAIN_MS = 10 * 60_000;
const BPS = 10_000n;
/** Gas that is sent ahead covers a rise of the price meanwhile. */
const GAS_MARGIN = [3n, 2n] as const;

/**
 * Brings coins from deposit addresses to the hot wallet, on account chains: only where the fee is worth it, with gas sent
 * ahead for tokens; and what the hot wallet holds above its ceiling to the cold address.
 */
export class PlanSweeps {
  readonly #chain: PayingChain;
  readonly #deps: PayoutDeps;
  readonly #settings: SweepSettings;
  readonly #refused = new Map<string, { readonly until: Millis; readonly units: bigint }>();

  constructor(chain: PayingChain, deps: PayoutDeps, settings: SweepSettings) {
    this.#chain = chain;
    this.#deps = deps;
    this.#settings = settings;
  }

  /** Queues the moves that pay now; returns how many. */
  async run(lease: Lease): Promise<number> {
    const { storage } = this.#deps;
    const { code, payments } = this.#chain;
    if (payments.model !== 'account') return 0;
    const hot = await HotWallet.open(code, payments, storage);
    const needed = await this.#needed(hot);
    let queued = 0;
    for (const candidate of await storage.transfers.sweepCandidates(code, CANDIDATES)) {
      const key = `${candidate.address} ${candidate.currency}`;
      const urgent = needed.get(candidate.currency) ?? null;
      if (urgent === null && this.#rests(key, candidate.units)) continue;
      const priced = await this.#price(candidate, urgent);
      if ('reason' in priced) {
        this.#refused.set(key, { until: this.#deps.clock.now() + AGAIN_MS, units: candidate.units });
        continue;
      }
      this.#refused.delete(key);
      urgent?.bring(candidate.units, priced.feeUnits);
      if (await this.#queueMove(lease, priced, hot)) queued += 1;
    }
    return queued + (await this.#queueCold(lease, hot, needed));
  }

  /** Every candidate that is not worth its fee now, priced at this moment. */
  async refusals(): Promise<readonly RefusedSweep[]> {
    if (this.#chain.payments.model !== 'account') return [];
    const refused: RefusedSweep[] = [];
    for (const candidate of await this.#deps.storage.transfers.sweepCandidates(this.#chain.code, CANDIDATES)) {
      const priced = await this.#price(candidate, null);
      if ('reason' in priced) refused.push(priced);
    }
    return refused;
  }

  #rests(key: string, units: bigint): boolean {
    const refusal = this.#refused.get(key);
    return refusal !== undefined && refusal.units === units && refusal.until > this.#deps.clock.now();
  }

  /** Currencies of which the hot wallet has less than the payments that wait. */
  async #needed(hot: HotWallet): Promise<ReadonlyMap<CurrencyCode, Lack>> {
    return lackOf(hot, await this.#deps.storage.transfers.waiting(this.#chain.code, null, 1_000));
  }

  async #price(candidate: SweepCandidate, urgent: Lack | null): Promise<Move | RefusedSweep> {
    const { payments } = this.#chain;
    const { address, currency, units } = candidate;
    const refuse = (feeUnits: bigint | null, reason: string): RefusedSweep => ({ address, currency, units, feeUnits, reason });
    const asset = this.#asset(currency);
    if (asset === null) return refuse(null, 'The currency is not configured any more.');
    try {
      const lines = [{ to: payments.hotAddress, currency, units }];
      const { feeUnits: nativeFeeUnits } = await payments.price({ source: candidate, lines, coins: [], replaces: null });
      const isNative = currency === payments.feeAsset.currency;
      const feeUnits = await this.#deps.rates.convert(sweepCost(isNative, nativeFeeUnits), payments.feeAsset, asset);
      const isNeeded = urgent !== null && (isWorthNeeded(feeUnits, units) || (!isNative && urgent.bears(feeUnits)));
      if (!isNeeded && feeUnits * BPS > units * BigInt(this.#settings.maxFeeBps)) return refuse(feeUnits, 'The fee is too large a share of what it would move.');
      return { candidate, nativeFeeUnits, feeUnits };
    } catch (error) {
      if (isTillgateError(error, 'STATE_CONFLICT') || isTillgateError(error, 'INSUFFICIENT_BALANCE') || isTillgateError(error, 'NOT_READY')) {
        return refuse(null, error.message);
      }
      throw error;
    }
  }

  async #queueMove(lease: Lease, { candidate, nativeFeeUnits, feeUnits }: Move, hot: HotWallet): Promise<boolean> {
    const { payments } = this.#chain;
    const { address, index, currency, units } = candidate;
    const native = payments.feeAsset.currency;
    if (currency === native) {
      return this.#queue(lease, 'sweep', { currency, units, feeUnits, maxFeeUnits: units / 2n, sourceAddress: address, sourceIndex: index, toAddress: payments.hotAddress });
    }
    if ((await gasAt(this.#chain, this.#deps.storage, address)) >= nativeFeeUnits) {
      return this.#queue(lease, 'sweep', { currency, units, feeUnits: 0n, maxFeeUnits: 0n, sourceAddress: address, sourceIndex: index, toAddress: payments.hotAddress });
    }
    const gas = (nativeFeeUnits * GAS_MARGIN[0]) / GAS_MARGIN[1];
    if ((await hot.free(native)) < gas * 2n) return false;
    await hot.spend(native, gas);
    return this.#queue(lease, 'gas', { currency: native, units: gas, feeUnits: 0n, maxFeeUnits: 0n, sourceAddress: payments.hotAddress, sourceIndex: null, toAddress: address });
  }

  async #queueCold(lease: Lease, hot: HotWallet, needed: ReadonlyMap<CurrencyCode, Lack>): Promise<number> {
    const { code, payments, assets } = this.#chain;
    const cold = this.#settings.cold.get(code);
    if (cold === undefined) return 0;
    let queued = 0;
    for (const { currency, decimals } of assets) {
      const ceilingText = cold.above.get(currency);
      if (ceilingText === undefined || needed.has(currency)) continue;
      const ceiling = present(parseUnits(ceilingText, decimals), `sweeps.cold.${code}.above.${currency}`);
      const units = (await hot.free(currency)) - ceiling;
      // Not for crumbs: a tenth of what may stay is the least that is moved.
      if (units <= ceiling / 10n || units <= payments.dust(currency)) continue;
      const move = { currency, units, feeUnits: 0n, maxFeeUnits: units / 10n, sourceAddress: payments.hotAddress, sourceIndex: null, toAddress: cold.address };
      if (await this.#queue(lease, 'cold', move)) queued += 1;
    }
    return queued;
  }

  async #queue(
    lease: Lease,
    kind: TransferKind,
    move: Pick<Transfer, 'currency' | 'units' | 'feeUnits' | 'maxFeeUnits' | 'sourceAddress' | 'sourceIndex' | 'toAddress'>,
  ): Promise<boolean> {
    const { storage, ids, clock, metrics } = this.#deps;
    const chain = this.#chain.code;
    const transfer = newTransfer({ ...move, id: ids.next() as TransferId, kind, chain, accountId: null, orderId: null }, clock.now());
    const added = await storage.transaction(async (tx) => {
      await tx.leases.check(lease);
      return tx.transfers.add(transfer);
    });
    if (added) metrics.count('tillgate_transfers_total', { chain, kind, status: 'REQUESTED' });
    return added;
  }

  #asset(currency: CurrencyCode): Asset | null {
    return this.#chain.assets.find((asset) => asset.currency === currency) ?? null;
  }
}
