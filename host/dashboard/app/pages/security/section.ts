import DevicesIcon from '@mui/icons-material/Devices';
import SecurityIcon from '@mui/icons-material/Security';
import { lazyPage } from '../../components/lazy-page.ts';
import type { Section } from '../section.ts';

export const security: Section = {
  name: 'security',
  path: '/security',
  label: 'tillgate.menu.security',
  icon: SecurityIcon,
  routes: [
    { path: '/security', page: lazyPage(() => import('./security-page.tsx'), 'SecurityPage') },
    { path: '/password', page: lazyPage(() => import('./password-page.tsx'), 'PasswordPage') },
  ],
};

export const sessions: Section = {
  name: 'sessions',
  path: '/sessions',
  label: 'resources.sessions.name',
  icon: DevicesIcon,
  resource: { name: 'sessions', list: lazyPage(() => import('./session-list.tsx'), 'SessionList') },
};
