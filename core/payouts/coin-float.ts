import { assert, isDust } from '../kernel/index.ts';
import { custodyAccount } from '../ledger/index.ts';
import type { LedgerBalance } from '../ledger/index.ts';
import type { SpendableCoin } from '../chain/index.ts';
import type { Lease, Storage } from '../kernel/index.ts';
import { bookFloat } from './operator-float.ts';
import { sumOf } from './payout-coins.ts';
import type { PayingChain, PayoutDeps } from './payout-deps.ts';
import { reconcile } from './reconcile.ts';

/** The most coins that are booked after one look-up; the others wait for the next. */
const MOST = 100;
/** References that are looked up in the database at once. */
const PAGE = 500;

type Deps = Pick<PayoutDeps, 'storage' | 'clock' | 'ids' | 'logger'>;

/** Unspent outputs of the hot wallet that are missing from this database, and the height of the node's search. */
interface Look {
  readonly height: number;
  readonly coins: readonly SpendableCoin[];
}

/**
 * Finds the operator's own coins in the hot wallet of a UTXO chain: outputs that no transaction of the till made. They
 * are booked, as coins without an owner, once two searches have shown them that are further apart than a deposit takes
 * to become spendable.
 *
 * For this, a node searches all unspent outputs of the chain, which takes minutes on a large one. Nothing waits for it:
 * a search is started in one pass and used in a later one.
 */
export class FindCoins {
  readonly #chain: PayingChain;
  readonly #deps: Deps;
  #former: Look | null = null;
  #asked: number | null = null;
  #shown: Look | null = null;

  constructor(chain: PayingChain, deps: Deps) {
    this.#chain = chain;
    this.#deps = deps;
  }

  /** Starts a search when due; books what the last two showed. @throws TillgateError `LEASE_LOST`, `NODE_FAILED` */
  async run(lease: Lease, height: number): Promise<void> {
    const shown = this.#shown;
    if (shown !== null) {
      this.#shown = null;
      const former = new Set(this.#former?.coins.map(({ ref }) => ref));
      this.#former = { ...shown, coins: await unknownCoins(this.#chain, this.#deps.storage, shown.coins) };
      await this.#book(
        lease,
        this.#former.coins.filter(({ ref }) => former.has(ref)),
      );
    }
    if (this.#asked === null || height > this.#asked + this.#chain.policy.spendableConfirmations) this.#ask(height);
  }

  #ask(height: number): void {
    const { code, payments } = this.#chain;
    if (payments.unspent === undefined) return;
    this.#asked = height;
    payments.unspent(payments.hotAddress).then(
      (coins) => (this.#shown = { height, coins }),
      (error: unknown) => {
        const reason = error instanceof Error ? error.message : 'unknown';
        this.#deps.logger.warn("the node did not show the hot wallet's coins", { chain: code, reason });
      },
    );
  }

  /** Coins that the ledger lacks elsewhere are not the operator's, but change that a restored backup lacks. */
  async #book(lease: Lease, coins: readonly SpendableCoin[]): Promise<void> {
    const { storage } = this.#deps;
    const { code, payments } = this.#chain;
    const { currency } = payments.feeAsset;
    if (coins.length === 0 || (await storage.transfers.unminedPayouts(code, null, 1)).length > 0) return;
    // Each output is read once more, because the search may have shown a past state.
    const shown = await payments.custody(coins.map(({ ref, address }) => ({ ref, address, currency })));
    if (shown.get(currency) !== sumOf(coins)) return;
    const custody = await storage.ledger.balances(custodyAccount(code));
    const line = (await reconcile(this.#chain, this.#deps)).find((each) => each.currency === currency);
    let beyond = sumOf(coins) + (line === undefined ? 0n : line.onChain + line.inFlight - line.expected);
    const own = coins.filter(({ units }) => {
      const isOwn = units <= beyond;
      if (isOwn) beyond -= units;
      return isOwn;
    });
    if (own.length > 0) await this.#add(lease, own, custody);
  }

  async #add(lease: Lease, coins: readonly SpendableCoin[], custody: readonly LedgerBalance[]): Promise<void> {
    const { storage, logger } = this.#deps;
    const { code: chain, payments } = this.#chain;
    const change = { currency: payments.feeAsset.currency, units: sumOf(coins) };
    const booked = await storage.transaction(async (tx) => {
      await tx.leases.check(lease);
      if (!(await bookFloat(tx, chain, change, custody, this.#deps))) return false;
      for (const coin of coins)
        assert(
          await tx.transfers.addHolding({ ...coin, chain, currency: change.currency }),
          `the coin ${coin.ref} became known meanwhile`,
        );
      return true;
    });
    if (booked) logger.info("the operator's coins are booked", { chain, ...change, units: change.units.toString() });
  }
}

/** Omits the till's own coins and change, and coins that cost more to spend than they are worth. */
export async function unknownCoins(
  { code, assets, payments }: PayingChain,
  { transfers }: Pick<Storage, 'transfers'>,
  coins: readonly SpendableCoin[],
): Promise<readonly SpendableCoin[]> {
  const asset = assets.find(({ currency }) => currency === payments.feeAsset.currency) ?? payments.feeAsset;
  const worth = coins.filter(({ units }) => !isDust(asset, units));
  const unknown: SpendableCoin[] = [];
  for (let at = 0; at < worth.length; at += PAGE) {
    const page = worth.slice(at, at + PAGE);
    const known = await transfers.knownCoins(
      code,
      page.map(({ ref }) => ref),
    );
    unknown.push(...page.filter(({ ref }) => !known.has(ref)));
  }
  return unknown.sort(largestFirst).slice(0, MOST);
}

function largestFirst(a: SpendableCoin, b: SpendableCoin): number {
  return a.units < b.units ? 1 : a.units > b.units ? -1 : 0;
}
