import type { ChainCode, CurrencyCode } from '../kernel/asset.ts';
import { TillgateError, isTillgateError } from '../kernel/errors.ts';
import { requireChain } from '../kernel/require-chain.ts';
import type { ChainAdapter, ChainRegistry } from '../ports/chain-adapter.ts';
import type { DepositAddress } from '../ports/order-store.ts';
import type { Storage } from '../ports/storage.ts';

export interface AddressPoolSettings {
  /**
   * How many addresses an instance takes from the stored pool at once. A killed instance wastes them, so it is less than
   * the 20 unused addresses in a row at which wallets stop looking (BIP-44).
   */
  readonly batch: number;
  /** As many at most while orders wait for addresses. */
  readonly largestBatch: number;
  /** The stored pool is refilled when it has fewer. */
  readonly lowWater: number;
  /** How many are derived in one refill. */
  readonly refill: number;
}

export const DEFAULT_POOL: AddressPoolSettings = { batch: 16, largestBatch: 256, lowWater: 2_000, refill: 500 };

/** How many addresses an order derives itself when the stored pool is empty. */
const INLINE = 8;

/** Addresses that this instance took and has not used. */
interface Batch {
  /** In descending order: the lowest index is taken from the end. */
  readonly unused: DepositAddress[];
  /** How many are fetched next. */
  size: number;
  /** Orders that found nothing since the last fetch. */
  waiting: number;
  fetching: Promise<void> | null;
}

/**
 * Deposit addresses derived ahead of time. Deriving one costs most of a millisecond, so a worker fills a stored pool and
 * each instance takes a batch from it. Indexes are used in ascending order, so that another program which knows the seed
 * finds them.
 *
 * Addresses are removed from the stored pool when they are taken: a crash wastes a few indexes, and no address is used twice.
 */
export class AddressPool {
  readonly #chains: ChainRegistry;
  readonly #storage: Pick<Storage, 'chains'>;
  readonly #settings: AddressPoolSettings;
  readonly #batches = new Map<ChainCode, Batch>();

  constructor(deps: { chains: ChainRegistry; storage: Pick<Storage, 'chains'>; settings?: AddressPoolSettings }) {
    this.#chains = deps.chains;
    this.#storage = deps.storage;
    this.#settings = deps.settings ?? DEFAULT_POOL;
  }

  /**
   * An unused address, for a payment in a currency that is what the settings say of it.
   *
   * @throws TillgateError `UNSUPPORTED` for a chain that is not configured; `NOT_READY` for one that has not been followed
   * yet: a payment would not be noticed; and for a token whose contract could not be checked or is another
   */
  async take(code: ChainCode, currency?: CurrencyCode): Promise<DepositAddress> {
    const chain = requireChain(this.#chains, code);
    if (currency !== undefined) await requireVerified(chain, currency);
    const batch = this.#batch(code);
    for (;;) {
      const address = batch.unused.pop();
      if (address !== undefined) {
        if (batch.unused.length < batch.size / 4) this.#fetchInBackground(chain, batch);
        return address;
      }
      batch.waiting += 1;
      await this.#fetchOnce(chain, batch);
    }
  }

  /** Returns an address whose order was not created. */
  giveBack(address: DepositAddress): void {
    this.#batch(address.chain).unused.push(address);
  }

  /** Derives addresses when the stored pool runs low; returns how many. */
  async refill(code: ChainCode): Promise<number> {
    const chain = requireChain(this.#chains, code);
    const { lowWater, refill } = this.#settings;
    // One that finds the pool empty derives addresses itself: it takes the indexes before those of the refill.
    await Promise.allSettled([this.#batches.get(code)?.fetching]);
    if ((await this.#storage.chains.poolSize(code, chain.walletId)) >= lowWater) return 0;
    const first = await this.#storage.chains.reserveIndexes(chain.walletId, refill);
    await this.#storage.chains.fillPool(code, chain.walletId, await chain.deriveAddresses(first, refill));
    return refill;
  }

  /** Puts this instance's unused addresses back into the stored pool, at shutdown. */
  async release(): Promise<void> {
    for (const [code, batch] of this.#batches) {
      await batch.fetching;
      await this.#storage.chains.fillPool(code, requireChain(this.#chains, code).walletId, batch.unused.splice(0));
    }
  }

  #batch(code: ChainCode): Batch {
    let batch = this.#batches.get(code);
    if (batch === undefined) {
      batch = { unused: [], size: this.#settings.batch, waiting: 0, fetching: null };
      this.#batches.set(code, batch);
    }
    return batch;
  }

  #fetchOnce(chain: ChainAdapter, batch: Batch): Promise<void> {
    batch.fetching ??= this.#fetch(chain, batch).finally(() => {
      batch.fetching = null;
    });
    return batch.fetching;
  }

  /** Fetches in the background; an error surfaces when an order finds the batch empty. */
  #fetchInBackground(chain: ChainAdapter, batch: Batch): void {
    const ignore = (): void => undefined;
    this.#fetchOnce(chain, batch).then(ignore, ignore);
  }

  async #fetch(chain: ChainAdapter, batch: Batch): Promise<void> {
    const { code, walletId } = chain;
    if (((await this.#storage.chains.state(code))?.cursor ?? null) === null) {
      throw new TillgateError('NOT_READY', `The node of chain ${code} has not been reached yet; retry later.`);
    }
    const taken = await this.#storage.chains.takeFromPool(code, walletId, this.#nextSize(batch));
    addLater(batch, taken);
    if (taken.length > 0) return;
    const first = await this.#storage.chains.reserveIndexes(walletId, INLINE);
    const derived = await chain.deriveAddresses(first, INLINE);
    addLater(
      batch,
      derived.map(({ address, key, index }) => ({ chain: code, walletId, address, key, index })),
    );
  }

  /** Larger while several orders at once find nothing, and slowly smaller again: few are wasted when this process is killed. */
  #nextSize(batch: Batch): number {
    const { batch: smallest, largestBatch } = this.#settings;
    batch.size =
      batch.waiting > batch.size / 4 ? Math.min(batch.size * 2, largestBatch) : Math.max(batch.size - 1, smallest);
    batch.waiting = 0;
    return batch.size;
  }
}

/** Adds addresses to be used after those that are there. */
function addLater({ unused }: Batch, taken: readonly DepositAddress[]): void {
  unused.unshift(...taken.toReversed());
}

/** A wrong setting is the operator's to correct: until then there are no orders of that currency. */
async function requireVerified(chain: ChainAdapter, currency: CurrencyCode): Promise<void> {
  try {
    await chain.verifyAsset?.(currency);
  } catch (error) {
    if (!isTillgateError(error, 'CHAIN_HALTED')) throw error;
    throw new TillgateError('NOT_READY', `No orders of ${currency} are taken: its settings are wrong.`, {}, error);
  }
}
