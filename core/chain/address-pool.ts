import type { ChainCode, CurrencyCode, Storage } from '../kernel/index.ts';
import { isTillgateError, TillgateError } from '../kernel/index.ts';
import { requireChain } from './require-chain.ts';
import type { ChainAdapter, ChainRegistry } from './chain-adapter.ts';
import type { DepositAddress } from './deposit-address.ts';

export interface AddressPoolSettings {
  /**
   * The addresses that an instance takes from the stored pool at once. A killed instance wastes them, so it is less
   * than the 20 consecutive unused addresses after which wallets stop searching (BIP-44).
   */
  readonly batch: number;
  /** The largest batch while orders wait for addresses. */
  readonly largestBatch: number;
  /** The size of the stored pool below which it is refilled. */
  readonly lowWater: number;
  /** The number of addresses that one refill derives. An instance that is killed meanwhile wastes them, as a batch. */
  readonly refill: number;
}

export const DEFAULT_POOL: AddressPoolSettings = { batch: 16, largestBatch: 256, lowWater: 2_000, refill: 16 };

/** The most addresses that orders derive themselves at once when the stored pool is empty. */
const INLINE_AT_MOST = 64;

/** The unused addresses that this instance has taken from the pool. */
interface Batch {
  /** In descending order: the lowest index is taken from the end. */
  readonly unused: DepositAddress[];
  size: number;
  /** The number of orders that found no address since the last fetch. */
  waiting: number;
  fetching: Promise<void> | null;
}

/**
 * Deposit addresses that are derived ahead of time. Deriving one takes a tenth of a millisecond or, without libsecp256k1,
 * most of one, so a worker fills a stored pool, from which each instance takes batches. Indexes are used in ascending
 * order, so that another wallet program with the seed finds them.
 *
 * Addresses are removed from the stored pool when they are taken: a crash wastes a few indexes, and no address is used
 * twice.
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
   * Takes an unused address, for a payment in a currency whose settings match the chain.
   *
   * @throws TillgateError `UNSUPPORTED` for a chain that is not configured; `NOT_READY` for a chain that has not been
   *   followed yet, because a payment would not be noticed, and for a token whose contract could not be checked or
   *   differs
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

  /** Derives addresses when the stored pool runs low; returns their number. */
  async refill(code: ChainCode): Promise<number> {
    const chain = requireChain(this.#chains, code);
    const { lowWater, refill } = this.#settings;
    // An order that finds the pool empty derives addresses itself; it takes indexes before those of the refill.
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
    const size = this.#nextSize(batch);
    const taken = await this.#storage.chains.takeFromPool(code, walletId, size);
    addLater(batch, taken);
    if (taken.length > 0) return;
    const count = Math.min(Math.ceil(size / 2), INLINE_AT_MOST);
    const first = await this.#storage.chains.reserveIndexes(walletId, count);
    const derived = await chain.deriveAddresses(first, count);
    addLater(
      batch,
      derived.map(({ address, key, index }) => ({ chain: code, walletId, address, key, index })),
    );
  }

  /** Doubles while several orders at once find no address, and shrinks slowly afterwards, so that a kill wastes few. */
  #nextSize(batch: Batch): number {
    const { batch: smallest, largestBatch } = this.#settings;
    batch.size =
      batch.waiting > batch.size / 4 ? Math.min(batch.size * 2, largestBatch) : Math.max(batch.size - 1, smallest);
    batch.waiting = 0;
    return batch.size;
  }
}

/** Adds addresses to be used after the present ones. */
function addLater({ unused }: Batch, taken: readonly DepositAddress[]): void {
  unused.unshift(...taken.toReversed());
}

/** An operator must correct a wrong setting; until then no orders of that currency are accepted. */
async function requireVerified(chain: ChainAdapter, currency: CurrencyCode): Promise<void> {
  try {
    await chain.verifyAsset?.(currency);
  } catch (error) {
    if (!isTillgateError(error, 'CHAIN_HALTED')) throw error;
    throw new TillgateError(
      'NOT_READY',
      `Orders in ${currency} are not accepted, because its settings do not match its contract; see the alerts of the chain.`,
      {},
      error,
    );
  }
}
