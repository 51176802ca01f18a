import type { ChainCode } from '../kernel/asset.ts';
import { TillgateError } from '../kernel/errors.ts';
import { requireChain } from '../kernel/require-chain.ts';
import type { ChainAdapter, ChainRegistry } from '../ports/chain-adapter.ts';
import type { DepositAddress } from '../ports/order-store.ts';
import type { Storage } from '../ports/storage.ts';

/** Sizes of the pool of derived addresses. */
export interface AddressPoolSettings {
  /** How many an instance takes out of the stored pool at once. */
  readonly batch: number;
  /** Below this the stored pool is refilled. */
  readonly lowWater: number;
  /** How many are derived in one refill. */
  readonly refill: number;
}

export const DEFAULT_POOL: AddressPoolSettings = { batch: 256, lowWater: 2_000, refill: 500 };

/** How many are derived in line when the stored pool is empty. */
const INLINE = 8;

interface Shelf {
  readonly waiting: DepositAddress[];
  restocking: Promise<void> | null;
}

/**
 * Deposit addresses derived ahead. Deriving one costs most of a millisecond, so a worker fills a stored pool and orders
 * take from a handful that this instance took out of it.
 *
 * An address leaves the stored pool for good when it is taken out: a crash wastes a few indexes and never gives one
 * address twice.
 */
export class AddressPool {
  readonly #chains: ChainRegistry;
  readonly #storage: Pick<Storage, 'chains'>;
  readonly #settings: AddressPoolSettings;
  readonly #shelves = new Map<ChainCode, Shelf>();

  constructor(deps: { chains: ChainRegistry; storage: Pick<Storage, 'chains'>; settings?: AddressPoolSettings }) {
    this.#chains = deps.chains;
    this.#storage = deps.storage;
    this.#settings = deps.settings ?? DEFAULT_POOL;
  }

  /**
   * An address that no order has had.
   *
   * @throws TillgateError `UNSUPPORTED` for a chain that is not configured; `NOT_READY` for one whose following has not
   * begun: nobody would see the address paid
   */
  async take(code: ChainCode): Promise<DepositAddress> {
    const chain = requireChain(this.#chains, code);
    const shelf = this.#shelf(code);
    for (;;) {
      const address = shelf.waiting.pop();
      if (address !== undefined) {
        if (shelf.waiting.length < this.#settings.batch / 4) this.#restockQuietly(chain, shelf);
        return address;
      }
      await this.#restock(chain, shelf);
    }
  }

  /** Puts back an address that no order got after all. */
  giveBack(address: DepositAddress): void {
    this.#shelf(address.chain).waiting.push(address);
  }

  /** Derives addresses ahead when the stored pool runs low; returns how many. */
  async refill(code: ChainCode): Promise<number> {
    const chain = requireChain(this.#chains, code);
    const { lowWater, refill } = this.#settings;
    if ((await this.#storage.chains.poolSize(code, chain.walletId)) >= lowWater) return 0;
    const first = await this.#storage.chains.reserveIndexes(chain.walletId, refill);
    await this.#storage.chains.fillPool(code, chain.walletId, await chain.deriveAddresses(first, refill));
    return refill;
  }

  /** Returns what this instance took out and did not use, at a graceful stop. */
  async release(): Promise<void> {
    for (const [code, shelf] of this.#shelves) {
      await shelf.restocking;
      const left = shelf.waiting.splice(0);
      if (left.length > 0) await this.#storage.chains.fillPool(code, requireChain(this.#chains, code).walletId, left);
    }
  }

  #shelf(code: ChainCode): Shelf {
    let shelf = this.#shelves.get(code);
    if (shelf === undefined) this.#shelves.set(code, (shelf = { waiting: [], restocking: null }));
    return shelf;
  }

  #restock(chain: ChainAdapter, shelf: Shelf): Promise<void> {
    shelf.restocking ??= this.#fetch(chain, shelf).finally(() => {
      shelf.restocking = null;
    });
    return shelf.restocking;
  }

  /** Ahead of need: when it fails, the order that finds the shelf empty is told. */
  #restockQuietly(chain: ChainAdapter, shelf: Shelf): void {
    const ignore = (): void => undefined;
    this.#restock(chain, shelf).then(ignore, ignore);
  }

  async #fetch(chain: ChainAdapter, shelf: Shelf): Promise<void> {
    const { code, walletId } = chain;
    if (((await this.#storage.chains.state(code))?.cursor ?? null) === null) {
      throw new TillgateError('NOT_READY', `The chain ${code} has not been reached yet; try again.`);
    }
    const taken = await this.#storage.chains.takeFromPool(code, walletId, this.#settings.batch);
    // The lowest index is handed out first.
    for (const address of [...taken].reverse()) shelf.waiting.unshift(address);
    if (taken.length > 0) return;
    const first = await this.#storage.chains.reserveIndexes(walletId, INLINE);
    const derived = await chain.deriveAddresses(first, INLINE);
    shelf.waiting.unshift(...derived.map(({ address, key, index }) => ({ chain: code, walletId, address, key, index })).reverse());
  }
}
