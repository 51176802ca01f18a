import { present } from '../../core/index.ts';
import type { ChoosePayment, OrderId, Storage } from '../../core/index.ts';

/** Leaves the refund address of an order, as its payer does on the order's page. */
export async function leaveRefundAddress(
  {
    storage,
    choosePayment,
  }: { readonly storage: Pick<Storage, 'orders'>; readonly choosePayment: Pick<ChoosePayment, 'setRefundAddress'> },
  orderId: string,
  address: string,
): Promise<void> {
  const { checkoutToken } = present(await storage.orders.find(orderId as OrderId), `order ${orderId}`);
  await choosePayment.setRefundAddress(checkoutToken, address);
}
