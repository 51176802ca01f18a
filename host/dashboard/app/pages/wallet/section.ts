import AccountBalanceWalletIcon from '@mui/icons-material/AccountBalanceWallet';
import { lazyPage } from '../../components/lazy-page.ts';
import type { Section } from '../section.ts';

export const wallet: Section = {
  name: 'wallets',
  path: '/wallets',
  label: 'resources.wallets.name',
  icon: AccountBalanceWalletIcon,
  resource: { name: 'wallets', list: lazyPage(() => import('./wallet-list.tsx'), 'WalletList') },
};
