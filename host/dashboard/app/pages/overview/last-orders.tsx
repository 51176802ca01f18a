import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Link from '@mui/material/Link';
import Typography from '@mui/material/Typography';
import { useGetList, useTranslate } from 'react-admin';
import { Link as RouterLink } from 'react-router-dom';
import { Section } from '../../components/facts.tsx';
import { useMoney } from '../../components/money.ts';
import { Time } from '../../components/values.tsx';
import type { OrderRecord } from '../../records.ts';
import { OrderName } from '../orders/order-name.tsx';
import { OrderStatusChip } from '../orders/order-status-chip.tsx';
import { REFETCH_MS } from './waiting-tiles.tsx';

const SHOWN = 5;

/** The newest orders, which are read again by themselves. */
export function LastOrders() {
  const translate = useTranslate();
  const money = useMoney();
  const { data } = useGetList<OrderRecord>(
    'orders',
    { pagination: { page: 1, perPage: SHOWN }, meta: { list: true } },
    { refetchInterval: REFETCH_MS },
  );
  if (data === undefined) return null;
  return (
    <Section title="tillgate.home.lastOrders">
      {data.length === 0 ? (
        <Typography color="textSecondary">{translate('tillgate.home.noOrders')}</Typography>
      ) : (
        <Box component="ul" sx={{ listStyle: 'none', m: 0, p: 0 }}>
          {data.map((order) => (
            <Box
              component="li"
              key={order.id}
              sx={{
                display: 'grid',
                columnGap: 2,
                rowGap: 0.25,
                alignItems: 'center',
                py: 0.75,
                gridTemplateColumns: { xs: 'minmax(0, 1fr) auto', sm: 'minmax(0, 1fr) 10rem 8rem 13rem' },
              }}
            >
              <Link
                component={RouterLink}
                to={`/orders/${order.id}/show`}
                sx={{ overflowWrap: 'anywhere', justifySelf: 'start' }}
              >
                <OrderName order={order} />
              </Link>
              <Box sx={{ justifySelf: { xs: 'end', sm: 'start' } }}>
                <OrderStatusChip order={order} />
              </Box>
              <Typography component="span" sx={{ fontVariantNumeric: 'tabular-nums' }}>
                {money(order.price, order.currency)}
              </Typography>
              <Typography component="span" variant="body2" color="textSecondary">
                <Time value={order.created_at} />
              </Typography>
            </Box>
          ))}
        </Box>
      )}
      <Button component={RouterLink} to={data.length === 0 ? '/orders/create' : '/orders'} size="small" sx={{ mt: 1 }}>
        {translate(data.length === 0 ? 'tillgate.home.firstOrder' : 'tillgate.home.allOrders')}
      </Button>
    </Section>
  );
}
