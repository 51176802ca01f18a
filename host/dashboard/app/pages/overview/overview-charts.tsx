import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import ToggleButton from '@mui/material/ToggleButton';
import ToggleButtonGroup from '@mui/material/ToggleButtonGroup';
import { useQuery } from '@tanstack/react-query';
import { useTranslate } from 'react-admin';
import { useState } from 'react';
import { DAY_MS, startOfDay } from '../../../../../core/kernel/time.ts';
import type { OverviewRecord } from '../../records.ts';
import { useApi } from '../../till.ts';
import { CallbackChart } from './callback-chart.tsx';
import type { Compared } from './days.ts';
import { GatewayDaysChart, GatewayMethodsChart } from './gateway-charts.tsx';
import { OrderFunnel } from './order-funnel.tsx';
import { SalesChart } from './sales-chart.tsx';

const RANGES = [7, 30, 90] as const;
const FIRST_RANGE = 30;
const REFETCH_MS = 30_000;

export function OverviewCharts() {
  const api = useApi();
  const translate = useTranslate();
  const [days, setDays] = useState<number>(FIRST_RANGE);
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ['overview', days],
    queryFn: ({ signal }) => {
      // Today, in UTC, is one of the days.
      const from = new Date(startOfDay(Date.now()) - (days - 1) * DAY_MS).toISOString();
      return api.get<OverviewRecord>('overview', { from }, signal);
    },
    placeholderData: (former) => former,
    refetchInterval: REFETCH_MS,
  });
  const { data: former } = useQuery({
    queryKey: ['overview', days, data?.from],
    queryFn: ({ signal }) => {
      const to = Date.parse(data?.from ?? '');
      const range = { from: new Date(to - days * DAY_MS).toISOString(), to: new Date(to).toISOString() };
      return api.get<OverviewRecord>('overview', range, signal);
    },
    enabled: data !== undefined && !isPlaceholderData,
    staleTime: Infinity,
  });
  return (
    <>
      <ToggleButtonGroup
        exclusive
        size="small"
        color="primary"
        value={days}
        onChange={(_, chosen: number | null) => setDays(chosen ?? days)}
        aria-label={translate('tillgate.overview.range')}
        sx={{ mb: 2, bgcolor: 'background.paper' }}
      >
        {RANGES.map((count) => (
          <ToggleButton key={count} value={count}>
            {translate('tillgate.overview.days', { smart_count: count })}
          </ToggleButton>
        ))}
      </ToggleButtonGroup>
      {error === null ? null : <Alert severity="error">{translate(error.message, { _: error.message })}</Alert>}
      {data === undefined ? null : <Charts overview={data} former={former} />}
    </>
  );
}

function Charts({ overview, former }: Compared) {
  return (
    <Box
      sx={{
        display: 'grid',
        columnGap: 2,
        alignItems: 'start',
        gridTemplateColumns: { xs: 'minmax(0, 1fr)', lg: 'repeat(2, minmax(0, 1fr))' },
      }}
    >
      <SalesChart overview={overview} former={former} />
      {/* The tallest: what follows stands beside it, under the first. */}
      <Box sx={{ gridRow: { lg: 'span 2' } }}>
        <OrderFunnel orders={overview.orders} />
      </Box>
      <CallbackChart callbacks={overview.callbacks} />
      {overview.gateway.days.length === 0 ? null : (
        <>
          <GatewayDaysChart overview={overview} former={former} />
          <GatewayMethodsChart methods={overview.gateway.methods} />
        </>
      )}
    </Box>
  );
}
