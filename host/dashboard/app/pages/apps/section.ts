import ApiIcon from '@mui/icons-material/Api';
import { lazyPage } from '../../components/lazy-page.ts';
import type { Section } from '../section.ts';

export const apps: Section = {
  name: 'apps',
  path: '/apps',
  label: 'resources.apps.name',
  icon: ApiIcon,
  resource: {
    name: 'apps',
    list: lazyPage(() => import('./app-list.tsx'), 'AppList'),
    show: lazyPage(() => import('./app-show.tsx'), 'AppShow'),
  },
};
