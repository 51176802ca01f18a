import SpaceDashboardIcon from '@mui/icons-material/SpaceDashboard';
import type { Section } from '../section.ts';

/** The first page, at the root of the application. */
export const overview: Section = {
  name: 'overview',
  path: '/',
  label: 'tillgate.menu.overview',
  icon: SpaceDashboardIcon,
};
