import MenuBookIcon from '@mui/icons-material/MenuBook';
import { lazyPage } from '../../components/lazy-page.ts';
import type { Section } from '../section.ts';

export const ledger: Section = {
  name: 'ledger',
  path: '/ledger',
  label: 'resources.ledger.name',
  icon: MenuBookIcon,
  resource: {
    name: 'ledger',
    list: lazyPage(() => import('./ledger-list.tsx'), 'LedgerList'),
  },
};
