import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { useTranslate } from 'react-admin';
import { StatusChip } from '../../components/chips.tsx';
import { Entries } from '../../components/entries.tsx';
import { Section } from '../../components/facts.tsx';
import { Time } from '../../components/values.tsx';
import type { OrderFile, OrderHistory } from '../../records.ts';
import { useApi } from '../../till.ts';

/** Each status change of an order with its rule; read again whenever the order has changed. */
export function OrderHistoryList({ order }: { readonly order: OrderFile }) {
  const api = useApi();
  const translate = useTranslate();
  const { data } = useQuery({
    queryKey: ['orders', 'history', order.id, order.updated_at],
    queryFn: ({ signal }) => api.get<OrderHistory>(`orders/${order.id}/history`, {}, signal),
    placeholderData: (former) => former,
  });
  if (data === undefined) return null;
  return (
    <Section title="resources.orders.history">
      <Entries
        empty="resources.orders.noHistory"
        of={data.items.map(({ at, to, rule }, index) => ({
          id: String(index),
          content: (
            <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, alignItems: 'center' }}>
              <StatusChip status={to} texts="orderStatus" />
              <Typography component="span">{translate(`tillgate.rule.${rule}`, { _: rule })}</Typography>
              <Typography component="span" color="textSecondary" variant="body2">
                <Time value={at} />
              </Typography>
            </Box>
          ),
        }))}
      />
    </Section>
  );
}
