import { useTranslate } from 'react-admin';
import { shortId } from '../../components/record-name.ts';
import type { OrderRecord } from '../../records.ts';

/** How people know an order: the reference or the note of the merchant, and else the end of its id. */
export function useOrderName(): (order: Pick<OrderRecord, 'id' | 'merchant_reference' | 'remark'>) => string {
  const translate = useTranslate();
  return ({ id, merchant_reference: reference, remark }) =>
    reference ?? (remark === '' ? translate('resources.orders.numbered', { id: shortId(id) }) : remark);
}

export function OrderName({ order }: { readonly order: OrderRecord }) {
  const name = useOrderName();
  return <bdi title={order.id}>{name(order)}</bdi>;
}
