import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import LinearProgress from '@mui/material/LinearProgress';
import Typography from '@mui/material/Typography';
import { useQueryClient } from '@tanstack/react-query';
import { useGetOne, useTranslate } from 'react-admin';
import { useEffect, useState } from 'react';
import { Link } from 'react-router-dom';
import { SANDBOX_PAY } from '../../api/sandbox.ts';
import { useAct } from '../../components/act.tsx';
import { Section } from '../../components/facts.tsx';
import type { OrderFile, OrderRecord, ServiceRecord } from '../../records.ts';
import { newIdempotencyKeys, useApi } from '../../till.ts';
import { CoinAmount } from '../orders/coin-amount.tsx';
import { OrderStatusChip } from '../orders/order-status-chip.tsx';

const POLL_MS = 1000;
const PRICE = { price: '12.50', currency: 'USD' };

/** In the sandbox: one button that creates an order, pays it and shows its progress. */
export function SandboxOrder({ coins }: Pick<ServiceRecord, 'coins'>) {
  const api = useApi();
  const act = useAct();
  const translate = useTranslate();
  const [id, setId] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const coin = coins.find(({ enabled }) => enabled);
  const makeAndPay = async (): Promise<void> => {
    if (coin === undefined) return;
    const body = { ...PRICE, chain: coin.chain, coin: coin.coin, remark: translate('tillgate.try.remark') };
    const order = await api.post<OrderRecord>('orders', body, { idempotencyKey: newIdempotencyKeys().of(body) });
    await api.post(SANDBOX_PAY, { order_id: order.id });
    setId(order.id);
  };
  const start = async (): Promise<void> => {
    setBusy(true);
    await act(makeAndPay);
    setBusy(false);
  };
  return (
    <Section title="tillgate.try.title">
      <Typography sx={{ mb: 2 }}>{translate('tillgate.try.text')}</Typography>
      <Button variant="contained" disabled={busy || coin === undefined} onClick={() => void start()}>
        {translate('tillgate.try.start')}
      </Button>
      {id === null ? null : <Progress id={id} />}
    </Section>
  );
}

function Progress({ id }: { readonly id: string }) {
  const translate = useTranslate();
  const { data: order } = useGetOne<OrderFile>(
    'orders',
    { id },
    { refetchInterval: ({ state: { data } }) => (data === undefined || data.status === 'PENDING' ? POLL_MS : false) },
  );
  const queryClient = useQueryClient();
  const open = order?.status === 'PENDING';
  const over = order !== undefined && !open;
  // Everything else on the page then includes the order.
  useEffect(() => {
    if (over) void queryClient.invalidateQueries();
  }, [over, queryClient]);
  if (order === undefined) return null;
  return (
    <Box role="status" sx={{ mt: 2, display: 'flex', flexWrap: 'wrap', gap: 1.5, alignItems: 'center' }}>
      <OrderStatusChip order={order} />
      <CoinAmount payment={order.payment} />
      <Typography component="span">{translate(open ? 'tillgate.try.waiting' : 'tillgate.try.done')}</Typography>
      <Button component={Link} to={`/orders/${id}/show`} size="small">
        {translate('tillgate.try.open')}
      </Button>
      {open ? <LinearProgress sx={{ width: '100%' }} aria-label={translate('tillgate.try.waiting')} /> : null}
    </Box>
  );
}
