import type { Principal } from '../access/index.ts';
import { TillgateError } from '../kernel/index.ts';
import type { Order } from '../orders/index.ts';
import type { LightningNode } from '../chain/index.ts';
import type { IdempotencyClaim } from '../kernel/index.ts';
import type { WithdrawalView } from './withdrawal-view.ts';
import { lightningOrderView } from './lightning-order.ts';
import type { LightningOrderView } from './lightning-order.ts';
import type { LightningPaymentInput, RequestLightningPayment } from './request-payment.ts';

/** Both are `null` without a Lightning node. */
export interface LightningServiceDeps {
  readonly node: LightningNode | null;
  readonly payments: RequestLightningPayment | null;
  /** The URL of an order's payer's page. */
  readonly payUrl: (order: Order) => string;
}

/** The Lightning operations of an installation, with or without a node. */
export class LightningService {
  readonly #deps: LightningServiceDeps;

  constructor(deps: LightningServiceDeps) {
    this.#deps = deps;
  }

  /** @throws TillgateError `UNSUPPORTED` without a node; `NODE_FAILED` */
  async orderView(order: Order): Promise<LightningOrderView> {
    return lightningOrderView(order, required(this.#deps.node), this.#deps.payUrl(order));
  }

  /** @throws TillgateError `UNSUPPORTED` without a node; as {@link RequestLightningPayment.run} */
  async withdraw(
    principal: Principal,
    input: LightningPaymentInput,
    idempotency: IdempotencyClaim | null = null,
  ): Promise<WithdrawalView> {
    return required(this.#deps.payments).run(principal, input, idempotency);
  }
}

function required<T>(part: T | null): T {
  if (part === null)
    throw new TillgateError('UNSUPPORTED', 'There is no Lightning node here; see the list of crypto currencies.');
  return part;
}
