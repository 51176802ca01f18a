import OutboxIcon from '@mui/icons-material/Outbox';
import { lazyPage } from '../../components/lazy-page.ts';
import type { Section } from '../section.ts';

export const callbacks: Section = {
  name: 'callbacks',
  path: '/callbacks',
  label: 'resources.callbacks.name',
  icon: OutboxIcon,
  resource: {
    name: 'callbacks',
    list: lazyPage(() => import('./callback-list.tsx'), 'CallbackList'),
    show: lazyPage(() => import('./callback-show.tsx'), 'CallbackShow'),
  },
};
