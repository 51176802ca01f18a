import SpaceDashboardIcon from '@mui/icons-material/SpaceDashboard';
import type { Section } from '../section.ts';

/** The first page; the application itself has it at its root. */
export const overview: Section = {
  name: 'overview',
  path: '/',
  label: 'tillgate.menu.overview',
  icon: SpaceDashboardIcon,
};
