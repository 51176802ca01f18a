import { raiseAlert } from '../notify/index.ts';
import { amountInWords } from '../kernel/index.ts';
import type { AccountId, CurrencyCode, Lease, Millis } from '../kernel/index.ts';
import type { SpendableCoin } from '../chain/index.ts';
import type { CoinPlace, FrozenCoin, OwnerCover } from './transfer-store.ts';
import { PayoutDeferred } from './build-payout.ts';
import { isContractRefusal } from './contract-refusal.ts';
import type { CurrencyStops } from './currency-stops.ts';
import type { PayingChain, PayoutDeps } from './payout-deps.ts';
import { isOwnMove } from './transfer.ts';
import type { Transfer } from './transfer.ts';
import type { Troubles } from './troubles.ts';

/** The interval at which frozen addresses are checked again, in milliseconds, and the number of them in one pass. */
const AGAIN_MS = 60_000;
const AT_ONCE = 20;
/** The most unswept coins of an account that are tested for a payment, largest first; each once for every block. */
const TRIED = 25;

/**
 * Coins at deposit addresses that their token's contract refuses to move. On account chains one wallet makes all
 * payments, so an account with frozen coins would be paid with those of others: it is paid only as long as the rest of
 * what it is owed covers its frozen coins.
 */
export class FrozenCoins {
  readonly #chain: PayingChain;
  readonly #deps: PayoutDeps;
  readonly #stops: CurrencyStops;
  readonly #troubles: Troubles;
  readonly #askedAt = new Map<string, Millis>();
  /** Places whose alert this process has raised: that of a former process may have been lost with it. */
  readonly #alerted = new Set<string>();
  /** Addresses whose coins were tested successfully since the last block. */
  readonly #movable = new Set<string>();

  constructor(
    chain: PayingChain,
    deps: PayoutDeps,
    { stops, troubles }: { readonly stops: CurrencyStops; readonly troubles: Troubles },
  ) {
    this.#chain = chain;
    this.#deps = deps;
    this.#stops = stops;
    this.#troubles = troubles;
  }

  /** Forgets the tests at each block, because coins may have been frozen since. */
  forget(): void {
    this.#movable.clear();
  }

  /**
   * Handles a contract's refusal to move the coins at an address. If it refuses the hot wallet too, the currency is
   * stopped instead of freezing the coins.
   *
   * @returns true when the coins are frozen
   */
  async refused(lease: Lease, { address, currency }: Omit<CoinPlace, 'chain'>, reason: string): Promise<boolean> {
    if (await this.#stops.probe(currency)) return false;
    const { storage, clock } = this.#deps;
    const { code: chain } = this.#chain;
    const frozen = await storage.transaction(async (tx) => {
      await tx.leases.check(lease);
      return tx.transfers.freezeCoins({ chain, address, currency }, reason, clock.now());
    });
    if (frozen.length > 0) this.#alert(frozen, { address, currency, reason });
    await this.measure();
    return true;
  }

  /** Tests frozen coins again, and releases those that the contract moves. */
  async lookAgain(lease: Lease): Promise<void> {
    const now = this.#deps.clock.now();
    const places = new Map<string, FrozenCoin>();
    const frozen = await this.measure();
    for (const coin of frozen) places.set(placeOf(coin), coin);
    for (const key of this.#askedAt.keys()) if (!places.has(key)) this.#askedAt.delete(key);
    for (const key of this.#alerted) if (!places.has(key)) this.#alerted.delete(key);
    for (const [key, coin] of places)
      if (!this.#alerted.has(key))
        this.#alert(
          frozen.filter((other) => placeOf(other) === key),
          coin,
        );
    const due = [...places].filter(([key]) => (this.#askedAt.get(key) ?? -Infinity) + AGAIN_MS <= now);
    for (const [key, coin] of due.slice(0, AT_ONCE)) {
      this.#askedAt.set(key, now);
      await this.#troubles.contain(`asking for the frozen coins at ${coin.address}`, () => this.#tryAgain(lease, coin));
    }
  }

  /** Reads the frozen coins of the chain and sets their metrics. */
  async measure(): Promise<readonly FrozenCoin[]> {
    const { storage, metrics } = this.#deps;
    const { code: chain, assets } = this.#chain;
    const frozen = await storage.transfers.frozenCoins(chain);
    for (const { currency } of assets)
      metrics.gauge('tillgate_frozen_units', Number(sumOf(frozen, currency)), { chain, currency });
    return frozen;
  }

  /**
   * Checks whether an account may be paid, testing its own unswept coins where they are needed.
   *
   * @throws PayoutDeferred while the rest of what it is owed does not cover its coins that cannot be moved
   */
  async requireCover(lease: Lease, transfer: Transfer): Promise<void> {
    const { accountId, currency, sourceIndex } = transfer;
    const { feeAsset, model } = this.#chain.payments;
    if (model !== 'account' || isOwnMove(transfer) || sourceIndex !== null || currency === feeAsset.currency) return;
    let cover = await this.#cover(accountId, currency);
    const unswept = await this.#unswept(accountId, currency);
    let untried = unswept.reduce((sum, { units }) => sum + units, 0n);
    for (const coin of unswept) {
      // Coins that are covered by the rest need not be movable.
      if (cover.owed - transfer.units - cover.frozen >= untried) break;
      untried -= coin.units;
      if (await this.#isFrozenNow(lease, coin, currency)) cover = await this.#cover(accountId, currency);
    }
    if (cover.owed - transfer.units >= cover.frozen) return;
    throw new PayoutDeferred(
      [transfer],
      `${amountInWords(this.#chain.assets, currency, cover.frozen)} of its account cannot be moved, since the token's contract refuses it; what remains does not cover that.`,
    );
  }

  #cover(owner: AccountId | null, currency: CurrencyCode): Promise<OwnerCover> {
    return this.#deps.storage.transfers.ownerCover(this.#chain.code, owner, currency);
  }

  async #unswept(owner: AccountId | null, currency: CurrencyCode): Promise<readonly SpendableCoin[]> {
    const { transfers } = this.#deps.storage;
    return (await transfers.freeCoins(this.#chain.code, currency, TRIED, { of: owner })).filter(
      ({ index }) => index !== null,
    );
  }

  async #isFrozenNow(lease: Lease, coin: SpendableCoin, currency: CurrencyCode): Promise<boolean> {
    const key = `${coin.address} ${currency}`;
    if (this.#movable.has(key)) return false;
    const refusal = await this.#refusal(coin, currency);
    if (refusal !== null) return this.refused(lease, { address: coin.address, currency }, refusal);
    this.#movable.add(key);
    return false;
  }

  async #tryAgain(lease: Lease, coin: FrozenCoin): Promise<void> {
    const { storage, logger } = this.#deps;
    const { code: chain } = this.#chain;
    const { address, currency } = coin;
    if ((await this.#refusal(coin, currency)) !== null || (await this.#stops.probe(currency))) return;
    const thawed = await storage.transaction(async (tx) => {
      await tx.leases.check(lease);
      return tx.transfers.thawCoins({ chain, address, currency });
    });
    logger.info('coins can be moved again', { chain, address, currency, units: sumOf(thawed, currency).toString() });
    await this.measure();
  }

  /** Why a coin cannot be moved: the contract's reason, or that it is no longer there. `null` when it can. */
  async #refusal({ address, index, units }: SpendableCoin, currency: CurrencyCode): Promise<string | null> {
    const { payments } = this.#chain;
    try {
      const lines = [{ to: payments.hotAddress, currency, units }];
      await payments.price({ source: { address, index }, lines, coins: [], replaces: null });
      return null;
    } catch (error) {
      if (isContractRefusal(error)) return error.message;
      throw error;
    }
  }

  #alert(
    frozen: readonly FrozenCoin[],
    { address, currency, reason }: Pick<FrozenCoin, 'address' | 'currency' | 'reason'>,
  ): void {
    this.#alerted.add(placeOf({ address, currency }));
    const amount = amountInWords(this.#chain.assets, currency, sumOf(frozen, currency));
    const [owner] = frozen.flatMap(({ accountId }) => accountId ?? []);
    const whose = owner === undefined ? 'They belong to no order.' : `They cannot be paid to account ${owner}.`;
    raiseAlert(
      this.#deps,
      'frozen',
      `chain ${this.#chain.code}: ${currency} at ${address}`,
      `The contract of ${currency} refuses to move ${amount}. ${reason} ${whose} Moving them is tried again; "wallet write-off" removes them from the ledger.`,
    );
  }
}

function placeOf({ address, currency }: Pick<FrozenCoin, 'address' | 'currency'>): string {
  return `${address} ${currency}`;
}

function sumOf(coins: readonly FrozenCoin[], currency: CurrencyCode): bigint {
  return coins.reduce((sum, coin) => (coin.currency === currency ? sum + coin.units : sum), 0n);
}
