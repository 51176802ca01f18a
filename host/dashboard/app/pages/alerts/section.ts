import ReportProblemIcon from '@mui/icons-material/ReportProblem';
import { lazyPage } from '../../components/lazy-page.ts';
import type { Section } from '../section.ts';

export const alerts: Section = {
  name: 'alerts',
  path: '/alerts',
  label: 'resources.alerts.name',
  icon: ReportProblemIcon,
  role: 'admin',
  resource: {
    name: 'alerts',
    list: lazyPage(() => import('./alert-list.tsx'), 'AlertList'),
  },
};
