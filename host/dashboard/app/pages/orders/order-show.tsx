import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { usePermissions, useRecordContext, useTranslate } from 'react-admin';
import { AccountName } from '../../components/account-name.tsx';
import { CartLines } from '../../components/cart-lines.tsx';
import { RecordPage } from '../../components/record-page.tsx';
import { Facts, Section } from '../../components/facts.tsx';
import { Amount, ChainAddress, Copyable, Time } from '../../components/values.tsx';
import type { OrderFile } from '../../records.ts';
import { CoinAmount } from './coin-amount.tsx';
import { OrderActions } from './order-actions.tsx';
import { useOrderName } from './order-name.tsx';
import { OrderTimeline } from './order-timeline.tsx';
import { PayerView } from './payer-view.tsx';
import { orderPollMs } from './order-poll.ts';
import { OrderStatusChip } from './order-status-chip.tsx';

const FIELD = 'resources.orders.fields';
export function OrderShow() {
  return (
    <RecordPage pollMs={orderPollMs} title={<OrderTitle />}>
      <OrderPage />
    </RecordPage>
  );
}

/** How people know the order, as the title of its page. */
function OrderTitle() {
  const translate = useTranslate();
  const name = useOrderName();
  const order = useRecordContext<OrderFile>();
  return <>{order === undefined ? translate('resources.orders.about') : name(order)}</>;
}

function OrderPage() {
  const order = useRecordContext<OrderFile>();
  if (order === undefined) return null;
  return (
    <>
      <OrderHead order={order} />
      <OrderTimeline order={order} />
    </>
  );
}

/** The value of the received amount in the order's fiat currency. */
function worthOf({ worth, currency }: OrderFile, rate: 'agreed' | 'seen') {
  const value = worth?.[rate] ?? null;
  return value === null ? null : <Amount value={value} currency={currency} />;
}

const leftOf = ({ payment, refundable_amount: left }: OrderFile) => (
  <Amount value={left} currency={payment?.coin ?? ''} />
);

/** What was refunded; nothing before a refund was requested. */
function refundedOf({ payment, refunds, refunded_amount: refunded }: OrderFile) {
  return refunds.length === 0 ? null : <Amount value={refunded} currency={payment?.coin ?? ''} />;
}

/** What was bought at a payment link with items. */
function Bought({ order: { cart, currency } }: { readonly order: OrderFile }) {
  const lines = (cart?.lines ?? []).map(({ item: id, name, price, quantity }) => ({
    ...{ id, price },
    text: `${quantity} × ${name}`,
  }));
  return <CartLines lines={lines} currency={currency} />;
}

function OrderHead({ order }: { readonly order: OrderFile }) {
  const translate = useTranslate();
  const { permissions } = usePermissions<string>();
  const address = translate(`${FIELD}.address`);
  const { payment, received } = order;
  return (
    <Section title="resources.orders.about">
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1.5, alignItems: 'center', mb: 2 }}>
        <Typography component="p" variant="h5">
          <Amount value={order.price} currency={order.currency} />
        </Typography>
        <OrderStatusChip order={order} />
      </Box>
      <PayerView url={order.pay_url} />
      <Facts
        of={[
          [`${FIELD}.id`, <Copyable key="id" value={order.id} label={translate(`${FIELD}.id`)} />],
          [`${FIELD}.account`, permissions === 'admin' ? <AccountName key="account" id={order.account} link /> : null],
          [`${FIELD}.merchant_reference`, order.merchant_reference],
          [`${FIELD}.remark`, order.remark || null],
          [
            `${FIELD}.items`,
            order.cart !== null && order.cart.lines.length > 0 ? <Bought key="items" order={order} /> : null,
          ],
          [`${FIELD}.tip`, order.cart && <Amount key="tip" value={order.cart.tip} currency={order.currency} />],
          [`${FIELD}.amount`, payment === null ? null : <CoinAmount key="amount" payment={payment} />],
          [`${FIELD}.received`, received && <Amount key="received" value={received} currency={payment?.coin ?? ''} />],
          [`${FIELD}.refunded_amount`, refundedOf(order)],
          [`${FIELD}.refundable_amount`, order.refunds.length === 0 ? null : leftOf(order)],
          [`${FIELD}.worth_agreed`, worthOf(order, 'agreed')],
          [`${FIELD}.worth_seen`, worthOf(order, 'seen')],
          [`${FIELD}.chain`, payment?.chain_name],
          [`${FIELD}.created_at`, <Time key="created" value={order.created_at} />],
          [`${FIELD}.expires_at`, <Time key="expires" value={order.expires_at} />],
          [`${FIELD}.platform`, translate(`resources.orders.platforms.${order.platform}`)],
          [
            address,
            payment === null ? null : (
              <ChainAddress key="address" chain={payment.chain} value={payment.address} label={address} />
            ),
          ],
          [`${FIELD}.refund_address`, order.refund_address],
          ...Object.entries(order.metadata).map(([name, value]) => [name, value] as const),
        ]}
      />
      <OrderActions order={order} />
    </Section>
  );
}
