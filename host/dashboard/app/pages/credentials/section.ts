import VpnKeyIcon from '@mui/icons-material/VpnKey';
import { lazyPage } from '../../components/lazy-page.ts';
import type { Section } from '../section.ts';

export const credentials: Section = {
  name: 'credentials',
  path: '/credentials',
  label: 'resources.credentials.name',
  icon: VpnKeyIcon,
  resource: { name: 'credentials', list: lazyPage(() => import('./credential-list.tsx'), 'CredentialList') },
};
