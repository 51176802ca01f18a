import HubIcon from '@mui/icons-material/Hub';
import { lazyPage } from '../../components/lazy-page.ts';
import type { Section } from '../section.ts';

export const gateways: Section = {
  name: 'gateways',
  path: '/gateways',
  label: 'resources.gateways.name',
  icon: HubIcon,
  role: 'admin',
  resource: {
    name: 'gateways',
    list: lazyPage(() => import('./gateway-list.tsx'), 'GatewayList'),
    show: lazyPage(() => import('./gateway-show.tsx'), 'GatewayShow'),
    create: lazyPage(() => import('./gateway-create.tsx'), 'GatewayCreate'),
    edit: lazyPage(() => import('./gateway-edit.tsx'), 'GatewayEdit'),
  },
};
