import ManageSearchIcon from '@mui/icons-material/ManageSearch';
import { lazyPage } from '../../components/lazy-page.ts';
import type { Section } from '../section.ts';

export const audit: Section = {
  name: 'audit',
  path: '/audit',
  label: 'resources.audit.name',
  icon: ManageSearchIcon,
  role: 'admin',
  resource: {
    name: 'audit',
    list: lazyPage(() => import('./audit-list.tsx'), 'AuditList'),
  },
};
