import FactCheckIcon from '@mui/icons-material/FactCheck';
import { lazyPage } from '../../components/lazy-page.ts';
import type { Section } from '../section.ts';

export const approvals: Section = {
  name: 'approvals',
  path: '/transfers',
  label: 'resources.transfers.name',
  icon: FactCheckIcon,
  role: 'admin',
  resource: {
    name: 'transfers',
    list: lazyPage(() => import('./transfer-list.tsx'), 'TransferList'),
    show: lazyPage(() => import('./transfer-show.tsx'), 'TransferShow'),
  },
};
