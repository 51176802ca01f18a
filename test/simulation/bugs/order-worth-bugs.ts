import { ChoosePayment } from '../../../core/orders/choose-payment.ts';
import { countedUnits } from '../../../core/orders/late-worth.ts';
import { orderRefunds } from '../../../core/orders/order-refunds.ts';
import type { OrderPayment } from '../../../core/orders/order.ts';
import { nameOf } from '../../support/name-of.ts';
import { edited } from './bug.ts';
import type { Bug } from './bug.ts';
import { inModuleOf, within } from './edits.ts';

/** Mistakes about the value of an order's payment. */
export const ORDER_WORTH_BUGS: readonly Bug[] = [
  edited(
    'a late payment counts at the rate of the order',
    within(countedUnits)
      .conditional()
      .becomes(() => 'units'),
  ),
  edited(
    'a payment moves an order whose refund is under way',
    within(orderRefunds)
      .binary('||')
      .becomes(() => 'false'),
  ),
  edited(
    'a coin that is chosen again is quoted anew',
    inModuleOf(ChoosePayment)
      .binary('<', { mentions: nameOf<OrderPayment>(({ units }) => units) })
      .becomes(() => 'true'),
  ),
];
