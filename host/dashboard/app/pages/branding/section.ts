import StorefrontIcon from '@mui/icons-material/Storefront';
import { lazyPage } from '../../components/lazy-page.ts';
import type { Section } from '../section.ts';

export const branding: Section = {
  name: 'branding',
  path: '/branding',
  label: 'tillgate.menu.branding',
  icon: StorefrontIcon,
  routes: [{ path: '/branding', page: lazyPage(() => import('./branding-page.tsx'), 'BrandingPage') }],
};
