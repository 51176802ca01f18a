import Box from '@mui/material/Box';
import { Title, usePermissions } from 'react-admin';
import { Suspense } from 'react';
import { lazyPage } from '../../components/lazy-page.ts';
import { useService } from '../../components/service.ts';
import { PageSkeleton } from '../../shell/page-skeleton.tsx';
import { SandboxOrder } from './sandbox-order.tsx';

/** Numbers and charts are not part of the first load. */
const Merchant = lazyPage(() => import('./merchant-home.tsx'), 'MerchantHome');
const Operator = lazyPage(() => import('./operator-home.tsx'), 'OperatorHome');
const Charts = lazyPage(() => import('./overview-charts.tsx'), 'OverviewCharts');

/** The first page: of an operator, or of a merchant. */
export function Overview() {
  const service = useService();
  const { permissions } = usePermissions<string>();
  const Home = permissions === 'admin' ? Operator : Merchant;
  return (
    <Box sx={{ mt: 2, display: 'grid', gap: 2, gridTemplateColumns: 'minmax(0, 1fr)' }}>
      <Title title="tillgate.menu.overview" />
      <Suspense fallback={<PageSkeleton />}>
        <Home />
        {service?.sandbox === true ? <SandboxOrder coins={service.coins} /> : null}
        <div>
          <Charts />
        </div>
      </Suspense>
    </Box>
  );
}
