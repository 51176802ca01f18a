import { decidesFrom } from '../../../core/access/admin-since.ts';
import { lateAddressUntil } from '../../../core/orders/refundable.ts';
import { refundOrder } from '../../../core/payouts/finish-payout.ts';
import { refundUnits } from '../../../core/payouts/refund-amount.ts';
import { refundDestination } from '../../../core/payouts/refund-destination.ts';
import { heldAbove } from '../../../core/payouts/withdrawal-rules.ts';
import { edited } from './bug.ts';
import type { Bug } from './bug.ts';
import { inModuleOf, within } from './edits.ts';

export const REFUND_BUGS: readonly Bug[] = [
  edited(
    'a refund takes more than is left',
    inModuleOf(refundUnits)
      .binary('<=')
      .becomes(() => 'true'),
  ),
  edited(
    'a refund of a part ends its order',
    inModuleOf(refundOrder)
      .binary('===', { mentions: 'refund-partial' })
      .becomes(() => 'false'),
  ),
  edited(
    'a refund without an address goes to the sender',
    within(refundDestination)
      .conditional({ where: ({ whenTrue }) => whenTrue.includes('deposits') })
      .becomes(({ whenTrue, whenFalse }) => `(${whenFalse} ?? ${whenTrue})`),
  ),
  edited(
    'an address that was left after the payment does not wait',
    within(lateAddressUntil)
      .conditional()
      .becomes(() => 'null'),
  ),
  edited(
    'a large refund is not held',
    within(heldAbove)
      .conditional()
      .becomes(({ whenTrue, whenFalse }) => `held && transfer.kind !== 'refund' ? ${whenTrue} : ${whenFalse}`),
  ),
  edited(
    'an admin that was made after the request approves it',
    within(decidesFrom)
      .binary('>=')
      .becomes(() => 'false'),
  ),
];
