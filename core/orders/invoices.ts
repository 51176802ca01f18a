import { LIGHTNING_ASSET } from '../kernel/index.ts';
import type { Clock, Millis, Storage } from '../kernel/index.ts';
import type { DepositAddress, LightningNode } from '../chain/index.ts';

/** The terms of an order's invoice. */
export interface InvoiceTerms {
  /** In millisatoshi. */
  readonly units: bigint;
  readonly memo: string;
  /** The order's deadline, at which the invoice expires. */
  readonly expiresAt: Millis;
}

/** The name of the counter that numbers invoices, stored beside the derivation indexes of the wallets. */
const WALLET_ID = 'lightning';
const NUMBERS_AT_ONCE = 64;

/** Creates invoices for orders: on Lightning, the address is a payment request, its watch key the payment hash. */
export class Invoices {
  readonly #node: LightningNode;
  readonly #storage: Pick<Storage, 'chains'>;
  readonly #clock: Clock;
  readonly #numbers: number[] = [];

  constructor(deps: {
    readonly node: LightningNode;
    readonly storage: Pick<Storage, 'chains'>;
    readonly clock: Clock;
  }) {
    this.#node = deps.node;
    this.#storage = deps.storage;
    this.#clock = deps.clock;
  }

  /**
   * Creates an invoice. If its order is not created after all, the invoice expires unpaid without having been shown to
   * a payer. @throws TillgateError `NODE_FAILED`
   */
  async make({ units, memo, expiresAt }: InvoiceTerms): Promise<DepositAddress> {
    const index = await this.#number();
    // Rounded up, so that a payment in the last second still counts.
    const expirySeconds = Math.max(1, Math.ceil((expiresAt - this.#clock.now()) / 1000));
    const { paymentHash, paymentRequest } = await this.#node.createInvoice({ msat: units, memo, expirySeconds });
    return { chain: LIGHTNING_ASSET.chain, address: paymentRequest, key: paymentHash, walletId: WALLET_ID, index };
  }

  async #number(): Promise<number> {
    for (;;) {
      const number = this.#numbers.shift();
      if (number !== undefined) return number;
      const first = await this.#storage.chains.reserveIndexes(WALLET_ID, NUMBERS_AT_ONCE);
      this.#numbers.push(...Array.from({ length: NUMBERS_AT_ONCE }, (_, at) => first + at));
    }
  }
}
