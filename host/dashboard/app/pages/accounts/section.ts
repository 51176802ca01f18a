import GroupIcon from '@mui/icons-material/Group';
import { lazyPage } from '../../components/lazy-page.ts';
import type { Section } from '../section.ts';

export const accounts: Section = {
  name: 'accounts',
  path: '/accounts',
  label: 'resources.accounts.name',
  icon: GroupIcon,
  role: 'admin',
  resource: {
    name: 'accounts',
    list: lazyPage(() => import('./account-list.tsx'), 'AccountList'),
    show: lazyPage(() => import('./account-show.tsx'), 'AccountShow'),
    create: lazyPage(() => import('./account-create.tsx'), 'AccountCreate'),
    edit: lazyPage(() => import('./account-edit.tsx'), 'AccountEdit'),
  },
};
