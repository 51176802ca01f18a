import Box from '@mui/material/Box';
import { Title } from 'react-admin';
import { Suspense } from 'react';
import { lazyPage } from '../../components/lazy-page.ts';
import { useService } from '../../components/service.ts';
import { SandboxOrder } from './sandbox-order.tsx';

/** The charts are not part of the first load. */
const Charts = lazyPage(() => import('./overview-charts.tsx'), 'OverviewCharts');

export function Overview() {
  const service = useService();
  return (
    <Box sx={{ mt: 2 }}>
      <Title title="tillgate.menu.overview" />
      {service?.sandbox === true ? <SandboxOrder coins={service.coins} /> : null}
      <Suspense fallback={null}>
        <Charts />
      </Suspense>
    </Box>
  );
}
