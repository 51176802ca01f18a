import LinkIcon from '@mui/icons-material/Link';
import { lazyPage } from '../../components/lazy-page.ts';
import type { Section } from '../section.ts';

export const chains: Section = {
  name: 'chains',
  path: '/chains',
  label: 'resources.chains.name',
  icon: LinkIcon,
  role: 'admin',
  routes: [{ path: '/chains', page: lazyPage(() => import('./chain-list.tsx'), 'ChainList') }],
};
