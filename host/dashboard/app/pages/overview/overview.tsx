import Box from '@mui/material/Box';
import { Title } from 'react-admin';
import { useService } from '../../components/service.ts';
import { SandboxOrder } from './sandbox-order.tsx';

/** The first page. */
export function Overview() {
  const service = useService();
  return (
    <Box sx={{ mt: 2 }}>
      <Title title="tillgate.menu.overview" />
      {service?.sandbox === true ? <SandboxOrder coins={service.coins} /> : null}
    </Box>
  );
}
