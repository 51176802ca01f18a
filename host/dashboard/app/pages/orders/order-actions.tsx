import Box from '@mui/material/Box';
import { ActionButton } from '../../components/act.tsx';
import { useService } from '../../components/service.ts';
import type { OrderFile } from '../../records.ts';
import { useApi } from '../../till.ts';
import { isLive } from './order-poll.ts';
import { RefundButton } from './refund-button.tsx';
import { SANDBOX_BLOCKS, SANDBOX_DEPTH, SANDBOX_PAY } from '../../api/sandbox.ts';

const UNSPENDABLE: readonly string[] = ['SEEN', 'CREDITED'];

export function OrderActions({ order }: { readonly order: OrderFile }) {
  const api = useApi();
  const service = useService();
  const path = `orders/${order.id}`;
  const { status, payment } = order;
  const seen = order.transactions.length + order.unconfirmed.length > 0;
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, mt: 2 }}>
      {service?.sandbox === true && status === 'PENDING' && payment !== null ? (
        <ActionButton
          label="resources.orders.pay"
          success="resources.orders.paid"
          variant="contained"
          work={() => api.post(SANDBOX_PAY, { order_id: order.id })}
        />
      ) : null}
      {service?.sandbox === true && order.transactions.some((deposit) => UNSPENDABLE.includes(deposit.status)) ? (
        <ActionButton
          label="resources.orders.mine"
          success="resources.orders.mined"
          work={() => api.post(SANDBOX_BLOCKS, { chain: order.payment?.chain, count: SANDBOX_DEPTH })}
        />
      ) : null}
      {order.refundable ? <RefundButton order={order} to="payer" /> : null}
      {order.refund_sender !== null ? <RefundButton order={order} to="sender" /> : null}
      {status === 'OVERDUE' || status === 'PARTIAL' ? (
        <ActionButton
          label="resources.orders.accept"
          success="resources.orders.accepted"
          confirm
          work={() => api.post(`${path}/resolve`)}
        />
      ) : null}
      {status === 'PENDING' && !seen ? (
        <ActionButton
          label="resources.orders.cancel"
          success="resources.orders.cancelled"
          dismiss="resources.orders.keep"
          color="error"
          confirm
          work={() => api.post(`${path}/cancel`)}
        />
      ) : null}
      {order.refund_address !== null && !order.refunds.some(isLive) ? (
        <ActionButton
          label="resources.orders.removeRefundAddress"
          success="resources.orders.removedRefundAddress"
          confirm
          work={() => api.request('DELETE', `${path}/refund-address`)}
        />
      ) : null}
    </Box>
  );
}
