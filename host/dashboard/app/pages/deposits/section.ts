import MoveToInboxIcon from '@mui/icons-material/MoveToInbox';
import { lazyPage } from '../../components/lazy-page.ts';
import type { Section } from '../section.ts';

export const deposits: Section = {
  name: 'deposits',
  path: '/deposits',
  label: 'resources.deposits.name',
  icon: MoveToInboxIcon,
  role: 'admin',
  resource: {
    name: 'deposits',
    list: lazyPage(() => import('./deposit-list.tsx'), 'DepositList'),
  },
};
