import type { AddressPool, ChainReports, DepositAddress } from '../chain/index.ts';
import { formatUnits, LIGHTNING_ASSET, TillgateError } from '../kernel/index.ts';
import type { Asset, Fiat } from '../kernel/index.ts';
import type { InvoiceTerms, Invoices } from './invoices.ts';

/** The text that the payer's wallet shows with the amount: the price. */
export function memoOf({ decimals, code }: Fiat, vsPrice: bigint): string {
  return `${formatUnits(vsPrice, decimals)} ${code}`;
}

/** The sources of an order's address. */
export interface AllocatorDeps {
  readonly addresses: AddressPool;
  /** `null` without a Lightning node. */
  readonly invoices?: Invoices | null;
  /** `null` without chains whose nodes may be unusable. */
  readonly chainReports?: Pick<ChainReports, 'requireUsable'> | null;
}

/** Allocates the address of an order: an unused deposit address of a chain, or an invoice. */
export class DepositAddressAllocator {
  readonly #addresses: AddressPool;
  readonly #invoices: Invoices | null;
  readonly #chainReports: Pick<ChainReports, 'requireUsable'> | null;

  constructor({ addresses, invoices = null, chainReports }: AllocatorDeps) {
    this.#addresses = addresses;
    this.#invoices = invoices;
    this.#chainReports = chainReports ?? null;
  }

  /** True where orders on Lightning are possible. */
  get lightning(): boolean {
    return this.#invoices !== null;
  }

  /** @throws TillgateError `UNSUPPORTED`, `NOT_READY` as the address pool; `NODE_FAILED` when the invoice fails */
  async take({ chain, currency }: Asset, terms: InvoiceTerms): Promise<DepositAddress> {
    if (chain !== LIGHTNING_ASSET.chain) {
      this.#chainReports?.requireUsable(chain);
      return this.#addresses.take(chain, currency);
    }
    if (this.#invoices === null) throw new TillgateError('UNSUPPORTED', 'No Lightning node is configured.');
    return this.#invoices.make(terms);
  }

  /** Returns an address whose order was not created. */
  giveBack(address: DepositAddress): void {
    if (address.chain !== LIGHTNING_ASSET.chain) this.#addresses.giveBack(address);
  }
}
