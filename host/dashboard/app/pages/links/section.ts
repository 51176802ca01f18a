import LinkIcon from '@mui/icons-material/Link';
import { lazyPage } from '../../components/lazy-page.ts';
import type { Section } from '../section.ts';

export const links: Section = {
  name: 'links',
  path: '/links',
  label: 'resources.links.name',
  icon: LinkIcon,
  resource: {
    name: 'links',
    list: lazyPage(() => import('./link-list.tsx'), 'LinkList'),
    show: lazyPage(() => import('./link-show.tsx'), 'LinkShow'),
    create: lazyPage(() => import('./link-create.tsx'), 'LinkCreate'),
    edit: lazyPage(() => import('./link-edit.tsx'), 'LinkEdit'),
  },
};
