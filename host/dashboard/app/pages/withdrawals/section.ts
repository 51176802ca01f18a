import CallMadeIcon from '@mui/icons-material/CallMade';
import PlaceIcon from '@mui/icons-material/Place';
import { lazyPage } from '../../components/lazy-page.ts';
import type { Section } from '../section.ts';

export const withdrawals: Section = {
  name: 'withdrawals',
  path: '/withdrawals',
  label: 'resources.withdrawals.name',
  icon: CallMadeIcon,
  resource: {
    name: 'withdrawals',
    list: lazyPage(() => import('./withdrawal-list.tsx'), 'WithdrawalList'),
    show: lazyPage(() => import('./withdrawal-show.tsx'), 'WithdrawalShow'),
  },
};

export const withdrawalAddresses: Section = {
  name: 'withdrawal-addresses',
  path: '/withdrawal-addresses',
  label: 'resources.withdrawal-addresses.name',
  icon: PlaceIcon,
  resource: {
    name: 'withdrawal-addresses',
    list: lazyPage(() => import('./address-list.tsx'), 'AddressList'),
  },
};
