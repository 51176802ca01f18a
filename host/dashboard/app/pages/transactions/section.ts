import SwapHorizIcon from '@mui/icons-material/SwapHoriz';
import { lazyPage } from '../../components/lazy-page.ts';
import type { Section } from '../section.ts';

export const transactions: Section = {
  name: 'transactions',
  path: '/transactions',
  label: 'resources.transactions.name',
  icon: SwapHorizIcon,
  resource: {
    name: 'transactions',
    list: lazyPage(() => import('./transaction-list.tsx'), 'TransactionList'),
  },
};
